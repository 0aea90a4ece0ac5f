"""Ranking measures: published vectors, ties, and what chance gives in closed form."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.execution.loading import load_items
from assay.execution.request import choose
from assay.execution.scoring import score_items
from assay.records import Example, write_scored
from assay.stats.retrieval import (
    chance_average_precision,
    chance_reciprocal_rank,
    gold_ranks,
    measures,
    tied_average_precision,
)

VECTORS = [
    ((1, 2, 3), (1, 1, 1, 0.3, 1, 0.5)),
    ((1, 2, 4), (0.916667, 1, 1, 0.3, 0.967468, 0.428571)),
    ((1, 5, 10), (0.566667, 1, 1, 0.3, 0.786472, 0.1875)),
    ((3, 11, 24), (0.213384, 0.333333, 0.333333, 0.1, 0.234639, 0.078947)),
    ((22, 23, 24), (0.085804, 0, 0.045455, 0, 0, 0.043478)),
    ((10,), (0.1, 1, 0.1, 0.1, 0.289065, 0.1)),
    ((11,), (0.090909, 0, 0.090909, 0, 0, 0.090909)),
]


@pytest.mark.parametrize(("ranks", "expected"), VECTORS)
def test_measures_of_a_ranking(ranks: tuple[int, ...], expected: tuple[float, ...]) -> None:
    assert list(measures(ranks).values()) == pytest.approx(list(expected), abs=1e-6)


def test_ties() -> None:
    scores, labels = [1, 0, 2, 1, 0], [0, 0, 0, 1, 1]
    assert gold_ranks(scores, labels) == [3, 5]
    assert measures(gold_ranks(scores, labels))["map"] == pytest.approx(0.366667, abs=1e-6)
    assert tied_average_precision(scores, labels) == pytest.approx(0.433333, abs=1e-6)


@given(st.integers(1, 6), st.integers(0, 2))
def test_the_closed_form_of_chance_is_the_mean_over_all_orders(gold: int, more: int) -> None:
    size = min(7, gold + more)
    orders = set(permutations([1] * gold + [0] * (size - gold)))
    found = [measures([i for i, label in enumerate(order, 1) if label]) for order in orders]
    assert chance_average_precision(gold, size) == pytest.approx(np.mean([one["map"] for one in found]))
    assert chance_reciprocal_rank(gold, size) == pytest.approx(np.mean([one["mrr"] for one in found]))
    assert tied_average_precision([0.0] * size, [1] * gold + [0] * (size - gold)) == pytest.approx(
        chance_average_precision(gold, size)
    )


@pytest.mark.parametrize(
    ("gold", "ap", "rr"),
    [(1, 0.157332, 0.157332), (2, 0.193969, 0.241388), (3, 0.230607, 0.310358), (6, 0.340520, 0.471355)],
)
def test_chance_of_24(gold: int, ap: float, rr: float) -> None:
    assert chance_average_precision(gold, 24) == pytest.approx(ap, abs=1e-6)
    assert chance_reciprocal_rank(gold, 24) == pytest.approx(rr, abs=1e-6)


def test_the_metric_reads_what_rank_writes() -> None:
    given = {"kind": "entities", "candidates": ["a", "b", "c"], "labels": [0, 1, 0]}
    example = Example(id="x", input=given)
    result = score_items(load_items({"x": write_scored(["a", "b", "c"], [0.1, 0.1, 0.1])}, examples=[example]),
                         choose("ranking", None))  # fmt: skip
    assert result.values["map"] == 0.5
    assert result.values["map.ties"] == pytest.approx(result.values["map.chance"])
    assert any("tied" in note for note in result.notes)
    failed = score_items(load_items({"x": "0.5\ta"}, examples=[example]), choose("ranking", None)).failed
    assert "id x: scores do not match the candidates" in failed[0].why
