"""`compute_metrics` as a trainer calls it, and the examples of all modules for drop-in use."""

from __future__ import annotations

import doctest
import importlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import assay
from assay.compat.transformers import compute_metrics

WORDS = ["<pad>", "the", "cats", "cat", "sat", "on", "mats", "mat"]


class Tokenizer:
    """What a trainer's tokenizer has that is used here."""

    pad_token_id = 0

    def batch_decode(self, ids: Any, skip_special_tokens: bool = False) -> list[str]:
        assert skip_special_tokens
        return [" " + " ".join(WORDS[i] for i in row if i) for row in ids]


class Prediction(NamedTuple):
    predictions: Any
    label_ids: Any


IDS = np.array([[1, 2, 4, 5, 1, 7], [1, 3, 0, 0, 0, 0]])
LABELS = np.array([[1, 3, 4, 5, 1, 6, -100], [1, 2, 4, -100, -100, -100, -100]])


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_trainers_call(wrapped: bool) -> None:
    texts, gold = ["the cats sat on the mat", "the cat"], ["the cat sat on the mats", "the cats sat"]
    found = compute_metrics(Tokenizer(), ["rouge:stemmer=true", "chrf"])(
        Prediction((IDS, np.zeros(3)) if wrapped else IDS, LABELS)
    )
    scores = assay.score(texts, gold, metrics="rouge:stemmer=true,chrf").scores
    assert found["rouge1"] == pytest.approx(100 * (scores["rouge1"].value or 0), abs=1e-4)
    assert found["chrf"] == pytest.approx(scores["chrf"].value, abs=1e-4)
    assert found["gen_len"] == 4.0
    assert "rouge1.recall" not in found
    assert all(isinstance(value, float) for value in found.values())


def test_texts_may_be_changed_before() -> None:
    def last_word(text: str) -> str:
        return text.split()[-1]

    assert compute_metrics(Tokenizer(), "rouge1", postprocess=last_word)((IDS[:, :1], LABELS[:, :1]))["rouge1"] == 100


@pytest.mark.parametrize(
    "module", ["rouge_score.rouge_scorer", "sacrebleu", "evaluate", "torchmetrics", "transformers"]
)
def test_examples_in_the_source(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"assay.compat.{module}"))
    assert found.attempted > 1
    assert found.failed == 0


def test_the_page_about_it() -> None:
    page = (Path(__file__).parents[2] / "docs/compat.md").read_text(encoding="utf-8")
    shown = "\n".join(block for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL) if ">>>" in block)
    found = doctest.DocTestRunner().run(doctest.DocTestParser().get_doctest(shown, {}, "docs/compat.md", None, 0))
    assert (found.attempted, found.failed) == (10, 0)


def test_nothing_of_the_originals_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the packages is imported, but sacrebleu's objects, which are what its calls give back."""
    import builtins

    kept = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        assert name.split(".")[0] not in ("rouge_score", "evaluate", "torchmetrics", "torch", "transformers"), name
        return kept(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    modules: Sequence[str] = ("rouge_score.rouge_scorer", "sacrebleu", "evaluate", "torchmetrics", "transformers")
    for module in modules:
        importlib.reload(importlib.import_module(f"assay.compat.{module}"))
