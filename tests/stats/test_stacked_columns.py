"""Many systems on many units at once: the same sums and pivots as pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.results import permutation, pivots
from assay.stats import stacked_columns
from assay.stats.pair_pivots import studentized_pairs
from assay.stats.pivot import studentized
from assay.stats.resample import bootstrap, permutation_blocks
from assay.stats.stacked_columns import StackedColumns, wide_blocks


@settings(deadline=None, max_examples=30)
@given(st.integers(13, 200), st.integers(1, 40), st.integers(0, 5))
def test_counts_are_moved_exactly_and_shares_closely(units: int, samples: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    counts = random.integers(0, 300, (units, 3)).astype(float)
    tables = [counts, np.column_stack([counts[:, 1], random.random(units)]), random.random((units, 2)) * 1e6]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stacked_columns, "CHUNK", 7)
        for permutations in wide_blocks(permutation_blocks(units, samples, seed)):
            found = StackedColumns(tables).sums(permutations.block)
            exact = [permutations.block.astype(np.float64) @ table for table in tables]
            assert np.array_equal(found[0], exact[0])
            assert np.array_equal(found[1][:, 0], exact[1][:, 0])
            for mine, theirs in zip(found[1:], exact[1:], strict=True):
                assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-12)


def test_the_same_swaps_in_larger_blocks() -> None:
    one = np.concatenate([permutations.block for permutations in permutation_blocks(60_001, 150, 3)])
    wide = list(wide_blocks(permutation_blocks(60_001, 150, 3)))
    assert np.array_equal(np.concatenate([permutations.block for permutations in wide]), one)
    assert len(wide) == 1


def test_pivots_of_pairs() -> None:
    random = np.random.default_rng(1)
    columns = [random.random(500) * (k + 1) for k in range(3)] + [np.full(500, 0.5)]
    pairs = [(0, 1), (2, 0), (3, 3), (1, 2)]
    blocks = list(bootstrap(500, 90, 0))
    expected = studentized(
        np.column_stack([columns[j] - columns[i] for i, j in pairs]), (each.weights for each in blocks)
    )
    found = studentized_pairs(columns, pairs, blocks)
    for mine, theirs in zip(found, expected, strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            assert mine.interval(0.95) == pytest.approx(theirs.interval(0.95), rel=1e-9)


def test_a_comparison_of_many_items_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    words = ["the", "cat", "sat", "on", "a", "mat", "dog"]
    references = [" ".join(random.choice(words, 6)) for _ in range(40)]

    def changed(text: str, rate: float) -> str:
        return " ".join(np.where(random.random(6) < rate, random.choice(words, 6), text.split()))

    rates = {"x": 0.1, "y": 0.2, "z": 0.5}
    systems = {name: [changed(text, rate) for text in references] for name, rate in rates.items()}
    first, *others = assay.score_all(systems, references, metrics="bleu,rouge,chrf").values()
    expected = assay.compare_all(first, others, samples=300)
    monkeypatch.setattr(permutation, "MANY_UNITS", 13)
    monkeypatch.setattr(pivots, "MANY_UNITS", 13)
    found = assay.compare_all(first, others, samples=300)
    for mine, theirs in zip(found, expected, strict=True):
        for name in theirs:
            a, b = mine[name], theirs[name]
            assert (a.p, a.p_adjusted, a.difference) == (b.p, b.p_adjusted, b.difference)
            assert (a.low, a.high) == pytest.approx((b.low, b.high), rel=1e-9)
