"""The exact Levenshtein distance between token sequences."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


def levenshtein(ids, starts, candidates, references, vocabulary: cython.Py_ssize_t):
    """The edit distance of each pair (candidates[k], references[k]) of texts."""
    result = np.zeros(len(candidates), dtype=np.int64)
    longest: cython.Py_ssize_t = int(np.max(np.diff(starts), initial=0))
    words: cython.Py_ssize_t = (longest + 63) // 64
    slot_array = np.zeros(vocabulary + 1, dtype=np.int32)
    views = (
        view(ids),
        view(starts),
        view(candidates),
        view(references),
        view(result),
        view(slot_array),
        view(np.zeros(max(words, 1), dtype=np.uint64)),
        view(np.zeros(max(words, 1), dtype=np.uint64)),
    )
    masks_array = np.zeros(64, dtype=np.uint64)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    candidates_: cython.longlong[::1] = views[2]
    references_: cython.longlong[::1] = views[3]
    result_: cython.longlong[::1] = views[4]
    slot: cython.int[::1] = views[5]
    up: cython.ulonglong[::1] = views[6]
    down: cython.ulonglong[::1] = views[7]
    masks: cython.ulonglong[::1] = view(masks_array)
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    distinct: cython.int
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    for k in range(candidates_.shape[0]):
        low = starts_[references_[k]]
        high = starts_[references_[k] + 1]
        distinct = 0
        for i in range(low, high):
            if slot[ids_[i]] == 0:
                distinct += 1
                slot[ids_[i]] = distinct
        needed: cython.Py_ssize_t = distinct * ((high - low + 63) // 64)
        if masks.shape[0] < needed:
            masks_array = np.zeros(2 * needed, dtype=np.uint64)
            masks = view(masks_array)
        with cython.nogil:
            result_[k] = _levenshtein(
                ids_, starts_[candidates_[k]], starts_[candidates_[k] + 1], low, high, distinct, slot, masks, up, down
            )
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _levenshtein(
    ids: cython.int[::1],
    c_low: cython.Py_ssize_t,
    c_high: cython.Py_ssize_t,
    r_low: cython.Py_ssize_t,
    r_high: cython.Py_ssize_t,
    distinct: cython.int,
    slot: cython.int[::1],
    masks: cython.ulonglong[::1],
    up: cython.ulonglong[::1],
    down: cython.ulonglong[::1],
) -> cython.Py_ssize_t:
    """Myers' bit vectors over 64 reference tokens a machine word: `up` and `down` say where a column of the
    distance table rises and falls by one."""
    n: cython.Py_ssize_t = r_high - r_low
    words: cython.Py_ssize_t = (n + 63) // 64
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    w: cython.Py_ssize_t
    one: cython.ulonglong = 1
    distance: cython.Py_ssize_t = n
    if n == 0:
        return c_high - c_low
    for i in range(distinct * words):
        masks[i] = 0
    for i in range(n):
        masks[(slot[ids[r_low + i]] - 1) * words + (i >> 6)] |= one << (i & 63)
    for w in range(words):
        up[w] = ALL
        down[w] = 0
    last: cython.ulonglong = one << ((n - 1) & 63)
    rise: cython.ulonglong
    fall: cython.ulonglong
    match: cython.ulonglong
    diagonal: cython.ulonglong
    gain: cython.ulonglong
    loss: cython.ulonglong
    next_rise: cython.ulonglong
    next_fall: cython.ulonglong
    carry: cython.ulonglong
    for j in range(c_low, c_high):
        rise = 1  # the first row of the table grows by one with every candidate token
        fall = 0
        for w in range(words):
            match = masks[(slot[ids[j]] - 1) * words + w] if slot[ids[j]] != 0 else 0
            carry = match | fall
            diagonal = (((((carry & up[w]) + up[w]) & ALL) ^ up[w]) | carry | down[w]) & ALL
            gain = (down[w] | ~(diagonal | up[w])) & ALL
            loss = up[w] & diagonal
            if w == words - 1:
                if gain & last:
                    distance += 1
                elif loss & last:
                    distance -= 1
            next_rise = gain >> 63
            next_fall = loss >> 63
            gain = ((gain << 1) & ALL) | rise
            loss = ((loss << 1) & ALL) | fall
            up[w] = (loss | ~((diagonal | match) | gain)) & ALL
            down[w] = gain & (diagonal | match)
            rise = next_rise
            fall = next_fall
    for i in range(r_low, r_high):
        slot[ids[i]] = 0
    return distance
