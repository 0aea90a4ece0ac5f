"""Confidence intervals: when there is one, when not, and why. Simulations are in tests/test_inference.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.results.result import Result
from assay.stats.interval import expansion, percentile, too_alike, too_few, wilson_interval
from assay.stats.resample import bootstrap
from assay.stats.skewed_interval import is_skewed, skewed_interval

SAMPLE = Path(assay.__file__).parent / "sample"
WORDS = "the a cat dog sat ran on mat in house tree big small red old new".split()
EVERYTHING = "bleu,chrf,rouge,ter,nist,cider,local_recall,lengths,ngrams,msttr:segment=20,ttr,yules_i,self_bleu"


def synthetic(n: int, seed: int, metrics: str = EVERYTHING, ci: int = 200) -> Result:
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
    scores = synthetic(n, 1).scores
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
    differing = [f"a b {'c' * (i % 5)}" for i in range(60)]
    one, other = (assay.score(differing, references, metrics="rouge1", system=name) for name in "ab")
    assert assay.compare(one, other)["rouge1"].why == "no interval: all 60 differences are 0"
    outputs[:8] = ["a"] * 8
    some = assay.score(outputs, references, metrics="rouge1", ci=100).scores["rouge1"]
    assert some.low is not None


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([12, 35, 60]))
def test_the_value_lies_within_its_interval(seed: int, n: int) -> None:
    result = synthetic(n, seed, ci=100)
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
    result = synthetic(40, 3)
    assert result.contributions["rouge1"] == pytest.approx(result.per_example["rouge1"].to_numpy())
    for name in ("bleu", "chrf", "nist", "cider", "self_bleu"):
        assert result.contributions[name].mean() == pytest.approx(result.values[name]), name
    assert "vocab-1" not in result.contributions


def test_jackknife_of_bleu_is_that_of_scoring_all_but_one() -> None:
    result = synthetic(15, 4, "bleu,self_bleu", ci=0)
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


@pytest.mark.parametrize(("changed", "printed"), [(0, False), (2, False), (7, False), (12, True)])
def test_one_rule_for_items_that_differ(changed: int, printed: bool) -> None:
    """With 2 of 60 items changed, rouge1 had no interval and bleu had one."""
    words = np.random.default_rng(0).integers(0, 300, (60, 12))
    texts = [" ".join(f"w{word}" for word in row) for row in words]
    first = [" ".join(text.split()[:10]) for text in texts]
    second = [" ".join(text.split()[: 4 + i % 5]) if i < changed else first[i] for i, text in enumerate(texts)]
    a, b = (assay.score(outputs, texts, metrics="bleu,rouge1,chrf,ter,wer,distinct-1") for outputs in (first, second))
    for name, row in assay.compare(a, b).items():
        assert (row.low is not None) == printed, name
        assert printed or (row.why or "").startswith("no interval: "), name


def lognormal_lengths(n: int, seed: int) -> list[str]:
    """Return outputs whose lengths have a long tail."""
    random = np.random.default_rng(seed)
    return [" ".join(["word"] * int(size)) for size in np.ceil(20 * random.lognormal(0, 1, n))]


def test_intervals_of_skewed_values_are_wider_above() -> None:
    result = assay.score(lognormal_lengths(40, 3), metrics="mean_length", ci=400)
    units = result.contributions["mean_length"]
    assert is_skewed(units)
    score, plain = result.scores["mean_length"], percentile(result.resampled(400, 0)["mean_length"])
    assert score.low is not None
    assert score.high is not None
    assert plain is not None
    assert score.low <= plain[0]
    assert score.high - units.mean() > 1.2 * (plain[1] - units.mean())
    normal = np.random.default_rng(0).normal(size=(200, 30))
    assert sum(is_skewed(row) for row in normal) <= 10
    assert not is_skewed(np.ones(30))


def test_intervals_of_skewed_values_cover() -> None:
    """Of 30 lognormal values, percentile intervals cover the mean in 88 to 89 %."""
    random = np.random.default_rng(1)
    truth, covered, plain = np.exp(0.5), 0, 0
    for seed in range(300):
        units = random.lognormal(0, 1, 30)
        drawn = np.concatenate([each.weights @ units / 30 for each in bootstrap(30, 300, seed)])
        mean = float(units.mean())
        ends = percentile(mean + (drawn - mean) * expansion(30))
        assert ends is not None
        plain += ends[0] <= truth <= ends[1]
        low, high = skewed_interval(mean, units, ends, 300, seed) if is_skewed(units) else ends
        covered += low <= truth <= high
    assert plain / 300 < 0.92
    assert 0.91 <= covered / 300 <= 0.97


def test_a_single_item_that_decides_is_named() -> None:
    words = np.random.default_rng(0).integers(0, 300, (40, 12))
    texts = [" ".join(f"w{word}" for word in row) for row in words]
    outputs = [text.replace("w1", "x", 1 + i % 3) for i, text in enumerate(texts)]
    plain = assay.score(outputs, texts, metrics="wer,rouge1", ci=200)
    assert not any("of the variance" in line for line in plain.warnings)
    outputs[7] = " ".join([outputs[7]] * 8)
    (warning,) = (
        line for line in assay.score(outputs, texts, metrics="wer,rouge1", ci=200).warnings if "variance" in line
    )
    assert warning.startswith("One of 40 items (8) makes up most of the variance of wer (9")
