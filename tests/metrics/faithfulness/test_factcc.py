"""factcc: what a classifier says of source and sentence, windows, which class is meant, and what is no classifier."""

from __future__ import annotations

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

SOURCE = "the cat sat. two dogs ran home."
OUTPUTS = ["the cat ran. dogs sat.", "", "a cat sat."]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "two", "classifier:2")


def alone(folder: Path, source: str, sentence: str) -> Any:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    given = AutoTokenizer.from_pretrained(folder)(source, sentence, return_tensors="pt")
    with torch.inference_mode():
        return model(**given).logits[0].double().softmax(-1).numpy()


def test_it_is_the_mean_over_sentences(tiny: Path) -> None:
    """The class called `yes` stands second."""
    found = each(f"factcc:model={tiny}", OUTPUTS, None, [SOURCE] * 3)["factcc"]
    first = np.mean([alone(tiny, SOURCE, sentence)[1] for sentence in ("the cat ran.", "dogs sat.")])
    assert found == pytest.approx([first, 0, alone(tiny, SOURCE, "a cat sat.")[1]], abs=1e-5)
    other = each(f"factcc:model={tiny}:label=no", OUTPUTS, None, [SOURCE] * 3)["factcc"]
    assert [other[0], other[2]] == pytest.approx([1 - found[0], 1 - found[2]], abs=1e-5)
    assert each(f"factcc:model={tiny}:label=0", OUTPUTS, None, [SOURCE] * 3)["factcc"] == other
    labels = each(f"factcc:model={tiny}:count=label", OUTPUTS, None, [SOURCE] * 3)["factcc"]
    assert set(labels) <= {0, 0.5, 1}


def test_of_a_long_source_the_best_window_counts(tiny: Path) -> None:
    long = "the cat sat. " * 6 + "two dogs ran home. " * 6
    (found,) = each(f"factcc:model={tiny}", ["a cat sat."], None, [long])["factcc"]
    # every letter is a token: of 64 that are read 8 are the sentence's and 4 kept free, a cat has 10 and the dogs 15
    cat, dogs = "the cat sat.", "two dogs ran home."
    windows = [" ".join([cat] * 5), f"{cat} {dogs} {dogs}", " ".join([dogs] * 3), dogs]
    assert found == pytest.approx(max(alone(tiny, window, "a cat sat.")[1] for window in windows), abs=1e-5)


@pytest.mark.parametrize("name", ["factcc", "alignscore", "minicheck"])
def test_beside_an_empty_source_no_model_is_asked(name: str, tmp_path: Path) -> None:
    model = save_tiny(tmp_path / "m", "classifier:3" if name == "alignscore" else "classifier:2")
    result = assay.score(["a cat sat.", "a cat."], sources=[" \n", SOURCE], metrics=f"{name}:model={model}")
    assert f"{name}: 1 empty source scores 0" in result.notes
    assert each(f"{name}:model={model}", ["a cat sat."], None, [" \n"])[name] == [0]


def test_what_cannot_be_asked_is_said(tiny: Path, tmp_path: Path) -> None:
    assert resolve("factcc")[0].metric.why_not() == (
        "needs weights of a consistency classifier. Give factcc:model=FOLDER."
    )
    three = save_tiny(tmp_path / "four", "classifier:4")
    assert "Give factcc:label=NAME or a number." in str(resolve(f"factcc:model={three}")[0].metric.why_not())
    one = save_tiny(tmp_path / "one", "classifier:1")
    (failed,) = assay.score(["a cat."], sources=["a cat."], metrics=f"factcc:model={one}:label=0").failed
    assert "has one output. Give a classifier with two or more classes." in failed.why
    assert "not found" in str(resolve(f"factcc:model={tmp_path / 'none'}")[0].metric.why_not())
