"""N-gram counts per item: BLEU, pairs of texts, local recall, novelty; and copied fragments.

Texts are consecutive in `ids`; text t is ids[starts[t]:starts[t + 1]]: first the outputs of the n items, then the
references (of item i: n + first[i] to n + first[i + 1]), then the sources, if any.
"""

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


def widest(starts, first) -> int:
    """Return the maximum number of tokens of an output together with its references."""
    n = len(first) - 1
    lengths = np.diff(starts)
    ends = np.concatenate([[0], np.cumsum(lengths[n : n + first[n]])])
    return int(np.max(lengths[:n] + ends[first[1:]] - ends[first[:n]], initial=0))


def bleu(ids, starts, first, order: cython.int):
    """Return for each item its length, the length of the closest reference, clipped matches and totals per order."""
    result = np.zeros((len(first) - 1, 2 + 2 * order), dtype=np.int64)
    tree: Tree = tree_for(ids, starts, order, widest(starts, first))
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    items: cython.Py_ssize_t = first_.shape[0] - 1
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    n: cython.Py_ssize_t
    length: cython.Py_ssize_t
    gap: cython.Py_ssize_t
    distance: cython.Py_ssize_t
    own: cython.Py_ssize_t
    closest: cython.Py_ssize_t
    with cython.nogil:
        for item in range(items):
            # Systems that are scored together have equal references in consecutive items.
            if item == 0 or not _same_references(ids_, starts_, first_, item - 1, item):
                tree.clear(order * (starts_[items + first_[item + 1]] - starts_[items + first_[item]]))
                for r in range(items + first_[item], items + first_[item + 1]):
                    tree.add(ids_, starts_[r], starts_[r + 1], order, tree.b)
                    tree.keep_most()
            tree.rewind()
            tree.match(ids_, starts_[item], starts_[item + 1], order)
            own = starts_[item + 1] - starts_[item]
            closest = -1
            gap = 0
            for r in range(items + first_[item], items + first_[item + 1]):
                length = starts_[r + 1] - starts_[r]
                distance = length - own if length > own else own - length
                if closest < 0 or distance < gap or (distance == gap and length < closest):
                    closest = length
                    gap = distance
            result_[item, 0] = own
            result_[item, 1] = closest
            for n in range(order):
                result_[item, 2 + n] = tree.hits[n]
                result_[item, 2 + order + n] = own - n if own > n else 0
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _same_references(
    ids: cython.int[::1],
    starts: cython.longlong[::1],
    first: cython.longlong[::1],
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
) -> cython.bint:
    """Return whether two items have equal references in equal order."""
    items: cython.Py_ssize_t = first.shape[0] - 1
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    one: cython.Py_ssize_t
    other: cython.Py_ssize_t
    if first[a + 1] - first[a] != first[b + 1] - first[b]:
        return False
    for r in range(first[a + 1] - first[a]):
        one = items + first[a] + r
        other = items + first[b] + r
        if starts[one + 1] - starts[one] != starts[other + 1] - starts[other]:
            return False
        for i in range(starts[one + 1] - starts[one]):
            if ids[starts[one] + i] != ids[starts[other] + i]:
                return False
    return True


def matches(ids, starts, candidates, references, order: cython.int):
    """Return the clipped n-gram matches of each pair of texts (candidates[k], references[k]), orders 1 to `order`."""
    result = np.zeros((len(candidates), order), dtype=np.int64)
    tree: Tree = tree_for(ids, starts, order)
    views = view(ids), view(starts), view(candidates), view(references), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    candidates_: cython.longlong[::1] = views[2]
    references_: cython.longlong[::1] = views[3]
    result_: cython.longlong[:, ::1] = views[4]
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    with cython.nogil:
        for k in range(candidates_.shape[0]):
            low = starts_[candidates_[k]]
            high = starts_[candidates_[k] + 1]
            tree.clear(order * (high - low))
            tree.add(ids_, low, high, order, tree.a)
            tree.match(ids_, starts_[references_[k]], starts_[references_[k] + 1], order)
            for n in range(order):
                result_[k, n] = tree.hits[n]
    return result


def recall(ids, starts, first, levels: cython.int):
    """Local recall: return for n from 1 to `levels` the number of types in exactly n references of the item, and how
    many of them the output has. Columns: hits-1, types-1, hits-2, types-2, ..."""
    result = np.zeros((len(first) - 1, 2 * levels), dtype=np.int64)
    tree: Tree = tree_for(ids, starts, 1, widest(starts, first))
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    items: cython.Py_ssize_t = first_.shape[0] - 1
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for item in range(items):
            tree.clear(0)  # unigrams need no hash table
            tree.add(ids_, starts_[item], starts_[item + 1], 1, tree.a)
            for r in range(items + first_[item], items + first_[item + 1]):
                tree.add(ids_, starts_[r], starts_[r + 1], 1, tree.b)
                for i in range(1, tree.size):
                    if tree.b[i] > 0:
                        tree.b[i] = 0
                        tree.c[i] += 1
            for i in range(1, tree.size):
                if tree.c[i] > 0:
                    result_[item, 2 * tree.c[i] - 1] += 1
                    if tree.a[i] > 0:
                        result_[item, 2 * tree.c[i] - 2] += 1
    return result


def novel(ids, starts, first, order: cython.int):
    """Return for each item and order the number of different n-grams of the output, and of those not in the source."""
    result = np.zeros((len(first) - 1, 2 * order), dtype=np.int64)
    tree: Tree = tree_for(ids, starts, order)
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    items: cython.Py_ssize_t = first_.shape[0] - 1
    item: cython.Py_ssize_t
    source: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for item in range(items):
            source = items + first_[items] + item
            tree.clear(order * (starts_[item + 1] - starts_[item]))
            tree.add(ids_, starts_[item], starts_[item + 1], order, tree.a)
            tree.match(ids_, starts_[source], starts_[source + 1], order)
            for i in range(1, tree.size):
                result_[item, 2 * tree.depth[i] - 2] += 1
                if tree.b[i] == 0:
                    result_[item, 2 * tree.depth[i] - 1] += 1
    return result


def fragments(ids, starts, outputs, sources):
    """Return for each pair of texts the number of tokens in copied fragments, and the sum of the squared lengths of
    these fragments. From left to right, the longest copy that begins at a token is chosen."""
    result = np.zeros((len(outputs), 2), dtype=np.int64)
    views = view(ids), view(starts), view(outputs), view(sources), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    outputs_: cython.longlong[::1] = views[2]
    sources_: cython.longlong[::1] = views[3]
    result_: cython.longlong[:, ::1] = views[4]
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    high: cython.Py_ssize_t
    end: cython.Py_ssize_t
    length: cython.Py_ssize_t
    longest: cython.Py_ssize_t
    with cython.nogil:
        for k in range(outputs_.shape[0]):
            i = starts_[outputs_[k]]
            high = starts_[outputs_[k] + 1]
            end = starts_[sources_[k] + 1]
            while i < high:
                longest = 0
                j = starts_[sources_[k]]
                while j + longest < end:
                    length = 0
                    while i + length < high and j + length < end and ids_[i + length] == ids_[j + length]:
                        length += 1
                    if length > longest:
                        longest = length
                    j += 1
                result_[k, 0] += longest
                result_[k, 1] += longest * longest
                i += longest if longest > 0 else 1
    return result
