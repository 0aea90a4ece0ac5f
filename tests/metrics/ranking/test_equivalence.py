"""Equivalence-class accuracy: shares, their macro mean, intervals, and against chance."""

from __future__ import annotations

import numpy as np
import pytest

from assay.execution.loading import load_items
from assay.execution.request import choose
from assay.execution.scoring import score_items
from assay.metrics.ranking.equivalence import confusion
from assay.records import Example, write_scored
from assay.results.choice_accuracy import accuracies, binomial_p
from assay.stats.interval import wilson_interval


@pytest.mark.parametrize(
    ("correct", "n", "low", "high"),
    [(38, 87, 33.7, 54.1), (40, 87, 35.9, 56.4), (71, 87, 72.2, 88.4), (45, 90, 39.9, 60.1)],
)
def test_wilson(correct: int, n: int, low: float, high: float) -> None:
    assert [round(100 * value, 1) for value in wilson_interval(correct, n)] == [low, high]


def test_coin() -> None:
    assert binomial_p(38, 87) == pytest.approx(0.28, abs=0.005)
    assert binomial_p(40, 87) == pytest.approx(0.52, abs=0.005)
    assert binomial_p(45, 90) == 1.0


def test_tallies_know_whole_targets() -> None:
    given = {"kind": "choice", "prefix": "", "positive": "a", "negative": "b"}
    pairs = [
        (Example(id=str(i), input=given, tags={"evaluation": "e", "target": str(i // 5)}),
         write_scored(["a", "b"], [float(i // 5 % 2), 0.5]))
        for i in range(60)
    ]  # fmt: skip
    tally = accuracies(pairs)["e"]
    assert (tally.n, tally.correct) == (60, 30)
    assert tally.clusters == 12
    assert tally.cluster_low is not None
    assert 0 <= tally.cluster_low < tally.low
    assert tally.interval == (tally.cluster_low, tally.cluster_high)
    one = accuracies(pairs[5:10])["e"]
    assert (one.correct, one.interval) == (5, (None, None))
    assert one.reported_p == 1.0  # one target, however many instances it has
    assert accuracies(pairs[:20])["e"].reported_p == 1.0


def test_instances_of_one_document_are_no_evidence_of_their_own() -> None:
    """Ten documents of twelve equal instances: as if they were independent, 42 of 100 nulls were called significant."""
    given = {"kind": "choice", "prefix": "", "positive": "a", "negative": "b"}
    random, false = np.random.default_rng(0), np.zeros(2)
    for _ in range(100):
        marks = random.random(10) < 0.5
        pairs = [
            (Example(id=f"{d}/{i}", input=given, parent=str(d)), write_scored(["a", "b"], [float(marks[d]), 0.5]))
            for d in range(10)
            for i in range(12)
        ]
        tally = accuracies(pairs)["all"]
        false += tally.p < 0.05, tally.reported_p < 0.05
    assert false[0] > 40
    assert false[1] <= 8


def instance(number: int, evaluation: str, margin: float) -> tuple[Example, str]:
    given = {"kind": "choice", "prefix": "", "positive": "a", "negative": "b", "positive_class": 0, "negative_class": 1}
    example = Example(id=str(number), input=given, tags={"evaluation": evaluation})
    return example, write_scored(["a", "b"], [margin, 0.0])


def test_macro_is_the_unweighted_mean_and_a_tie_is_wrong() -> None:
    pairs = [instance(i, "act", 1.0) for i in range(3)] + [instance(3, "motive", 0.0), instance(4, "other", 1.0)]
    items = load_items({example.id: text for example, text in pairs}, examples=[example for example, _ in pairs])
    result = score_items(items, choose("eq_accuracy", None))
    assert result.values == {"eq_accuracy": 0.8, "eq_accuracy.macro": 0.5}
    alone = result.subset("evaluation=other").scores["eq_accuracy.macro"]
    assert alone.value is None
    assert "main evaluation" in str(alone.why)
    assert confusion(pairs, "motive") == {(0, 1): (1, 1)}
