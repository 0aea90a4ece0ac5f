"""Counting over ordered streams of tokens."""

from __future__ import annotations

import cython
import numpy as np

from assay.metrics._kernels._view import view

COMPILED = cython.compiled


def segments(types, starts, indices, size: cython.Py_ssize_t, kinds: cython.Py_ssize_t):
    """For each row of `indices` (items in order): how many full segments of `size` tokens the stream has, and
    how many different types the segments hold, added up. An int64 array (samples, 2)."""
    result = np.zeros((len(indices), 2), dtype=np.int64)
    views = view(types), view(starts), view(indices), view(result)
    types_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    indices_: cython.longlong[:, ::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    stamp: cython.int[::1] = view(np.zeros(max(kinds, 1), dtype=np.int32))
    with cython.nogil:
        _segments(types_, starts_, indices_, size, stamp, result_)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _segments(
    types: cython.int[::1],
    starts: cython.longlong[::1],
    indices: cython.longlong[:, ::1],
    size: cython.Py_ssize_t,
    stamp: cython.int[::1],
    result: cython.longlong[:, ::1],
) -> cython.void:
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    item: cython.Py_ssize_t
    filled: cython.Py_ssize_t
    different: cython.Py_ssize_t
    current: cython.int = 0
    for b in range(indices.shape[0]):
        current += 1
        filled = 0
        different = 0
        for i in range(indices.shape[1]):
            item = indices[b, i]
            if item < 0:  # a draw of clusters may be shorter than others
                continue
            for k in range(starts[item], starts[item + 1]):
                different += stamp[types[k]] != current
                stamp[types[k]] = current
                filled += 1
                if filled == size:
                    result[b, 0] += 1
                    result[b, 1] += different
                    current += 1
                    filled = 0
                    different = 0
