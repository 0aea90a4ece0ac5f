"""chrF: matching character n-grams, and word n-grams for chrF+ and chrF++."""

from __future__ import annotations

import numpy as np

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


def chrf(codes, starts, words, word_starts, first, orders, beta: cython.double, smooth: cython.bint):
    """Return for each item and order (characters, then words) the n-grams of the output, of the reference, and matches,
    for the reference with the best F-score. `orders` is (character order, word order); with `smooth` that F-score is
    the mean of the F-scores of all orders."""
    char_order: cython.int = orders[0]
    word_order: cython.int = orders[1]
    columns: cython.Py_ssize_t = 3 * (char_order + word_order)
    n: cython.Py_ssize_t = len(first) - 1
    result = np.zeros((n, columns), dtype=np.int64)
    most = int(np.max(np.diff(first), initial=0))
    pairs = np.zeros((max(most, 1), columns), dtype=np.int64)
    tree: Tree = tree_for(codes, starts, char_order)
    word_tree: Tree = tree_for(words, word_starts, word_order)
    views = view(codes), view(starts), view(words), view(word_starts), view(first), view(pairs), view(result)
    codes_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    words_: cython.int[::1] = views[2]
    word_starts_: cython.longlong[::1] = views[3]
    first_: cython.longlong[::1] = views[4]
    pairs_: cython.longlong[:, ::1] = views[5]
    result_: cython.longlong[:, ::1] = views[6]
    item: cython.Py_ssize_t
    k: cython.Py_ssize_t
    best: cython.Py_ssize_t
    score: cython.double
    best_score: cython.double
    with cython.nogil:
        for item in range(n):
            _pairs(codes_, starts_, first_, item, char_order, 0, tree, pairs_)
            _pairs(words_, word_starts_, first_, item, word_order, 3 * char_order, word_tree, pairs_)
            best = 0
            best_score = -1.0
            for k in range(first_[item + 1] - first_[item]):
                score = _f_score(pairs_, k, char_order + word_order, beta, smooth)
                if score > best_score:
                    best_score = score
                    best = k
            for k in range(columns):
                result_[item, k] = pairs_[best, k]
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pairs(
    ids: cython.int[::1],
    starts: cython.longlong[::1],
    first: cython.longlong[::1],
    item: cython.Py_ssize_t,
    order: cython.int,
    column: cython.Py_ssize_t,
    tree: Tree,
    pairs: cython.longlong[:, ::1],
) -> cython.void:
    """Compute lengths and matches of an output with each of its references, one row per reference."""
    if order == 0:
        return
    items: cython.Py_ssize_t = first.shape[0] - 1
    own: cython.Py_ssize_t = starts[item + 1] - starts[item]
    r: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    length: cython.Py_ssize_t
    tree.clear(order * own)
    tree.add(ids, starts[item], starts[item + 1], order, tree.a)
    for k in range(first[item + 1] - first[item]):
        r = items + first[item] + k
        length = starts[r + 1] - starts[r]
        tree.match(ids, starts[r], starts[r + 1], order)
        for n in range(order):
            # n-grams of an output count only for orders that the reference has
            pairs[k, column + 3 * n] = own - n if own > n and length > n else 0
            pairs[k, column + 3 * n + 1] = length - n if length > n else 0
            pairs[k, column + 3 * n + 2] = tree.hits[n]
        tree.rewind()


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _f_score(
    pairs: cython.longlong[:, ::1], row: cython.Py_ssize_t, orders: cython.int, beta: cython.double, smooth: cython.bint
) -> cython.double:
    """Return chrF of one pair, summed in the order of sacrebleu, so that ties are broken alike."""
    precision: cython.double = 0.0
    recall: cython.double = 0.0
    score: cython.double = 0.0
    effective: cython.int = 0
    n: cython.Py_ssize_t
    hits: cython.double
    p: cython.double
    r: cython.double
    for n in range(orders):
        hits = pairs[row, 3 * n + 2]
        p = hits / pairs[row, 3 * n] if pairs[row, 3 * n] > 0 else 1e-16
        r = hits / pairs[row, 3 * n + 1] if pairs[row, 3 * n + 1] > 0 else 1e-16
        score += (1 + beta * beta) * p * r / (beta * beta * p + r) if beta * beta * p + r > 0 else 1e-16
        if pairs[row, 3 * n] > 0 and pairs[row, 3 * n + 1] > 0:
            precision += p
            recall += r
            effective += 1
    if smooth:
        return score
    if effective == 0:
        return 0.0
    precision /= effective
    recall /= effective
    if precision + recall == 0.0:
        return 0.0
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)
