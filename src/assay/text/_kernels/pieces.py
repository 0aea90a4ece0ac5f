"""Pieces of one array put together in another order."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled


def pieced(ids, begins, lengths, before):
    """ids[begins[k]:begins[k] + lengths[k]] for each k, one after the other, each after the number before[k] unless
    that is negative. Without an index for every element, which would take more memory than the elements."""
    result = np.empty(int(lengths.sum()) + int(np.count_nonzero(before >= 0)), dtype=np.int32)
    views = view(ids), view(begins), view(lengths), view(before), view(result)
    ids_: cython.int[::1] = views[0]
    begins_: cython.longlong[::1] = views[1]
    lengths_: cython.longlong[::1] = views[2]
    before_: cython.int[::1] = views[3]
    result_: cython.int[::1] = views[4]
    at: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for k in range(begins_.shape[0]):
            if before_[k] >= 0:
                result_[at] = before_[k]
                at += 1
            for i in range(lengths_[k]):
                result_[at + i] = ids_[begins_[k] + i]
            at += lengths_[k]
    return result
