"""TER: minimum edits with block shifts; a shift counts as one edit."""

from __future__ import annotations

import numpy as np

from assay.metrics._kernels.band import FAR
from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.assay.metrics._kernels.band import Band
else:
    from assay.metrics._kernels.band import Band

COMPILED = cython.compiled

# The limits of tercom, which are part of the definition of TER.
_LONGEST_MOVE = cython.declare(cython.int, 10)
_FARTHEST_MOVE = cython.declare(cython.int, 50)
_MOST_MOVES = cython.declare(cython.int, 1000)
_FAR = cython.declare(cython.int, FAR)


def ter(ids, starts, first):
    """Return for each item the minimum edits to any reference, and the mean length of the references."""
    items: cython.Py_ssize_t = len(first) - 1
    result = np.zeros((items, 2), dtype=np.float64)
    lengths = np.diff(starts)
    work: Band = Band(int(np.max(lengths, initial=0)))
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    edits: cython.Py_ssize_t
    best: cython.Py_ssize_t
    total: cython.Py_ssize_t
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.double[:, ::1] = views[3]
    for item in range(items):
        best = -1
        total = 0
        for r in range(items + first_[item], items + first_[item + 1]):
            work.prepare(starts_[item + 1] - starts_[item], starts_[r + 1] - starts_[r])
            with cython.nogil:
                edits = _moved_distance(ids_, starts_[item], starts_[r], work)
            total += starts_[r + 1] - starts_[r]
            if best < 0 or edits < best:
                best = edits
        result_[item, 0] = best
        result_[item, 1] = cython.cast(cython.double, total) / (first_[item + 1] - first_[item])
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _moved_distance(
    ids: cython.int[::1], c_low: cython.Py_ssize_t, r_low: cython.Py_ssize_t, work: Band
) -> cython.Py_ssize_t:
    """Return the edits after a greedy search for the best block shifts; a shift counts as one edit."""
    i: cython.Py_ssize_t
    moves: cython.Py_ssize_t = 0
    tried: cython.Py_ssize_t = 0
    gain: cython.Py_ssize_t
    if work.m == 0:
        return work.n
    for i in range(work.n):
        work.words[i] = ids[c_low + i]
    for i in range(work.m):
        work.reference[i] = ids[r_low + i]
    current: cython.int
    while True:
        current = work.distance(work.words, 0, True)
        if current >= _FAR:  # impossible with a band that follows the diagonal
            return work.n + work.m
        work.align()
        gain = 0
        tried = _best_move(work, current, tried)
        if tried < 0:
            tried = -tried
            gain = 1
        if tried >= _MOST_MOVES or gain == 0:
            return moves + current
        moves += 1
        for i in range(work.n):
            work.words[i] = work.best[i]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_move(work: Band, current: cython.int, tried: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Try every shift of a block to its place in the reference; store the best in `best`. Return the number of shifts
    tried so far, negative if the best one reduces the edits."""
    start: cython.Py_ssize_t
    place: cython.Py_ssize_t
    length: cython.Py_ssize_t
    offset: cython.Py_ssize_t
    target: cython.Py_ssize_t
    last: cython.Py_ssize_t
    i: cython.Py_ssize_t
    same: cython.Py_ssize_t
    wrong: cython.int
    misplaced: cython.int
    gain: cython.int
    best_gain: cython.int = 0
    best_length: cython.Py_ssize_t = 0
    best_start: cython.Py_ssize_t = 0
    best_target: cython.Py_ssize_t = 0
    found: cython.bint = False
    for start in range(work.n):
        for place in range(work.m):
            if place - start > _FARTHEST_MOVE or start - place > _FARTHEST_MOVE:
                continue
            length = 0
            wrong = 0
            misplaced = 0
            while (
                length < _LONGEST_MOVE
                and start + length < work.n
                and place + length < work.m
                and work.words[start + length] == work.reference[place + length]
            ):
                wrong += work.output_wrong[start + length]
                misplaced += work.reference_wrong[place + length]
                length += 1
                # Only a block that is wrong at its place and missing at the target is shifted, and not into itself.
                if wrong == 0 or misplaced == 0 or start <= work.aligned[place] < start + length:
                    continue
                last = -1
                for offset in range(-1, length):
                    target = 0 if place + offset < 0 else work.aligned[place + offset] + 1
                    if target == last:
                        continue
                    last = target
                    same = _move(work, start, length, target)
                    gain = current - work.distance(work.other, same, False)
                    tried += 1
                    if (
                        not found
                        or gain > best_gain
                        or (
                            gain == best_gain
                            and (
                                length > best_length
                                or (
                                    length == best_length
                                    and (start < best_start or (start == best_start and target < best_target))
                                )
                            )
                        )
                    ):
                        found = True
                        best_gain = gain
                        best_length = length
                        best_start = start
                        best_target = target
                        for i in range(work.n):
                            work.best[i] = work.other[i]
                if tried >= _MOST_MOVES:
                    return tried
    return -tried if found and best_gain > 0 else tried


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move(
    work: Band, start: cython.Py_ssize_t, length: cython.Py_ssize_t, target: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Write the words with a block shifted into `other`; return the number of unchanged words at the beginning."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = start + length
    if target < start:
        for i in range(target):
            work.other[i] = work.words[i]
        k = target
        for i in range(start, end):
            work.other[k] = work.words[i]
            k += 1
        for i in range(target, start):
            work.other[k] = work.words[i]
            k += 1
        for i in range(end, work.n):
            work.other[i] = work.words[i]
        return target
    # Behind its place, or within the block itself, where tercom computes the target without the block.
    stop: cython.Py_ssize_t = target if target > end else length + target
    if stop > work.n:
        stop = work.n
    for i in range(start):
        work.other[i] = work.words[i]
    k = start
    for i in range(end, stop):
        work.other[k] = work.words[i]
        k += 1
    for i in range(start, end):
        work.other[k] = work.words[i]
        k += 1
    for i in range(stop, work.n):
        work.other[k] = work.words[i]
        k += 1
    return start
