"""`assay.compat.torchmetrics` against the original's documented examples, and against itself in batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.compat import torchmetrics as ours
from assay.errors import AssayError

theirs = pytest.importorskip("torchmetrics.text", reason="needs torchmetrics")

PREDS = ["the cat is on the mat", "a dog barks at the moon tonight and at nobody else"]
TARGET = [
    ["there is a cat on the mat", "a cat is on the mat"],
    ["a dog barks at the moon", "tonight a dog barks at the moon and nobody else"],
]
PAIRS: list[tuple[str, dict[str, Any]]] = [
    ("BLEUScore", {}),
    ("BLEUScore", {"smooth": True}),
    ("SacreBLEUScore", {}),
    ("SacreBLEUScore", {"lowercase": True, "tokenize": "char"}),
    ("CHRFScore", {}),
    ("CHRFScore", {"n_word_order": 0, "lowercase": True}),
    ("TranslationEditRate", {}),
    ("TranslationEditRate", {"no_punctuation": True, "lowercase": False}),
    ("ROUGEScore", {"rouge_keys": ("rouge1", "rouge2", "rougeL")}),
    ("ROUGEScore", {"rouge_keys": "rouge1", "accumulate": "avg"}),
]


def plain(value: Any) -> Any:
    return {key: float(each) for key, each in value.items()} if isinstance(value, dict) else float(value)


@pytest.mark.parametrize(("name", "options"), PAIRS)
def test_equal_to_the_original_batch_by_batch(name: str, options: dict[str, Any]) -> None:
    mine, original = getattr(ours, name)(**options), getattr(theirs, name)(**options)
    for made in (mine, original):
        made.update(PREDS[:1], TARGET[:1])
        made.update(PREDS[1:], TARGET[1:])
    assert plain(mine.compute()) == pytest.approx(plain(original.compute()), abs=1e-6)
    mine.reset()
    original.reset()
    assert plain(mine(PREDS, TARGET)) == pytest.approx(plain(original(PREDS, TARGET)), abs=1e-6)


def test_the_example_of_its_page() -> None:
    found = ours.ROUGEScore()("My name is John", "Is your name John")
    assert plain(found)["rouge1_fmeasure"] == 0.75
    assert plain(found)["rouge2_fmeasure"] == 0.0
    assert plain(found)["rougeL_fmeasure"] == 0.5
    assert isinstance(found["rouge1_recall"].item(), float)


def test_any_metric_from_sums() -> None:
    made = ours.Updatable("rouge:stemmer=true")
    for i in range(2):
        made.update(PREDS[i : i + 1], TARGET[i : i + 1])
    whole = assay.score(PREDS, TARGET, metrics="rouge:stemmer=true").scores
    assert made.compute() == pytest.approx({name: score.value for name, score in whole.items()})
    assert made.sums is not None


def test_batches_alone_and_together() -> None:
    one, two, all_ = (ours.CHRFScore() for _ in range(3))
    first = one(PREDS[:1], TARGET[:1])
    assert one.compute() == first
    two.update(PREDS[1:], TARGET[1:])
    all_.update(PREDS, TARGET)
    one.merge_state(two)
    assert one.compute() == pytest.approx(all_.compute())
    assert isinstance(one.compute(), np.float64)


def test_what_is_refused() -> None:
    with pytest.raises(AssayError, match="No data"):
        ours.BLEUScore().compute()
    with pytest.raises(AssayError, match=r"Use assay\.score"):
        ours.Updatable("distinct-2")
    with pytest.raises(AssayError, match=r"Use assay\.score"):
        ours.Updatable("sari")
    with pytest.raises(ValueError, match="1 predictions for 2 targets"):
        ours.BLEUScore().update(["a"], ["a", "b"])
    with pytest.raises(ValueError, match="unknown rouge key"):
        ours.ROUGEScore(rouge_keys="rouge7")
    with pytest.raises(ValueError, match="same options"):
        ours.BLEUScore().merge_state(ours.BLEUScore(smooth=True))
    for made in (ours.BLEUScore, ours.SacreBLEUScore):
        with pytest.raises(AssayError, match="n_gram=2"):
            made(n_gram=2)
