"""Folds on disk are bit-identical to folds in memory (sums over types in a resample: up to rounding), for any limits of
memory."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics import Metric
from assay.metrics.diversity.msttr import Msttr
from assay.metrics.diversity.ngrams import Ngrams
from assay.metrics.engine import bags, merged_types, spill
from assay.metrics.engine.bags import bag_sums, fold_bag, ngram_bags
from assay.metrics.engine.row_collectors import DiskRowCollector
from assay.metrics.engine.spilled_bags import Bag
from assay.metrics.engine.statistics import Dense, Tokens, concat
from assay.metrics.lexical.cider import Cider
from assay.metrics.lexical.nist import Nist
from assay.stats.resample import Resamples, all_items, selected_items
from assay.text.tokenize import is_word
from tests import support


@contextmanager
def limits(large: int, block: int, hand: int) -> Iterator[None]:
    """Set the limits: tokens of a large set, tokens per block, n-grams per partition."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "LARGE", large)
        patch.setattr(spill, "BLOCK", block)
        patch.setattr(merged_types, "PARTITION", hand)
        yield


BUDGETS = st.tuples(st.just(-1), st.integers(1, 40), st.integers(1, 30))
WORDS = st.sampled_from("abcdefg.,")
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
ROWS = st.lists(st.lists(st.integers(0, 5), max_size=7), min_size=1, max_size=30)


def tokens(rows: list[list[int]], times: int = 1) -> Tokens:
    """Return rows of words, repeated several times, so that some words occur more often than a byte can count."""
    rows = rows * times
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Tokens(np.array([word for row in rows for word in row], dtype=np.int32), starts, tuple("abcde."))


@settings(deadline=None, max_examples=60)
@given(ROWS, st.sampled_from((1, 1, 90, 260)), st.integers(1, 3), BUDGETS)
def test_bags(rows: list[list[int]], times: int, orders: int, budget: tuple[int, int, int]) -> None:
    in_memory = [fold_bag(bag, all_items(len(rows) * times)) for bag in ngram_bags(tokens(rows, times), orders)]
    large, block, hand = budget
    with limits(large, block * times, hand * times):
        on_disk = bag_sums(tokens(rows, times), orders, all_items(len(rows) * times))
    assert [each.tobytes() for each in on_disk] == [each.tobytes() for each in in_memory]


def test_words_that_always_occur_together_count_as_one_kind() -> None:
    """In memory they are one kind with a multiplicity, whose product is rounded once."""
    random = np.random.default_rng(0)
    rows = []
    for _ in range(3000):
        row = random.integers(2, 6, random.integers(0, 9)).tolist()
        rows.append([word for each in row for word in ([0, 1] if each == 2 else [each])])
    expected = [fold_bag(bag, all_items(len(rows))) for bag in ngram_bags(tokens(rows), 3)]
    with limits(-1, 700, 300):
        actual = bag_sums(tokens(rows), 3, all_items(len(rows)))
    assert [each.tobytes() for each in actual] == [each.tobytes() for each in expected]


@pytest.mark.parametrize(
    "metric", [Nist(), Nist(counting="gem"), Nist(order=2), Cider(), Cider(clip=False, sigma=0.0)], ids=repr
)
@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=25), BUDGETS)
def test_weights_of_the_set(
    metric: Nist | Cider, pairs: list[tuple[str, list[str]]], budget: tuple[int, int, int]
) -> None:
    items = support.items([output for output, _ in pairs], [references for _, references in pairs])
    in_memory = metric.weigh(metric.statistics(items))
    with limits(*budget):
        on_disk = metric.weigh(metric.statistics(items))
    assert np.ascontiguousarray(on_disk).tobytes() == in_memory.tobytes()


@pytest.mark.parametrize("metric", [Msttr(segment=3), Msttr(segment=50), Ngrams()], ids=repr)
@settings(deadline=None, max_examples=40)
@given(ROWS, BUDGETS)
def test_values_of_all_and_of_some(metric: Metric, rows: list[list[int]], budget: tuple[int, int, int]) -> None:
    some = selected_items(np.arange(0, len(rows), 2), len(rows))
    expected = [metric.fold(tokens(rows), resamples) for resamples in (all_items(len(rows)), some)]
    with limits(*budget):
        actual = [metric.fold(tokens(rows), resamples) for resamples in (all_items(len(rows)), some)]
    assert {name: value.tobytes() for name, value in actual[0].items()} == {
        name: value.tobytes() for name, value in expected[0].items()
    }
    for name, value in expected[1].items():  # entropies of resamples are summed in another order
        assert actual[1][name] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


@settings(deadline=None, max_examples=60)
@given(ROWS, st.sampled_from((1, 1, 90)), st.integers(1, 3), BUDGETS, st.integers(0, 5))
def test_bags_in_resamples(
    rows: list[list[int]], times: int, orders: int, budget: tuple[int, int, int], seed: int
) -> None:
    """Subsets, and items drawn repeatedly, up to more often than a byte can count."""
    n, random = len(rows) * times, np.random.default_rng(seed)
    some = np.sort(random.permutation(n)[: max(1, n // 2)])
    for indices in (some[None], random.integers(0, n, (70, n)), np.zeros((2, 300), dtype=np.intp)):
        resamples = Resamples(indices, n)
        expected = [fold_bag(bag, resamples) for bag in ngram_bags(tokens(rows, times), orders)]
        large, block, hand = budget
        with limits(large, block * times, hand * times):
            actual = bag_sums(tokens(rows, times), orders, resamples)
        for mine, theirs in zip(actual, expected, strict=True):
            assert np.array_equal(mine[:, :3], theirs[:, :3])  # counts
            assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(ROWS, BUDGETS)
def test_tokens_that_are_kept(rows: list[list[int]], budget: tuple[int, int, int]) -> None:
    expected = tokens(rows).keep(is_word)
    with limits(*budget):
        actual = tokens(rows).keep(is_word)
    assert actual.ids.tolist() == expected.ids.tolist()
    assert actual.starts.tolist() == expected.starts.tolist()


@settings(deadline=None, max_examples=40)
@given(st.lists(ROWS, min_size=1, max_size=4))
def test_concatenated_shards(shards: list[list[list[int]]]) -> None:
    kept = [tokens(rows).keep(lambda word: word in "ab") for rows in shards]
    own = [Tokens(each.ids, each.starts, tuple("ab.cde")) if i % 2 else each for i, each in enumerate(kept)]
    dense = [Dense(("x", "y"), np.arange(2.0 * len(rows)).reshape(-1, 2)) for rows in shards]
    for parts in (own, dense):
        growing = DiskRowCollector()
        for part in parts:
            growing.add(part)
        actual, expected = growing.rows().to_arrays(), concat(parts).to_arrays()
        assert {name: array.tobytes() for name, array in actual.items()} == {
            name: array.tobytes() for name, array in expected.items()
        }


def test_memory_is_released() -> None:
    values = spill.mapped_zeros(1000, 3)
    values[:] = 7.0
    spill.release_pages(values)
    spill.release_pages(np.zeros(3))  # no effect on an array in memory
    assert (values == 7.0).all()


def test_threads_can_read_concurrently() -> None:
    numbers = spill.Spill(np.int64)
    for first in range(0, 200_000, 1000):
        numbers.append(np.arange(first, first + 1000))

    def read(first: int) -> bool:
        return np.array_equal(numbers.get(first, 3000), np.arange(first, first + 3000))

    with often_switched(), ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, [(k * 7919) % 190_000 for k in range(600)]))


def test_metrics_on_several_threads_fold_a_bag_once() -> None:
    random = np.random.default_rng(0)
    rows = tokens(random.integers(0, 6, (400, 12)).tolist())
    resamples, folded = Resamples(random.integers(0, 400, (64, 400)), 400), list[Bag]()
    with limits(-1, 500, 200), pytest.MonkeyPatch.context() as patch, often_switched(), ThreadPoolExecutor(4) as pool:
        fold = bags._folded

        def watched(bag: Bag, laid: bags.Lanes) -> Any:
            folded.append(bag)
            return fold(bag, laid)

        patch.setattr(bags, "_folded", watched)
        expected = bag_sums(rows, 3, Resamples(resamples.indices, 400))
        shares = len(folded)
        actual = list(pool.map(lambda _: bag_sums(rows, 3, resamples), range(4)))
    assert {b"".join(each.tobytes() for each in sums) for sums in actual} == {b"".join(s.tobytes() for s in expected)}
    assert len(folded) == 2 * shares


def test_resamples_do_not_keep_bags_alive() -> None:
    """The resample of all items lives as long as a server."""
    (bag,) = ngram_bags(tokens([[0, 1], [2]]), 1)
    fold_bag(bag, all_items(2))
    gone = weakref.ref(bag)
    del bag
    assert gone() is None


@contextmanager
def often_switched() -> Iterator[None]:
    """Switch between threads a thousand times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 1000)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
