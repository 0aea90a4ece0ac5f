"""Random draws of items, shared by every metric and every system so that comparisons are paired."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

BLOCK_CELLS = 2_000_000
"""How many drawn indices are held at once; results do not depend on it."""


@dataclass(frozen=True)
class Draws:
    """Some resamples of `n` items: which item stands where (`indices`) and how often it was drawn (`weights`)."""

    indices: NDArray[np.intp]
    n: int

    def __len__(self) -> int:
        return len(self.indices)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        samples = len(self.indices)
        cells = self.indices + (np.arange(samples, dtype=np.intp) * self.n)[:, None]
        counts = np.bincount(cells.ravel(), minlength=samples * self.n)
        return counts.reshape(samples, self.n).astype(np.float64)


def whole(n: int) -> Draws:
    """The one draw that takes every item once, in order: the plain score."""
    return Draws(np.arange(n, dtype=np.intp)[None, :], n)


def chosen(indices: NDArray[np.intp], n: int) -> Draws:
    """One draw of a subset, in the order given."""
    return Draws(np.asarray(indices, dtype=np.intp)[None, :], n)


def bootstrap(n: int, samples: int, seed: int) -> Iterator[Draws]:
    """`samples` draws of n items with replacement, in blocks; the same numbers as one `Generator.integers` call."""
    random = np.random.default_rng(seed)
    block = max(1, BLOCK_CELLS // max(n, 1))
    for start in range(0, samples, block):
        size = (min(block, samples - start), n)
        yield Draws(random.integers(0, n, size=size, dtype=np.int64).astype(np.intp, copy=False), n)


def halves(n: int, samples: int, seed: int) -> Iterator[Draws]:
    """`samples` draws of half of the items, without replacement and in their own order, in blocks.

    For values that a repeated item would distort (numbers of types, distinct-n, entropy). Leaving out half of n
    items moves a value about as much as drawing n new ones would: the variance is (1/m - 1/n) against 1/n.
    """
    random = np.random.default_rng(seed)
    block = max(1, BLOCK_CELLS // max(n, 1))
    for start in range(0, samples, block):
        keys = random.random((min(block, samples - start), n))
        yield Draws(np.sort(np.argpartition(keys, n // 2, axis=1)[:, : n // 2], axis=1), n)


def half_scale(n: int) -> float:
    """What a deviation of `halves` is to be multiplied by; 1 for even n."""
    m = n // 2
    return float(np.sqrt(m / (n - m))) if n else 0.0


def swaps(n: int, samples: int, seed: int) -> Iterator[tuple[Draws, Draws]]:
    """Pairs of draws over 2n rows (n of one system, then n of the other), each item's two rows swapped at random.

    This is the null hypothesis of a paired permutation test: the two systems are exchangeable item by item.
    """
    random = np.random.default_rng(seed)
    block = max(1, BLOCK_CELLS // max(n, 1))
    items = np.arange(n, dtype=np.intp)
    for start in range(0, samples, block):
        size = (min(block, samples - start), n)
        swapped = random.integers(0, 2, size=size, dtype=np.int8).astype(np.intp)
        yield Draws(items + swapped * n, 2 * n), Draws(items + (1 - swapped) * n, 2 * n)
