"""Some of the items, each at most once: what a smaller set would have given."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb

import numpy as np

from assay.stats.resample import BLOCK_CELLS, Resamples


def subsets(n: int, items: int, samples: int, seed: int) -> Iterator[Resamples]:
    """Subsets of so many of the n items, in their own order, in blocks: all there are where that is no more than
    `samples`, else as many at random."""
    block = max(1, BLOCK_CELLS // max(n, 1))
    if exhaustive(n, items, samples):
        every = combinations(range(n), items)
        while found := list(islice(every, block)):
            yield Resamples(np.array(found, dtype=np.intp).reshape(len(found), items), n)
        return
    random = np.random.default_rng(seed)
    for start in range(0, samples, block):
        keys = random.random((min(block, samples - start), n))
        yield Resamples(np.sort(np.argpartition(keys, items - 1, axis=1)[:, :items], axis=1), n)


def exhaustive(n: int, items: int, samples: int) -> bool:
    """Whether `subsets` gives all there are."""
    return comb(n, items) <= samples
