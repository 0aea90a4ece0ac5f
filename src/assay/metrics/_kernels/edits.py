"""Edit distances between token sequences: the exact Levenshtein distance, and TER's distance with block moves."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import ceil, floor

from assay.metrics._kernels._view import view

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)

# The limits of TER as everybody computes it since tercom; they are part of the number's definition.
_BEAM = cython.declare(cython.int, 25)
_LONGEST_MOVE = cython.declare(cython.int, 10)
_FARTHEST_MOVE = cython.declare(cython.int, 50)
_MOST_MOVES = cython.declare(cython.int, 1000)
_FAR = cython.declare(cython.int, 1000000000)

_SAME = cython.declare(cython.int, 0)
_REPLACE = cython.declare(cython.int, 1)
_INSERT = cython.declare(cython.int, 2)
_DELETE = cython.declare(cython.int, 3)
_NOTHING = cython.declare(cython.int, 4)


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


def ter(ids, starts, first):
    """For each item: the fewest edits to any reference, and the mean length of the references."""
    items: cython.Py_ssize_t = len(first) - 1
    result = np.zeros((items, 2), dtype=np.float64)
    lengths = np.diff(starts)
    work = _Moves(int(np.max(lengths, initial=0)))
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


@cython.final
@cython.cclass
class _Moves:
    """What TER keeps at hand for one pair: the sequences, the band of the distance table around its diagonal, and
    the alignment. A row holds `width` cells beginning at reference position low[i]; outside it is infinitely far."""

    n: cython.Py_ssize_t
    m: cython.Py_ssize_t
    beam: cython.Py_ssize_t
    width: cython.Py_ssize_t
    ratio: cython.double
    words: cython.int[::1]
    other: cython.int[::1]
    best: cython.int[::1]
    reference: cython.int[::1]
    costs: cython.int[::1]
    ops: cython.char[::1]
    before: cython.int[::1]
    after: cython.int[::1]
    aligned: cython.int[::1]
    output_wrong: cython.char[::1]
    reference_wrong: cython.char[::1]

    def __init__(self, longest: cython.Py_ssize_t) -> None:
        room = longest + 4
        self.words = view(np.zeros(room, dtype=np.int32))
        self.other = view(np.zeros(room, dtype=np.int32))
        self.best = view(np.zeros(room, dtype=np.int32))
        self.reference = view(np.zeros(room, dtype=np.int32))
        self.before = view(np.zeros(room, dtype=np.int32))
        self.after = view(np.zeros(room, dtype=np.int32))
        self.aligned = view(np.zeros(room, dtype=np.int32))
        self.output_wrong = view(np.zeros(room, dtype=np.int8))
        self.reference_wrong = view(np.zeros(room, dtype=np.int8))
        self.costs = view(np.zeros(64, dtype=np.int32))
        self.ops = view(np.zeros(64, dtype=np.int8))

    @cython.cfunc
    def prepare(self, n: cython.Py_ssize_t, m: cython.Py_ssize_t) -> cython.int:
        """Size everything for an output of n and a reference of m tokens."""
        self.n = n
        self.m = m
        self.ratio = cython.cast(cython.double, m) / n if n > 0 else 1.0
        self.beam = _BEAM
        if _BEAM < self.ratio / 2:
            self.beam = cython.cast(cython.Py_ssize_t, ceil(self.ratio / 2 + _BEAM))
        self.width = min(m + 1, 2 * self.beam + 2)
        cells: cython.Py_ssize_t = (n + 1) * self.width
        if self.costs.shape[0] < cells:
            self.costs = view(np.zeros(2 * cells, dtype=np.int32))
            self.ops = view(np.zeros(2 * cells, dtype=np.int8))
        return 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _low(work: _Moves, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where the band of row i begins."""
    if i == 0:
        return 0
    low: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, floor(i * work.ratio)) - work.beam
    return low if low > 0 else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _high(work: _Moves, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Where the band of row i ends; the last row reaches to the end of the reference."""
    high: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, floor(i * work.ratio)) + work.beam
    return work.m + 1 if i == work.n or high > work.m + 1 else high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _row(
    work: _Moves, i: cython.Py_ssize_t, word: cython.int, old_high: cython.Py_ssize_t, keep: cython.bint
) -> cython.Py_ssize_t:
    """Row i of the distance table from the row `before` into `after`, then swapped; with `keep` also stored.
    Among equally cheap ways: same or replace, then delete, then insert. Returns the end of the row's band."""
    low: cython.Py_ssize_t = _low(work, i)
    high: cython.Py_ssize_t = _high(work, i)
    j: cython.Py_ssize_t
    cost: cython.int
    op: cython.int
    left: cython.int = _FAR
    base: cython.Py_ssize_t = i * work.width - low
    for j in range(old_high, high):
        work.before[j] = _FAR
    for j in range(low, high):
        if j == 0:
            cost = work.before[0] + 1
            op = _DELETE
        else:
            if word == work.reference[j - 1]:
                cost = work.before[j - 1]
                op = _SAME
            else:
                cost = work.before[j - 1] + 1
                op = _REPLACE
            if work.before[j] + 1 < cost:
                cost = work.before[j] + 1
                op = _DELETE
            if left + 1 < cost:
                cost = left + 1
                op = _INSERT
            if cost >= _FAR:
                cost = _FAR
                op = _NOTHING
        left = cost
        work.after[j] = cost
        if keep:
            work.costs[base + j] = cost
            work.ops[base + j] = op
    if low > 0:
        work.after[low - 1] = _FAR
    for j in range(low - 1 if low > 0 else 0, high):
        work.before[j] = work.after[j]
    return high


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _distance(work: _Moves, words: cython.int[::1], same: cython.Py_ssize_t, keep: cython.bint) -> cython.int:
    """The distance of `words`, whose first `same` words are those of the stored table."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    high: cython.Py_ssize_t
    low: cython.Py_ssize_t
    if same == 0:
        high = work.m + 1
        for j in range(high):
            work.before[j] = j
    else:
        low = _low(work, same)
        high = _high(work, same)
        if low > 0:
            work.before[low - 1] = _FAR
        for j in range(low, high):
            work.before[j] = work.costs[same * work.width + j - low]
    for i in range(same + 1, work.n + 1):
        high = _row(work, i, words[i - 1], high, keep)
    return work.before[work.m]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _align(work: _Moves) -> cython.void:
    """Walk back through the stored table: which output word each reference word falls on or after, and which
    words of either side are part of an edit."""
    i: cython.Py_ssize_t = work.n
    j: cython.Py_ssize_t = work.m
    op: cython.int
    while i > 0 or j > 0:
        op = _INSERT if i == 0 else work.ops[i * work.width + j - _low(work, i)]
        if op == _INSERT:
            j -= 1
            work.aligned[j] = i - 1
            work.reference_wrong[j] = 1
        elif op == _DELETE:
            i -= 1
            work.output_wrong[i] = 1
        else:
            i -= 1
            j -= 1
            work.aligned[j] = i
            work.output_wrong[i] = op == _REPLACE
            work.reference_wrong[j] = op == _REPLACE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _moved_distance(
    ids: cython.int[::1], c_low: cython.Py_ssize_t, r_low: cython.Py_ssize_t, work: _Moves
) -> cython.Py_ssize_t:
    """Edits after the best moves of blocks, one move an edit; greedy, the best move first."""
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
        current = _distance(work, work.words, 0, True)
        if current >= _FAR:  # cannot be with a band that follows the diagonal
            return work.n + work.m
        _align(work)
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
def _best_move(work: _Moves, current: cython.int, tried: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Try every move of a block to where the reference has it; the best is left in `best`. Returns how many moves
    have been tried so far, negative when the best one helps."""
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
                # Only a block that is wrong here and missing there is worth moving, and not into itself.
                if wrong == 0 or misplaced == 0 or start <= work.aligned[place] < start + length:
                    continue
                last = -1
                for offset in range(-1, length):
                    target = 0 if place + offset < 0 else work.aligned[place + offset] + 1
                    if target == last:
                        continue
                    last = target
                    same = _move(work, start, length, target)
                    gain = current - _distance(work, work.other, same, False)
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
    work: _Moves, start: cython.Py_ssize_t, length: cython.Py_ssize_t, target: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Into `other`: the words with a block moved; returns how many words at the beginning stay the same."""
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
    # Behind its place, or within the block itself, where tercom counts the target without the block.
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
