"""Subsets of the items, each item at most once: scores of a smaller dataset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb

import numpy as np

from assay.stats.resample import BLOCK_CELLS, Resamples


def subsets(n: int, items: int, samples: int, seed: int) -> Iterator[Resamples]:
    """Yield subsets of `items` of the n items, in order and in blocks: all subsets if these are at most `samples`, else
    `samples` random ones."""
    block = max(1, BLOCK_CELLS // max(n, 1))
    if exhaustive(n, items, samples):
        every = combinations(range(n), items)
        while some := list(islice(every, block)):
            yield Resamples(np.array(some, dtype=np.intp).reshape(len(some), items), n)
        return
    random = np.random.default_rng(seed)
    for start in range(0, samples, block):
        keys = random.random((min(block, samples - start), n))
        yield Resamples(np.sort(np.argpartition(keys, items - 1, axis=1)[:, :items], axis=1), n)


def exhaustive(n: int, items: int, samples: int) -> bool:
    """Return whether `subsets` yields all subsets."""
    return comb(n, items) <= samples
