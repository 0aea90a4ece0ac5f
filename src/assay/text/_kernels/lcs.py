"""Longest common subsequences, by the bit-parallel recurrence: 64 reference tokens a machine word."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.final
@cython.cclass
class Subsequences:
    """What is needed for one pair after the other, grown when a text needs more.

    slot   for each token id: 1 + its number among the distinct tokens of a reference, 0 when it is not in it
    masks  for each distinct token, where the reference has it
    rows   the bit row at hand, or one after each candidate token
    """

    def __init__(self, vocabulary: cython.Py_ssize_t) -> None:
        self.slot = view(np.zeros(vocabulary + 1, dtype=np.int32))
        self.masks = view(np.zeros(64, dtype=np.uint64))
        self.rows = view(np.zeros(64, dtype=np.uint64))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _reserve(self, masks: cython.Py_ssize_t, rows: cython.Py_ssize_t) -> cython.void:
        if self.masks.shape[0] < masks or self.rows.shape[0] < rows:
            with cython.gil:
                self.masks = view(np.zeros(2 * masks, dtype=np.uint64))
                self.rows = view(np.zeros(2 * rows, dtype=np.uint64))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def length(
        self,
        tokens: cython.int[::1],
        c_low: cython.Py_ssize_t,
        c_high: cython.Py_ssize_t,
        r_low: cython.Py_ssize_t,
        r_high: cython.Py_ssize_t,
        keep: cython.bint,
    ) -> cython.Py_ssize_t:
        """Length of the longest common subsequence; with `keep` also the bit row after each candidate token.

        Bit i of a row is 0 exactly where taking reference token i lengthens the subsequence by one.
        """
        n: cython.Py_ssize_t = r_high - r_low
        if n == 0 or c_high == c_low:
            return 0
        words: cython.Py_ssize_t = (n + 63) >> 6
        slot: cython.int[::1] = self.slot
        i: cython.Py_ssize_t
        w: cython.Py_ssize_t
        j: cython.Py_ssize_t
        distinct: cython.int = 0
        for i in range(r_low, r_high):
            if slot[tokens[i]] == 0:
                distinct += 1
                slot[tokens[i]] = distinct
        self._reserve(distinct * words, ((c_high - c_low) if keep else 1) * words)
        masks: cython.ulonglong[::1] = self.masks
        rows: cython.ulonglong[::1] = self.rows
        for i in range(distinct * words):
            masks[i] = 0
        one: cython.ulonglong = 1
        for i in range(n):
            masks[(slot[tokens[r_low + i]] - 1) * words + (i >> 6)] |= one << (i & 63)
        for w in range(words):
            rows[w] = ALL
        before: cython.Py_ssize_t = 0
        after: cython.Py_ssize_t = 0
        carry: cython.ulonglong
        old: cython.ulonglong
        common: cython.ulonglong
        total: cython.ulonglong
        for j in range(c_low, c_high):
            if keep:
                after = (j - c_low) * words
                if j == c_low:
                    before = after
            if slot[tokens[j]] == 0:
                if keep and j > c_low:
                    for w in range(words):
                        rows[after + w] = rows[before + w]
            else:
                base: cython.Py_ssize_t = (slot[tokens[j]] - 1) * words
                carry = 0
                for w in range(words):
                    old = rows[before + w]
                    common = old & masks[base + w]
                    total = (old + common + carry) & ALL
                    if total < old or (carry and total == old):
                        carry = 1
                    else:
                        carry = 0
                    rows[after + w] = total | (old & ~masks[base + w])
            before = after
        length: cython.Py_ssize_t = 0
        for i in range(n):
            if not (rows[before + (i >> 6)] >> (i & 63)) & 1:
                length += 1
        for i in range(r_low, r_high):
            slot[tokens[i]] = 0
        return length


def common(tokens, starts, candidates, references, vocabulary: cython.Py_ssize_t):
    """Only the length of the longest common subsequence of each pair; texts are not cut into sentences."""
    result = np.zeros(len(candidates), dtype=np.int64)
    work: Subsequences = Subsequences(vocabulary)
    views = view(tokens), view(starts), view(candidates), view(references), view(result)
    ids: cython.int[::1] = views[0]
    begins: cython.longlong[::1] = views[1]
    ours: cython.longlong[::1] = views[2]
    theirs: cython.longlong[::1] = views[3]
    lengths: cython.longlong[::1] = views[4]
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(ours.shape[0]):
            lengths[k] = work.length(
                ids, begins[ours[k]], begins[ours[k] + 1], begins[theirs[k]], begins[theirs[k] + 1], False
            )
    return result


def weighted(tokens, starts, candidates, references, weight: cython.double):
    """ROUGE-W's longest common subsequence of each pair: a run of k matches in a row counts k ** weight."""
    result = np.zeros(len(candidates), dtype=np.float64)
    longest = int(np.max(np.diff(starts), initial=0))
    views = view(tokens), view(starts), view(candidates), view(references), view(result)
    ids: cython.int[::1] = views[0]
    begins: cython.longlong[::1] = views[1]
    ours: cython.longlong[::1] = views[2]
    theirs: cython.longlong[::1] = views[3]
    values: cython.double[::1] = views[4]
    best: cython.double[:, ::1] = view(np.zeros((2, longest + 1), dtype=np.float64))
    run: cython.int[:, ::1] = view(np.zeros((2, longest + 1), dtype=np.int32))
    power: cython.double[::1] = view(np.arange(longest + 2, dtype=np.float64) ** weight)
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    last: cython.Py_ssize_t
    n: cython.Py_ssize_t
    with cython.nogil:
        for k in range(ours.shape[0]):
            n = begins[theirs[k] + 1] - begins[theirs[k]]
            for j in range(n + 1):
                best[0, j] = 0
                run[0, j] = 0
            row = 0
            for i in range(begins[ours[k]], begins[ours[k] + 1]):
                last = row
                row = 1 - row
                best[row, 0] = 0
                run[row, 0] = 0
                for j in range(1, n + 1):
                    if ids[i] == ids[begins[theirs[k]] + j - 1]:
                        run[row, j] = run[last, j - 1] + 1
                        best[row, j] = best[last, j - 1] + power[run[row, j]] - power[run[last, j - 1]]
                    else:
                        run[row, j] = 0
                        best[row, j] = best[last, j] if best[last, j] > best[row, j - 1] else best[row, j - 1]
            values[k] = best[row, n]
    return result
