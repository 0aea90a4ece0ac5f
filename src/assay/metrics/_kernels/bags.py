"""Counting over weighted bags and ordered streams of integer types: the heart of the diversity metrics."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log2

from assay.metrics._kernels._view import view

COMPILED = cython.compiled
COLUMNS = 5
"""Total, types, types seen once, sum of c log2 c, and sum of c log2 (count of the prefix)."""


def fold(types, starts, weights, size, prefix=None, below=None):
    """For each row of `weights` the summary of the weighted bag, and the counts themselves.

    types    int32, the type of each occurrence, item after item
    starts   int64, item i holds types[starts[i]:starts[i + 1]]
    weights  int32 (samples, items), how often each item was drawn
    size     number of types
    prefix   int32 (size), for n-grams: the type of the (n-1)-gram a type begins with
    below    int32 (samples, types of the order below): their counts, as returned by the call for that order
    """
    samples = len(weights)
    result = np.zeros((samples, COLUMNS), dtype=np.float64)
    counts = np.zeros((samples, max(size, 1)), dtype=np.int32)
    if prefix is None:
        prefix = np.zeros(1, dtype=np.int32)
        below = np.zeros((max(samples, 1), 1), dtype=np.int32)
        has_prefix = False
    else:
        has_prefix = True
    _fold(
        view(types),
        view(starts),
        view(weights),
        view(prefix),
        view(below),
        has_prefix,
        size,
        view(counts),
        view(result),
    )
    return result, counts


@cython.cfunc
def _fold(
    types: cython.int[::1],
    starts: cython.longlong[::1],
    weights: cython.int[:, ::1],
    prefix: cython.int[::1],
    below: cython.int[:, ::1],
    has_prefix: cython.bint,
    size: cython.Py_ssize_t,
    counts: cython.int[:, ::1],
    result: cython.double[:, ::1],
) -> cython.void:
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    weight: cython.int
    count: cython.int
    total: cython.double
    kinds: cython.double
    once: cython.double
    own: cython.double
    cross: cython.double
    for b in range(weights.shape[0]):
        for i in range(weights.shape[1]):
            weight = weights[b, i]
            if weight:
                for k in range(starts[i], starts[i + 1]):
                    counts[b, types[k]] += weight
        total = 0
        kinds = 0
        once = 0
        own = 0
        cross = 0
        for k in range(size):
            count = counts[b, k]
            if count:
                total += count
                kinds += 1
                if count == 1:
                    once += 1
                else:
                    own += count * log2(count)
                if has_prefix and below[b, prefix[k]] > 1:
                    cross += count * log2(below[b, prefix[k]])
        result[b, 0] = total
        result[b, 1] = kinds
        result[b, 2] = once
        result[b, 3] = own
        result[b, 4] = cross


def segments(types, starts, indices, size: cython.Py_ssize_t, kinds: cython.Py_ssize_t):
    """For each row of `indices` (items in order): how many full segments of `size` tokens the stream has, and
    how many different types the segments hold, added up. An int64 array (samples, 2)."""
    result = np.zeros((len(indices), 2), dtype=np.int64)
    stamp = np.zeros(max(kinds, 1), dtype=np.int64)
    _segments(view(types), view(starts), view(indices), size, view(stamp), view(result))
    return result


@cython.cfunc
def _segments(
    types: cython.int[::1],
    starts: cython.longlong[::1],
    indices: cython.longlong[:, ::1],
    size: cython.Py_ssize_t,
    stamp: cython.longlong[::1],
    result: cython.longlong[:, ::1],
) -> cython.void:
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    item: cython.Py_ssize_t
    current: cython.longlong = 0
    for b in range(indices.shape[0]):
        current += 1
        filled: cython.Py_ssize_t = 0
        different: cython.Py_ssize_t = 0
        for i in range(indices.shape[1]):
            item = indices[b, i]
            if item < 0:  # a draw of clusters may be shorter than others
                continue
            for k in range(starts[item], starts[item + 1]):
                if stamp[types[k]] != current:
                    stamp[types[k]] = current
                    different += 1
                filled += 1
                if filled == size:
                    result[b, 0] += 1
                    result[b, 1] += different
                    current += 1
                    filled = 0
                    different = 0
