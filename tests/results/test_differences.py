"""Options that reach the tests of values."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.meta.ranking import compare_pairs
from assay.stats.paired_tests import JUDGEMENT_TESTS, TESTS, PairedTest
from assay.stats.significance import sign_flip

SAMPLE = Path(assay.__file__).parent / "sample"
ADDED = PairedTest("flip", "paired permutation test of the values of items", "values", sign_flip)


def scored(system: str) -> assay.Result:
    outputs = SAMPLE / "outputs" / system / "places.jsonl"
    return assay.score(outputs, examples=SAMPLE / "places.jsonl", metrics="rouge1,chrf")


def test_a_test_of_outputs_gets_seed_and_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TESTS, "flip", ADDED)
    comparison = assay.compare(scored("lead"), scored("template"), test="flip", samples=100, seed=7)
    assert "100 random permutations, seed 7" in comparison.test


def test_a_test_of_judgements_gets_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JUDGEMENT_TESTS, "flip", ADDED)
    a, b = ({str(item): float(item % size) for item in range(40)} for size in (5, 7))
    (pair,) = compare_pairs({"a": a, "b": b}, "flip", seed=7)
    assert pair.method == "paired permutation test, 10,000 random permutations, seed 7"
