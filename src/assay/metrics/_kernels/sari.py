"""SARI: the n-grams that an output and its references add to, keep in and delete from a source."""

from __future__ import annotations

import numpy as np

from assay.metrics._kernels.grams import widest
from assay.metrics._kernels.tree import tree_for
from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.assay.metrics._kernels.tree import Tree
else:
    from assay.metrics._kernels.tree import Tree

COMPILED = cython.compiled
COLUMNS = 15
_STEP = cython.declare(cython.Py_ssize_t, COLUMNS)


def sari(ids, starts, first, order: cython.int):
    """Return counts of n-grams added, kept and deleted for each item and order, in `COLUMNS` columns per order:

    added: correct, by the output, by the references (types);
    kept: correct, by the output, by the references (counts; output and source times the number of references);
    deleted: correct, by the output, by the references (counts likewise);
    then for the sentence-level variants: sum of correct/kept over types, types kept, sum of correct/keepable over
    types, types keepable, sum of correct/deleted over types, types deleted.
    """
    n = len(first) - 1
    result = np.zeros((n, COLUMNS * order), dtype=np.float64)
    tree: Tree = tree_for(ids, starts, order, widest(starts, first))
    own: Tree = tree_for(ids, starts, order)
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.double[:, ::1] = views[3]
    items: cython.Py_ssize_t = n
    item: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    r: cython.Py_ssize_t
    with cython.nogil:
        for item in range(items):
            low = items + first_[item]
            high = items + first_[item + 1]
            tree.clear(order * (starts_[item + 1] - starts_[item] + starts_[high] - starts_[low]))
            tree.add(ids_, starts_[item], starts_[item + 1], order, tree.a)
            for r in range(low, high):
                tree.add(ids_, starts_[r], starts_[r + 1], order, tree.c)
            r = items + first_[items] + item
            tree.match(ids_, starts_[r], starts_[r + 1], order)
            own.clear(order * (starts_[r + 1] - starts_[r]))
            own.kinds(ids_, starts_[r], starts_[r + 1], order)
            _source_only(tree, own, starts_[r + 1] - starts_[r], high - low, order, result_, item)
            _operations(tree, high - low, result_, item)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _source_only(
    tree: Tree,
    own: Tree,
    length: cython.Py_ssize_t,
    references: cython.Py_ssize_t,
    order: cython.int,
    result: cython.double[:, ::1],
    row: cython.Py_ssize_t,
) -> cython.void:
    """Count n-grams that occur only in the source: all are deleted, and correctly so. Their occurrences and types are
    those of the source minus those in the tree of output and references."""
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    for n in range(order):
        at = _STEP * n
        result[row, at + 7] = length - n if length > n else 0
        result[row, at + 14] = own.hits[n]
    for i in range(1, tree.size):
        if tree.b[i] > 0:
            at = _STEP * (tree.depth[i] - 1)
            result[row, at + 7] -= tree.b[i]
            result[row, at + 14] -= 1
    for n in range(order):
        at = _STEP * n
        result[row, at + 7] *= references
        result[row, at + 6] = result[row, at + 7]
        result[row, at + 8] = result[row, at + 7]
        result[row, at + 13] = result[row, at + 14]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _operations(
    tree: Tree,
    references: cython.longlong,
    result: cython.double[:, ::1],
    row: cython.Py_ssize_t,
) -> cython.void:
    """Count the n-grams of output and references one by one."""
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    source: cython.double
    output: cython.double
    reference: cython.double
    both: cython.double
    keepable: cython.double
    good: cython.double
    for i in range(1, tree.size):
        at = _STEP * (tree.depth[i] - 1)
        source = tree.b[i] * references
        output = tree.a[i] * references
        reference = tree.c[i]
        if source == 0:
            if output > 0:
                result[row, at + 1] += 1
                if reference > 0:
                    result[row, at] += 1
            if reference > 0:
                result[row, at + 2] += 1
            continue
        both = source if source < output else output
        keepable = source if source < reference else reference
        good = both if both < keepable else keepable
        result[row, at + 3] += good
        result[row, at + 4] += both
        result[row, at + 5] += keepable
        if both > 0:
            result[row, at + 9] += good / both
            result[row, at + 10] += 1
        if keepable > 0:
            result[row, at + 11] += good / keepable
            result[row, at + 12] += 1
        both = source - both  # deleted by the output
        keepable = source - keepable  # deleted by the references
        result[row, at + 6] += both if both < keepable else keepable
        result[row, at + 7] += both
        result[row, at + 8] += keepable
        if both > 0:
            if both > reference:
                result[row, at + 13] += (both - reference) / both
            result[row, at + 14] += 1
