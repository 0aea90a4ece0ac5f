"""Average ranks, sizes of ties, and inversions: the basis of rank statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


ROUNDING = float(np.finfo(np.float64).eps)


def snapped(values: ArrayLike, noise: ArrayLike) -> NDArray[np.float64]:
    """Return values with those made equal that differ by at most their rounding errors (`noise`), so that they tie.

    Neighbours in sorted order are joined if their difference is within the larger of their two errors.
    """
    array = np.asarray(values, dtype=np.float64)
    order = np.argsort(array, kind="stable")
    ordered, error = array[order], np.broadcast_to(np.asarray(noise, dtype=np.float64), array.shape)[order]
    apart = np.diff(ordered) > np.maximum(error[1:], error[:-1])
    firsts = np.r_[0, np.flatnonzero(apart) + 1]
    joined = np.empty_like(array)
    joined[order] = np.repeat(ordered[firsts], np.diff(np.r_[firsts, len(array)]))
    return joined


def average_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Return ranks 1 to n; equal values have the mean of their ranks."""
    _, inverse, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse.reshape(-1)], dtype=np.float64)


def ranks_within(values: ArrayLike, groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return average ranks within each group."""
    array = np.asarray(values, dtype=np.float64)
    ranks = np.empty(len(array))
    for group in range(int(groups.max(initial=-1)) + 1):
        rows = np.flatnonzero(groups == group)
        ranks[rows] = average_ranks(array[rows])
    return ranks


def tie_counts(values: ArrayLike) -> NDArray[np.int64]:
    """Return how often each distinct value occurs."""
    return np.unique(np.asarray(values, dtype=np.float64), return_counts=True)[1].astype(np.int64)


def inversions(values: ArrayLike) -> int:
    """Return the number of pairs i < j with values[i] > values[j], in O(n log n)."""
    _, codes = np.unique(np.asarray(values), return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    if len(codes) < 2:
        return 0
    total = 0
    for bit in reversed(range(int(codes.max()).bit_length())):
        order = np.argsort(codes >> (bit + 1), kind="stable")
        codes = codes[order]
        high = codes >> (bit + 1)
        one = (codes >> bit) & 1
        seen = np.cumsum(one)
        starts = np.flatnonzero(np.r_[True, high[1:] != high[:-1]])
        before = np.repeat(np.r_[0, seen][starts], np.diff(np.r_[starts, len(codes)]))
        total += int(np.sum((seen - before)[one == 0]))
    return total
