"""Counts in many resamples in parallel equal counts of each resample, for any resamples."""

from __future__ import annotations

from collections import Counter
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.metrics._kernels import lanes, streams
from assay.metrics.engine.bags import fold_bag, lay, ngram_bags
from assay.metrics.engine.statistics import Tokens
from assay.stats.resample import Resamples
from tests.support import interpreted

TEXTS = st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=1, max_size=5)


def as_tokens(texts: list[list[int]]) -> Tokens:
    ids = np.array([word for text in texts for word in text], dtype=np.int32)
    starts = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    return Tokens(ids, starts, tuple("abcde"))


def summary(texts: list[list[int]], drawn: list[int], n: int, closing: bool) -> list[float]:
    """Return the columns of the kernel, by plain counting."""
    grams = [[tuple(text[i : i + n]) for i in range(len(text) - n + 1)] for text in texts]
    counts = Counter(gram for item in drawn for gram in grams[item])
    seen = np.array(list(counts.values()), dtype=np.float64)
    last = sum(np.log2(counts[grams[item][-1]]) for item in drawn if grams[item]) if closing else 0.0
    return [seen.sum(), len(seen), (seen == 1).sum(), (seen * np.log2(seen)).sum(), (seen**2).sum(), last]


@settings(max_examples=60)
@given(texts=TEXTS, data=st.data(), kernel=st.sampled_from(["compiled", "interpreted"]))
def test_any_bag_in_any_resamples(texts: list[list[int]], data: st.DataObject, kernel: str) -> None:
    rows = data.draw(st.lists(st.lists(st.integers(0, len(texts) - 1), max_size=9), min_size=1, max_size=70))
    drawn = np.full((len(rows), 9), -1)
    for place, row in zip(drawn, rows, strict=True):
        place[: len(row)] = row
    resamples = Resamples(drawn, len(texts))
    module: ModuleType = lanes if kernel == "compiled" else interpreted("lanes")
    for n, bag in enumerate(ngram_bags(as_tokens(texts), 3), start=1):
        folded = module.fold(*bag.columns, *lay(resamples)[:3])
        assert folded.shape == (len(rows), lanes.COLUMNS)
        for actual, row in zip(folded, rows, strict=True):
            assert actual == pytest.approx(summary(texts, row, n, n < 3), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("times", [1, 90, 255, 256, 700])
def test_counts_and_weights_beyond_a_byte(times: int) -> None:
    """A type in more texts, or a text drawn more often, than one byte can count."""
    texts = [[0, 1, 1, 2]] * 150 + [[0, 3, 3]] * 200 + [[4]]
    rows = [[*range(0, 351, step), *[350] * times] for step in (1, 2, 3)]
    longest = max(map(len, rows))
    resamples = Resamples(np.array([row + [-1] * (longest - len(row)) for row in rows]), len(texts))
    for n, bag in enumerate(ngram_bags(as_tokens(texts), 2), start=1):
        for actual, row in zip(fold_bag(bag, resamples), rows, strict=True):
            assert actual == pytest.approx(summary(texts, row, n, n < 2), rel=1e-12)


def test_kinds_of_more_types_than_a_byte_can_count() -> None:
    """Two identical items contain hundreds of types of one kind."""
    words = np.arange(600, dtype=np.int32)
    starts = np.array([0, 600, 1200], dtype=np.int64)
    (bag,) = ngram_bags(Tokens(np.concatenate([words, words]), starts, ("",) * 600), 1)
    assert bag.times.tolist() == [600]
    sums = fold_bag(bag, Resamples(np.array([[0, 1], [0, -1], [1, 1]]), 2))
    assert sums[:, :3].tolist() == [[1200, 600, 0], [600, 600, 600], [1200, 600, 0]]


@settings(max_examples=40)
@given(
    texts=st.lists(st.lists(st.integers(0, 4), max_size=30), min_size=1, max_size=8),
    size=st.integers(1, 25),
    seed=st.integers(0, 9),
    kernel=st.sampled_from(["compiled", "interpreted"]),
)
def test_streams_in_parallel(texts: list[list[int]], size: int, seed: int, kernel: str) -> None:
    tokens = as_tokens(texts)
    taken = np.random.default_rng(seed).random((70, len(texts))) < 0.5
    order = [np.flatnonzero(row) for row in taken]
    drawn = np.full((70, len(texts)), -1)
    for place, row in zip(drawn, order, strict=True):
        place[: len(row)] = row
    module: ModuleType = streams if kernel == "compiled" else interpreted("streams")
    laid = lay(Resamples(drawn, len(texts))).lanes
    together = module.segments_in_order(tokens.ids, tokens.starts, laid, 70, size, 5)
    for actual, row in zip(together.tolist(), order, strict=True):
        stream = [word for item in row for word in texts[item]]
        full = [stream[i : i + size] for i in range(0, len(stream) - size + 1, size)]
        assert actual == [len(full), sum(len(set(segment)) for segment in full)]


def test_more_segments_than_a_byte_can_number() -> None:
    random = np.random.default_rng(3)
    texts = [random.integers(0, 5, size=random.integers(0, 500)).tolist() for _ in range(40)]
    tokens = as_tokens(texts)
    taken = np.sort(np.argsort(random.random((20, 40)), axis=1)[:, :20], axis=1)
    resamples = Resamples(taken, 40)
    for size in (3, 150, 400):
        together = streams.segments_in_order(tokens.ids, tokens.starts, lay(resamples).lanes, 20, size, 5)
        assert np.array_equal(together, streams.segments(tokens.ids, tokens.starts, taken, size, 5))
