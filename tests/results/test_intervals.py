"""Confidence intervals: when there is one, when not, and why. Simulations are in tests/test_inference.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.results.result import Result
from assay.stats.interval import expansion, too_alike, too_few, wilson_interval

SAMPLE = Path(assay.__file__).parent / "sample"
WORDS = "the a cat dog sat ran on mat in house tree big small red old new".split()
EVERYTHING = "bleu,chrf,rouge,ter,nist,cider,local_recall,lengths,ngrams,msttr:segment=20,ttr,yules_i,self_bleu"


def made_up(n: int, seed: int, metrics: str = EVERYTHING, ci: int = 200) -> Result:
    chance = np.random.default_rng(seed)
    texts = [" ".join(chance.choice(WORDS, chance.integers(3, 9))) for _ in range(2 * n)]
    return assay.score(texts[:n], texts[n:], metrics=metrics, ci=ci)


def test_one_item_has_no_interval() -> None:
    result = assay.score(["the cat sat"], ["the cat ran"], metrics="rouge1", ci=100)
    score = result.scores["rouge1"]
    assert score.value == pytest.approx(2 / 3)
    assert (score.low, score.high) == (None, None)
    assert score.why == "no interval: 1 item, at least 10 are needed"


@pytest.mark.parametrize(("n", "having"), [(9, []), (10, ["bleu", "chrf"]), (30, ["distinct-1"]), (50, ["self_bleu"])])
def test_each_number_says_how_many_items_it_takes(n: int, having: list[str]) -> None:
    scores = made_up(n, 1).scores
    for name in ("bleu", "chrf", "distinct-1", "self_bleu"):
        least = {"distinct-1": 30, "self_bleu": 50}.get(name, 10)
        assert (scores[name].low is not None) == (n >= least), name
        assert (scores[name].why is None) == (n >= least), name
    assert all(scores[name].low is not None for name in having)


def test_nearly_equal_items_have_no_interval() -> None:
    """A mean of zeros and a single one: whatever would be drawn from it, the truth would often lie outside."""
    outputs, references = ["a b c d"] * 60, ["a b c d"] * 60
    same = assay.score(outputs, references, metrics="rouge1", ci=100).scores["rouge1"]
    assert (same.low, same.why) == (None, "no interval: all 60 values are identical")
    outputs[:8] = ["a"] * 8
    some = assay.score(outputs, references, metrics="rouge1", ci=100).scores["rouge1"]
    assert some.low is not None


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([12, 35, 60]))
def test_the_value_lies_within_its_interval(seed: int, n: int) -> None:
    result = made_up(n, seed, ci=100)
    for name, score in result.scores.items():
        if score.low is not None and score.high is not None and score.value is not None:
            assert score.low <= score.value <= score.high, name
            low, high = result.parts[name][1].bounds
            assert low is None or score.low >= low, name
            assert high is None or score.high <= high, name


def test_few_items_widen_the_interval_as_students_t_does() -> None:
    """2.262 for 1.960, and a variance over n - 1."""
    assert expansion(10) == pytest.approx(2.2622 / 1.95996 * np.sqrt(10 / 9), rel=1e-4)
    assert expansion(10_000) == pytest.approx(1, abs=1e-3)
    assert too_few(9) == "no interval: 9 items, at least 10 are needed"
    assert too_few(10) is None
    assert too_alike(np.arange(20.0)) is None


def test_contributions_of_a_mean_are_the_values_of_the_items() -> None:
    result = made_up(40, 3)
    assert result.contributions["rouge1"] == pytest.approx(result.per_example["rouge1"].to_numpy())
    for name in ("bleu", "chrf", "nist", "cider", "self_bleu"):
        assert result.contributions[name].mean() == pytest.approx(result.values[name]), name
    assert "vocab-1" not in result.contributions


def test_jackknife_of_bleu_is_that_of_scoring_all_but_one() -> None:
    result = made_up(15, 4, "bleu,self_bleu", ci=0)
    n = result.n
    without = np.array([result.take(np.delete(np.arange(n), i)).values["bleu"] for i in range(n)])
    expected = result.values["bleu"] + (n - 1) * (without.mean() - without)
    assert result.contributions["bleu"] == pytest.approx(expected)
    left = np.array([result.take(np.delete(np.arange(n), i)).values["self_bleu"] for i in range(n)])
    expected = result.values["self_bleu"] + (n - 1) * (left.mean() - left)
    assert result.contributions["self_bleu"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("found", "n", "low", "high"), [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)]
)
def test_interval_of_a_share_is_wilsons(found: int, n: int, low: float, high: float) -> None:
    assert wilson_interval(found, n) == pytest.approx((low, high), abs=1e-4)
