"""Equivalence and non-inferiority tests against a margin, and posterior probabilities."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import assay
from assay.errors import AssayError
from assay.metrics import Dense
from assay.results.posterior import posterior
from assay.results.sentences import conclusion
from assay.stats.pivot import studentized
from assay.stats.resample import bootstrap

WORDS = "the a cat dog sat ran on mat in house tree big".split()


def results(worse: float, n: int = 80) -> tuple[assay.Result, assay.Result]:
    """Return two systems; the second has more wrong words than the first."""
    chance = np.random.default_rng(4)
    references = [" ".join(chance.choice(WORDS, 10)) for _ in range(n)]

    def system(wrong: float) -> list[str]:
        return [" ".join(np.where(chance.random(10) < wrong, "x", text.split())) for text in references]

    made = assay.score_all({"a": system(0.3), "b": system(0.3 + worse)}, references, metrics="rouge1,ter")
    return made["a"], made["b"]


def test_equal_within_the_margin_and_two_one_sided_t_tests() -> None:
    a, b = results(0.0)
    row = assay.compare(a, b, margin={"rouge1": 8}, test="bootstrap")["rouge1"]
    apart = (b.per_example["rouge1"] - a.per_example["rouge1"]).to_numpy()
    expected = max(
        stats.ttest_1samp(apart, -0.08, alternative="greater").pvalue,
        stats.ttest_1samp(apart, 0.08, alternative="less").pvalue,
    )
    assert row.margin == pytest.approx(0.08)
    assert row.p_equal == pytest.approx(expected, abs=0.01)
    assert row.p_equal is not None
    assert row.p_equal < 0.05
    by_betting = assay.compare(a, b, margin={"rouge1": 8})
    assert by_betting["rouge1"].margin_method == "betting"
    assert row.p_equal <= (by_betting["rouge1"].p_equal or 0) < 0.05
    sentences = conclusion([by_betting])
    assert re.search(r"rouge1: equivalent within ±8\.0 \(two one-sided tests, p [<=] \.\d+\)\.", sentences)


def test_the_margin_is_judged_by_the_test_that_was_asked_for() -> None:
    a, b = results(0.1, 30)
    row = assay.compare(a, b, margin={"rouge1": 8}, test="t")["rouge1"]
    apart = (b.per_example["rouge1"] - a.per_example["rouge1"]).to_numpy()
    lower = stats.ttest_1samp(apart, -0.08, alternative="greater").pvalue
    assert row.p_not_worse == pytest.approx(lower, abs=1e-9)
    assert row.p_equal == pytest.approx(max(lower, stats.ttest_1samp(apart, 0.08, alternative="less").pvalue), abs=1e-9)


def test_what_is_worse_is_neither_equal_nor_not_worse() -> None:
    a, b = results(0.25)
    rows = assay.compare(a, b, margin={"rouge1": 5, "ter": 5.0})
    for name in ("rouge1", "ter"):
        assert rows[name].p_equal is not None
        assert (rows[name].p_equal or 0) > 0.5, name
        assert (rows[name].p_not_worse or 0) > 0.5, name
    back = assay.compare(b, a, margin={"rouge1": 5, "ter": 5.0})
    for name in ("rouge1", "ter"):
        assert (back[name].p_not_worse or 1) < 0.05, name
        assert (back[name].p_equal or 0) > 0.5, name


def test_the_verdict_agrees_with_the_interval_that_is_shown() -> None:
    apart = assay.compare(*results(0.3), margin={"rouge1": 5})
    assert "not equivalent: the 95 % CI excludes differences within ±5.0" in conclusion([apart])
    a, b = results(0.0, 24)
    close = assay.compare(a, b, margin={"rouge1": 17})
    row = close["rouge1"]
    assert row.low is not None
    assert row.high is not None
    assert -0.17 < row.low < row.high < 0.17
    assert "17.0 or more cannot be excluded (rare large ones may be absent from the items)" in conclusion([close])
    wide = assay.compare(a, b, margin={"rouge1": 1})
    assert conclusion([wide]).endswith("a difference of 1.0 or more cannot be excluded.")


def test_chances_are_those_of_a_students_t_posterior() -> None:
    a, b = results(0.02)
    row = assay.compare(a, b, margin={"rouge1": 3}, bayes=True)["rouge1"]
    assert row.chances is not None
    assert sum(row.chances) == pytest.approx(1)
    apart = (b.per_example["rouge1"] - a.per_example["rouge1"]).to_numpy()
    belief = stats.t(len(apart) - 1, apart.mean(), apart.std(ddof=1) / np.sqrt(len(apart)))
    expected = (belief.cdf(-0.03), belief.cdf(0.03) - belief.cdf(-0.03), belief.sf(0.03))
    assert row.chances == pytest.approx(expected, abs=0.02)
    turned = assay.compare(a, b, bayes=True)["ter"].chances
    assert turned is not None
    assert turned[0] == pytest.approx(row.chances[0] + row.chances[1] / 2, abs=0.5)


def test_chances_are_as_sure_as_the_items_allow() -> None:
    """Of 12 normal differences around 0, one side exceeds 97.5 % in one of twenty cases; without widening in 12 %."""
    a, b = results(0.0, 12)
    (measurement,) = (each for each in b.measurements if each.metric.name == "rouge")
    chance, sure = np.random.default_rng(1), 0
    place = [part.name for part in measurement.metric.parts()].index("rouge1")
    for _ in range(400):
        assert isinstance(measurement.rows, Dense)
        values = measurement.rows.values.copy()
        values[:, place] = a.per_example["rouge1"].to_numpy() + chance.normal(size=12)
        rows = replace(measurement.rows, values=values)
        chances = posterior(a, replace(b, measurements=(replace(measurement, rows=rows),)), "rouge1", "higher", None, 0)
        assert chances is not None
        sure += max(chances) > 0.975
    assert sure <= 0.08 * 400


def test_items_that_give_no_interval_give_no_chances() -> None:
    few = results(0.3, 5)
    texts = ["the cat sat"] * 30
    one = assay.score_all({"a": texts, "b": ["a dog ran", *texts[1:]]}, texts, metrics="rouge1")
    for a, b in (few, (one["a"], one["b"])):
        row = assay.compare(a, b, bayes=True)["rouge1"]
        assert row.chances is None
        assert row.why is not None


def test_margins_that_make_no_sense() -> None:
    a, b = results(0.0, 12)
    for margin, why in (
        ({"rouge1": 0.0}, "0 is not a number above 0"),
        ({"rouge1": float("nan")}, "not a number above 0"),
        ({"rouge1": 20}, r"20 is a fifth or more of its range in tables \(100\)"),
        ({"ter": 20}, "a fifth or more"),
        ({"bleu": 1.0}, "this metric is not compared"),
        ({"ter": -1.0}, "above 0"),
    ):
        with pytest.raises(AssayError, match=why):
            assay.compare(a, b, margin=margin)


@pytest.mark.parametrize(("items", "skewed"), [(30, False), (20, True), (30, True), (50, True)])
def test_margins_are_tested_at_their_level(items: int, skewed: bool) -> None:
    """A true difference equal to the margin is called smaller in one of twenty cases, also for skewed differences."""
    chance, draws, found = np.random.default_rng(items), 1500, 0
    weights = [draws.weights for draws in bootstrap(items, 299, 0)]
    drawn = chance.exponential(size=(draws, items)) if skewed else chance.normal(1.0, size=(draws, items))
    for pivot in studentized(drawn.T, weights):
        assert pivot is not None
        found += max(pivot.p_at_most(-1.0), pivot.p_at_least(1.0)) < 0.05
    assert found <= (0.06 + 2 * np.sqrt(0.06 * 0.94 / draws)) * draws


def test_intervals_of_differences_stay_within_the_range_of_the_metric() -> None:
    """One document has most items: a difference of 165 points would be in its interval, and there is none."""
    draw = np.random.default_rng(0)
    examples: list[dict[str, object]] = []
    texts: list[dict[str, str]] = [{}, {}, {}]
    for document, size in enumerate((90, 20, 5, 2, 1, 1, 1, 1, 1, 1, 1, 1)):
        kept = draw.integers(1, 10, 3)
        for _ in range(size):
            words = [f"w{i}" for i in draw.integers(1000, size=10)]
            id = str(len(examples))
            examples.append({"id": id, "references": [" ".join(words)], "tags": {"document": str(document)}})
            for own, number in zip(texts, kept, strict=True):
                own[id] = " ".join(words[:number])
    results = list(assay.score_all(dict(zip("abc", texts, strict=True)), examples=examples, metrics="rouge1").values())
    rows = [each["rouge1"] for each in assay.compare_all(results[0], results[1:])]
    pairs = assay.compare_pairs(results).by_name["rouge1"].pairs
    ends = [(row.low or 0, row.high or 0) for row in rows]
    for low, high in (*ends, *((pair.low or 0, pair.high or 0) for pair in pairs)):
        assert -1 <= low < high <= 1
    assert any(abs(end) == 1 for pair in ends for end in pair)
