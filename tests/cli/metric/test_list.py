"""`assay metric list`: what can be measured, all of it and one by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import pytest

from assay.metrics import METRICS, setting
from assay.metrics.diversity.lengths import Lengths
from tests.conftest import Call

Run = Callable[..., Call]


def test_metrics_lists_everything(here: Run) -> None:
    shown = here("metric", "list", "--json").json
    assert {"rouge", "bleu", "chrf", "chrf++", "ngrams", "msttr", "lengths"} <= shown["metrics"].keys()
    assert {"gem-light", "summarization", "data-to-text", "simplification"} <= shown["suites"].keys()
    for described in shown["metrics"].values():
        assert described["signature"]
        assert described["citation"]
        assert described["available"] or described["why_not"]
    text = here("metric", "list").out
    assert "rouge" in text
    assert "gem-light" in text


def test_metrics_tells_of_one(here: Run) -> None:
    call = here("metric", "list", "rouge2")
    assert "preset     rouge:gem is rouge:tokenizer=gem:stemmer=True:multi=jackknife" in call.out
    assert here("metric", "list", "blue").code == 1
    assert "did you mean bleu?" in here("metric", "list", "blue").err


def test_settings_are_marked(here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Slow(Lengths):
        batch: int = setting(8)

        name: ClassVar = "slow_lengths"

    monkeypatch.setattr(METRICS, "_added", {"slow_lengths": Slow})
    described = here("metric", "list", "--json").json["metrics"]
    assert described["slow_lengths"]["settings"] == ["batch"]
    assert "batch" in described["slow_lengths"]["options"]
    assert described["rouge"]["settings"] == []
