"""BLEURT: what a model with one output says of reference and output, in this order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.metrics import resolve
from tests.support import each
from tests.support.tiny_models import save_tiny

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("own_cache")

OUTPUTS = ["A cat sat.", "", "Two dogs ran home."]
REFERENCES = [["The cat sat down.", "A dog."], ["x"], ["Dogs ran."]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "bleurt", "classifier:1")


def alone(folder: Path, reference: str, output: str) -> float:
    """As the model's card has it: tokenizer(references, candidates), then the one logit."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        return float(model(**tokenizer([reference], [output], return_tensors="pt")).logits[0, 0])


@pytest.mark.parametrize(("several", "over"), [("mean", np.mean), ("best", np.max)])
def test_it_is_what_the_model_says(folder: Path, several: str, over: Any) -> None:
    found = each(f"bleurt:model={folder}:several={several}:batch=2", OUTPUTS, REFERENCES)["bleurt"]
    said = [over([alone(folder, ref, out) for ref in refs]) for out, refs in zip(OUTPUTS, REFERENCES, strict=True)]
    assert found == pytest.approx(said, abs=1e-5)
    assert len(set(found)) == 3


def test_what_is_missing_is_said_with_the_remedy(folder: Path, tmp_path: Path) -> None:
    assert "give bleurt:model=PATH (Elron/bleurt-base-128" in str(resolve("bleurt")[0].metric.why_not())
    (failed,) = assay.score(
        OUTPUTS, REFERENCES, metrics=f"ttr,bleurt:model={save_tiny(tmp_path / 'two', 'classifier:2')}"
    ).failed
    assert "has 2 outputs; BLEURT has one" in failed.why
    own = save_tiny(tmp_path / "own", "classifier:1")
    about = json.loads((own / "config.json").read_text())
    (own / "config.json").write_text(json.dumps(about | {"model_type": "bleurt"}))
    (skipped,) = assay.score(OUTPUTS, REFERENCES, metrics=f"ttr,bleurt:model={own}").skipped
    assert "needs bleurt-pytorch and transformers below 5" in skipped.why
    assert "--scores" in skipped.why
