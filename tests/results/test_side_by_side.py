"""Metrics over large datasets are folded on several threads, with the same results as on one."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

import assay
from assay.metrics.diversity.ngrams import Ngrams
from assay.metrics.engine import merged_types, spill
from assay.results import result
from assay.results.result import Result

METRICS = "distinct-1,entropy-2,unique-3,ttr,msttr,nist,cider,bleu"


def scored() -> Result:
    draw = random.Random(3)
    texts = [" ".join(draw.choices("abcdefgh.,", k=draw.randint(0, 12))) for _ in range(200)]
    references = [" ".join(draw.choices("abcdefgh.,", k=draw.randint(1, 12))) for _ in range(200)]
    return assay.score(texts, references, metrics=METRICS, ci=70)


def numbers(of: Result) -> list[Any]:
    return [(name, score.value, score.low, score.high) for name, score in of.scores.items()]


def test_threads_change_no_number_and_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "LARGE", -1)
    monkeypatch.setattr(spill, "BLOCK", 300)
    monkeypatch.setattr(merged_types, "PARTITION", 100)
    monkeypatch.setattr(result, "threads", lambda: 1)
    expected = numbers(scored())
    at_work, most, lock = 0, 0, threading.Lock()
    fold = Ngrams.fold

    def watched(self: Ngrams, *given: Any) -> Any:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        try:
            return fold(self, *given)
        finally:
            with lock:
                at_work -= 1

    monkeypatch.setattr(Ngrams, "fold", watched)
    monkeypatch.setattr(result, "threads", lambda: 8)
    for _ in range(3):
        assert numbers(scored()) == expected
    assert 0 < most <= 2
