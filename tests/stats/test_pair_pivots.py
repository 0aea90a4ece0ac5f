"""Pivots of many pairs on very many units: those of each pair alone, to the last bit by however many threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.stats import pair_pivots, threads
from assay.stats.pair_pivots import studentized_pairs
from assay.stats.pivot import Pivot, studentized
from assay.stats.resample import Resamples, bootstrap

Columns = list[NDArray[np.float64]]
UNITS = 25_000


def _close(random: np.random.Generator) -> Columns:
    """Systems that agree on most units: many equal differences, which are all rounded alike."""
    shared = random.random(UNITS)
    return [np.where(random.random(UNITS) < rate, random.random(UNITS), shared) for rate in (0.02, 0.1, 0.4)]


def _far_out(random: np.random.Generator) -> Columns:
    """A few units count for more than all others."""
    return [random.lognormal(0, 2, UNITS) for _ in range(3)]


def _of_all_sizes(random: np.random.Generator) -> Columns:
    return [random.random(UNITS), 1e9 * random.random(UNITS), 1e-9 * random.random(UNITS)]


def _away_from_zero(random: np.random.Generator) -> Columns:
    return [random.random(UNITS) + 1000.0 * k for k in range(3)]


def _found(columns: Columns, pairs: Sequence[tuple[int, int]], samples: int) -> list[Pivot]:
    found = [each for each in studentized_pairs(columns, pairs, bootstrap(UNITS, samples, 4)) if each]
    assert len(found) == len(pairs)
    return found


@pytest.mark.parametrize("made", [_close, _far_out, _of_all_sizes, _away_from_zero])
def test_intervals_are_those_of_each_pair_alone(made: Callable[[np.random.Generator], Columns]) -> None:
    columns, pairs = made(np.random.default_rng(2)), [(0, 1), (2, 0), (1, 2)]
    gaps = np.column_stack([columns[j] - columns[i] for i, j in pairs])
    expected = studentized(gaps, (resamples.weights for resamples in bootstrap(UNITS, 200, 4)))
    for mine, theirs in zip(_found(columns, pairs, 200), expected, strict=True):
        assert theirs is not None
        assert (mine.estimate, mine.error) == pytest.approx((theirs.estimate, theirs.error), rel=1e-12)
        assert mine.interval() == pytest.approx(theirs.interval(), rel=1e-12)


def test_neither_threads_nor_other_pairs_nor_blocks_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = _far_out(np.random.default_rng(3)) + _close(np.random.default_rng(3))
    pairs = [(i, j) for i in range(6) for j in range(i)]
    monkeypatch.setattr(pair_pivots, "ROWS", 64)
    monkeypatch.setattr(threads, "threads", lambda: 1)
    one = _found(columns, pairs, 300)
    monkeypatch.setattr(threads, "threads", lambda: 3)
    three = _found(columns, pairs, 300)
    monkeypatch.setattr(pair_pivots, "ROWS", 1024)
    alone = _found(columns, pairs[-1:], 300)
    assert all(np.array_equal(a.deviations, b.deviations) for a, b in zip(one, three, strict=True))
    assert np.array_equal(alone[0].deviations, one[-1].deviations)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(-1000, 1000), min_size=3, max_size=40), st.integers(0, 5))
def test_any_few_units(values: list[int], seed: int) -> None:
    """What varies enough to have a pivot has the one that its differences alone give; what does not has none."""
    column = np.array(values, dtype=np.float64) / 7
    other = np.random.default_rng(seed).permutation(column)
    expected = studentized(
        (other - column)[:, None], (resamples.weights for resamples in bootstrap(len(values), 60, seed))
    )[0]
    found = studentized_pairs([column, other], [(0, 1)], bootstrap(len(values), 60, seed))[0]
    assert (found is None) == (expected is None)
    if found and expected:
        usual = np.isfinite(expected.deviations) & (
            np.abs(expected.deviations) < 1e3
        )  # beyond, a resample hardly varies
        assert found.deviations[usual] == pytest.approx(expected.deviations[usual], rel=1e-9, abs=1e-9)


def test_equal_columns_share_their_pivots() -> None:
    columns = _close(np.random.default_rng(5))
    first, again = _found([*columns, columns[0].copy()], [(0, 1), (3, 1)], 50)
    assert first is again


def test_a_column_with_a_value_that_is_no_number_has_none() -> None:
    columns = _close(np.random.default_rng(5))
    columns[1] = np.where(np.arange(UNITS) == 7, np.nan, columns[1])
    found = studentized_pairs(columns, [(0, 1), (0, 2), (2, 2)], bootstrap(UNITS, 50, 0))
    assert [each is None for each in found] == [True, False, True]


def test_a_unit_that_is_drawn_more_often_than_a_byte_holds() -> None:
    indices = np.zeros((2, 700), dtype=np.intp)
    indices[1] = np.arange(700)
    resamples = Resamples(indices, 700)
    assert np.array_equal(resamples.small_weights, resamples.weights)
    assert resamples.small_weights[0, 0] == 700
    assert Resamples(indices[1:], 700).small_weights.dtype == np.uint8


def test_large_numbers_that_hardly_vary() -> None:
    """Their differences are exact, and so small that the rounding of a system's mean would show."""
    random = np.random.default_rng(6)
    columns = [1e6 + 1e-6 * random.standard_normal(UNITS) for _ in range(2)]
    expected = studentized((columns[1] - columns[0])[:, None], (d.weights for d in bootstrap(UNITS, 100, 4)))[0]
    assert expected is not None
    assert _found(columns, [(0, 1)], 100)[0].deviations == pytest.approx(expected.deviations, rel=1e-9, abs=1e-9)
