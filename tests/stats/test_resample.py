"""Draws: the same seed gives the same draws, in blocks or at once; their spread is the spread of new samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.stats import resample
from assay.stats.interval import too_alike
from assay.stats.resample import (
    Resamples,
    all_items,
    bootstrap,
    permutation_blocks,
    selected_items,
    subsample_scale,
    subsamples,
)


def halves(n: int, samples: int, seed: int, clusters: NDArray[np.int64] | None = None) -> Iterator[Resamples]:
    return subsamples(n, samples, seed, 1 / 2, clusters)


def permutations(
    n: int, samples: int, seed: int, clusters: NDArray[np.int64] | None = None
) -> Iterator[tuple[Resamples, Resamples]]:
    units = n if clusters is None else int(clusters.max()) + 1
    return (block.resamples(n, clusters) for block in permutation_blocks(units, samples, seed))


def test_whole_and_chosen() -> None:
    assert all_items(3).weights.tolist() == [[1, 1, 1]]
    assert selected_items(np.array([2, 2, 0]), 3).weights.tolist() == [[1, 0, 2]]


@pytest.mark.parametrize("kind", [bootstrap, halves])
def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch, kind: type) -> None:
    def draw() -> list[list[int]]:
        return [row for resamples in kind(7, 50, 3) for row in resamples.indices.tolist()]

    at_once = draw()
    monkeypatch.setattr(resample, "BLOCK_CELLS", 20)
    assert draw() == at_once
    assert len(at_once) == 50


def test_bootstrap_is_numpys_own_draw() -> None:
    """So that anybody can repeat it, and so that sacrebleu's resamples are ours."""
    expected = np.random.default_rng(12345).choice(11, size=(20, 11), replace=True)
    drawn = np.concatenate([resamples.indices for resamples in bootstrap(11, 20, 12345)])
    assert (drawn == expected).all()


def test_weights_add_up() -> None:
    for resamples in bootstrap(9, 30, 1):
        assert (resamples.weights.sum(axis=1) == 9).all()


@pytest.mark.parametrize("cells", [5, 60_000])
def test_weights_count_how_often_an_item_was_drawn(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    monkeypatch.setattr(resample, "CACHED_CELLS", cells)
    drawn = np.array([[0, 2, 2, -1], [-1, -1, -1, -1], [1, 0, 1, 1]])
    assert Resamples(drawn, 3).weights.tolist() == [[1, 0, 2], [0, 0, 0], [1, 3, 0]]
    assert Resamples(drawn[::2, :3], 3).weights.tolist() == [[1, 0, 2], [1, 2, 0]]


@pytest.mark.parametrize("alone", [100, 200_000])
def test_sums_are_the_product_with_the_weights(monkeypatch: pytest.MonkeyPatch, alone: int) -> None:
    monkeypatch.setattr(resample, "ALONE", alone)
    values = np.random.default_rng(0).integers(0, 1000, size=(31, 3)).astype(np.float64)
    (resamples,) = bootstrap(31, 150, 4)
    assert (resamples.sums(values) == resamples.weights @ values).all()
    assert resamples.sums(values[:, :0]).shape == (150, 0)


@pytest.mark.parametrize("scale", [1.0, 0.1, 2.0**16])
def test_single_precision_is_used_only_where_it_is_exact(scale: float) -> None:
    values: NDArray[np.float64] = np.multiply(np.random.default_rng(0).integers(-1000, 1000, size=(31, 3)), scale)
    (resamples,) = bootstrap(31, 300, 4)
    assert resamples.exact(values) == (scale == 1.0)
    assert resamples.sums(values) == pytest.approx(resamples.weights @ values, rel=1e-14, abs=1e-9)
    if scale != 0.1:  # whole numbers have no rounding
        assert (resamples.sums(values) == resamples.weights @ values).all()


def test_draws_know_whether_they_keep_the_order() -> None:
    assert all(resamples.is_sorted for resamples in halves(9, 30, 1))
    assert all_items(3).is_sorted
    for drawn in ([1, 0], [1, 1], [0, -1], [-1, 1]):
        assert not Resamples(np.array([[0, 1], drawn]), 3).is_sorted


def test_of_equal_keys_the_first_are_taken() -> None:
    keys = np.array([[0.5, 0.1, 0.5, 0.5], [0.3, 0.3, 0.3, 0.3], [0.4, 0.3, 0.2, 0.1]])
    assert resample._smallest(keys, 2).tolist() == [[0, 1], [0, 1], [2, 3]]
    assert resample._smallest(keys, 0).shape == (3, 0)


def test_halves_take_half_in_order_without_repetition() -> None:
    for resamples in halves(9, 30, 1):
        assert resamples.indices.shape == (30, 4)
        assert (np.diff(resamples.indices, axis=1) > 0).all()
    assert subsample_scale(10, 1 / 2) == 1
    assert subsample_scale(9, 1 / 2) == pytest.approx(np.sqrt(4 / 5))


@pytest.mark.parametrize("n", [50, 51])
@pytest.mark.parametrize("share", [1 / 2, 2 / 3])
def test_subsamples_have_the_variance_of_the_mean(n: int, share: float) -> None:
    values = np.random.default_rng(0).normal(size=n)
    means = np.concatenate([d.weights @ values / d.weights.sum(axis=1) for d in subsamples(n, 20_000, 5, share)])
    assert means.std() * subsample_scale(n, share) == pytest.approx(values.std() / np.sqrt(n), rel=0.03)


@pytest.mark.parametrize("units", [5, 40])
def test_swapped_sums_are_those_of_the_rows_that_change_sides(units: int) -> None:
    values = np.random.default_rng(0).normal(size=(units, 3))
    for block in permutation_blocks(units, 300, 2):
        assert block.moved(values) == pytest.approx(block.block @ values)
        assert block.moved(np.rint(values * 9)) == pytest.approx(block.block @ np.rint(values * 9), abs=0)


def test_swaps_exchange_items() -> None:
    for first, second in permutations(5, 40, 2):
        both = first.weights + second.weights
        assert (both == 1).all()
        assert ((first.indices % 5) == np.arange(5)).all()
        assert ((second.indices % 5) == np.arange(5)).all()


CLUSTERS = np.array([0, 1, 1, 2, 0, 2, 2])


def test_clusters_are_drawn_together() -> None:
    for resamples in bootstrap(7, 50, 3, CLUSTERS):
        for code in range(3):
            members = resamples.weights[:, code == CLUSTERS]
            assert (members == members[:, :1]).all()
        assert ((resamples.indices >= 0).sum(axis=1) == resamples.weights.sum(axis=1)).all()
    for resamples in halves(7, 50, 3, CLUSTERS):
        assert set(resamples.weights.sum(axis=1)) <= {2.0, 3.0}
    for first, second in permutations(7, 50, 3, CLUSTERS):
        swapped = first.weights[:, 7:]
        assert len(swapped) == 8  # all swaps of three clusters
        assert (swapped[:, 1] == swapped[:, 2]).all()
        assert (first.weights + second.weights == 1).all()


def test_items_of_their_own_cluster_are_items() -> None:
    plain = np.concatenate([resamples.indices for resamples in bootstrap(7, 50, 3)])
    alone = np.concatenate([resamples.indices for resamples in bootstrap(7, 50, 3, np.arange(7))])
    assert (plain == alone).all()


def test_equal_columns_are_moved_once_and_to_the_same_sums() -> None:
    values = np.random.default_rng(0).integers(-9, 9, (40, 3)).astype(float)
    repeated = np.column_stack([values, values[:, 0], np.zeros(40), values[:, 2], values[:, 1] / 3])
    for permutations in resample.permutation_blocks(40, 600, 1):
        assert permutations.moved(repeated) == pytest.approx(permutations.block @ repeated, abs=1e-12)
        assert (permutations.moved(repeated)[:, 0] == permutations.moved(repeated)[:, 3]).all()


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(7), 3)])
def test_a_half_and_the_other_half_are_all_items(clusters: np.ndarray | None) -> None:
    one, other = ([*resample.halves(21, 50, 3, side, clusters)] for side in (False, True))
    for first, second in zip(one, other, strict=True):
        assert (first.weights + second.weights == 1).all()
        assert (np.diff(first.indices, axis=1)[first.indices[:, 1:] >= 0] > 0).all()
        sizes = first.weights.sum(axis=1) if clusters is None else first.weights[:, ::3].sum(axis=1)
        assert set(sizes.tolist()) == {10 if clusters is None else 3}


def test_shares_of_rare_cases_take_more_items() -> None:
    """Eight of twenty is what an interval was printed for, and it was luck to see so many."""
    rare = np.array([1.0] * 8 + [0.0] * 12)
    assert too_alike(rare) == "no interval: 12 of 20 values are identical, at least 50 items are needed for rare cases"
    assert too_alike(np.append(rare, np.zeros(30))) is None
    assert too_alike(np.append(np.arange(1.0, 9.0), np.zeros(12))) is None  # the rest has as many values as items
    assert "only 7 of 20 values differ" in (too_alike(np.append(np.arange(1.0, 8.0), np.zeros(13))) or "")


def test_whole_numbers_are_moved_once_and_exactly() -> None:
    draw = np.random.default_rng(4)
    a, b = (draw.integers(0, 900, (50, 6)).astype(float) for _ in range(2))
    for permutations in permutation_blocks(50, 600, 1):
        assert (permutations.moved_between(a, b) == permutations.moved(b - a)).all()
        assert (permutations.moved_between(a / 3, b / 3) == permutations.moved(b / 3 - a / 3)).all()
