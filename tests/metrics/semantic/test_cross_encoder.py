"""Cross-encoders: what transformers says of each pair, cached, and models that are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assay
from assay.metrics import resolve
from tests.support import each
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

OUTPUTS = ["A cat sat.", "", "Two dogs ran home over the wet grass."]
REFERENCES = [["The cat sat down.", "A dog."], ["x"], ["Dogs ran."]]


def saved(folder: Path, classes: int) -> Path:
    """A small BERT from chance that reads pairs of at most 48 tokens."""
    return save_tiny(folder, f"classifier:{classes}", length=48)


def alone(folder: Path, one: str, other: str) -> float:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model, tokenizer = (
        AutoModelForSequenceClassification.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    with torch.inference_mode():
        given = tokenizer(one, other, return_tensors="pt", truncation="longest_first", max_length=48)
        return float(torch.sigmoid(model(**given).logits[0, 0]))


def test_it_is_what_the_model_says_of_the_best_pair(tmp_path: Path) -> None:
    folder = saved(tmp_path / "m", 1)
    found = each(f"cross_encoder:model={folder}:batch=2", OUTPUTS, REFERENCES)["cross_encoder"]
    best = [max(alone(folder, one, other) for other in many) for one, many in zip(OUTPUTS, REFERENCES, strict=True)]
    assert found == pytest.approx([best[0], 0, best[2]], abs=1e-5)
    assert len({round(one, 3) for one in found}) == 3  # its words are read
    long = "two dogs ran home over the wet grass . " * 5
    assert each(f"cross_encoder:model={folder}", [long], ["a cat"])["cross_encoder"][0] == pytest.approx(
        alone(folder, long, "a cat"), abs=1e-5
    )


def test_the_second_run_asks_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = f"cross_encoder:model={saved(tmp_path / 'm', 1)}"
    first = assay.score(OUTPUTS, REFERENCES, metrics=spec)
    monkeypatch.setattr("assay.metrics.semantic.cross_encoder.load", None)
    again = assay.score(OUTPUTS, REFERENCES, metrics=spec)
    assert not first.failed
    assert again.scores == first.scores
    assert np.isfinite(again.scores["cross_encoder"].value or np.nan)
    assert "|model:m-" in again.scores["cross_encoder"].signature
    assert "|libraries:torch-" in again.scores["cross_encoder"].signature


def test_what_is_no_cross_encoder_is_said(tmp_path: Path) -> None:
    assert resolve("cross_encoder")[0].metric.why_not() == "needs weights. Give cross_encoder:model=FOLDER."
    (failed,) = assay.score(
        OUTPUTS, REFERENCES, metrics=f"rouge1,cross_encoder:model={saved(tmp_path / 'three', 3)}"
    ).failed
    assert "has 3 outputs; a cross-encoder for similarity has one" in failed.why
    result = assay.score(OUTPUTS, REFERENCES, metrics="rouge1,cross_encoder:model=./nowhere")
    assert "weights for ./nowhere not found" in result.skipped[0].why
