"""The distance table of TER: a band around its diagonal, computed row by row, with backtracking."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.libc.math import ceil, floor
else:
    from math import ceil, floor

COMPILED = cython.compiled

# The beam of tercom, which is part of the definition of TER.
_BEAM = cython.declare(cython.int, 25)
FAR = 1000000000
"""Larger than any distance: outside of the band."""
_FAR = cython.declare(cython.int, FAR)

_SAME = cython.declare(cython.int, 0)
_REPLACE = cython.declare(cython.int, 1)
_INSERT = cython.declare(cython.int, 2)
_DELETE = cython.declare(cython.int, 3)
_NOTHING = cython.declare(cython.int, 4)


@cython.final
@cython.cclass
class Band:
    """Working memory of TER for one pair: the sequences, the band of the distance table around its diagonal, and the
    alignment. A row has `width` cells from reference position low[i] on; distances outside are infinite."""

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
    @cython.exceptval(-1, check=False)
    def prepare(self, n: cython.Py_ssize_t, m: cython.Py_ssize_t) -> cython.int:
        """Allocate memory for an output of n and a reference of m tokens."""
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
    def low(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where the band of row i begins."""
        if i == 0:
            return 0
        low: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, floor(i * self.ratio)) - self.beam
        return low if low > 0 else 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def high(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where the band of row i ends; the last row extends to the end of the reference."""
        high: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, floor(i * self.ratio)) + self.beam
        return self.m + 1 if i == self.n or high > self.m + 1 else high

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def row(
        self, i: cython.Py_ssize_t, word: cython.int, old_high: cython.Py_ssize_t, keep: cython.bint
    ) -> cython.Py_ssize_t:
        """Compute row i of the distance table from `before` into `after`, then swap them; with `keep` also store it.
        Ties are broken in the order same or replace, delete, insert. Return the end of the band of the row."""
        low: cython.Py_ssize_t = self.low(i)
        high: cython.Py_ssize_t = self.high(i)
        j: cython.Py_ssize_t
        cost: cython.int
        op: cython.int
        left: cython.int = _FAR
        base: cython.Py_ssize_t = i * self.width - low
        for j in range(old_high, high):
            self.before[j] = _FAR
        for j in range(low, high):
            if j == 0:
                cost = self.before[0] + 1
                op = _DELETE
            else:
                if word == self.reference[j - 1]:
                    cost = self.before[j - 1]
                    op = _SAME
                else:
                    cost = self.before[j - 1] + 1
                    op = _REPLACE
                if self.before[j] + 1 < cost:
                    cost = self.before[j] + 1
                    op = _DELETE
                if left + 1 < cost:
                    cost = left + 1
                    op = _INSERT
                if cost >= _FAR:
                    cost = _FAR
                    op = _NOTHING
            left = cost
            self.after[j] = cost
            if keep:
                self.costs[base + j] = cost
                self.ops[base + j] = op
        if low > 0:
            self.after[low - 1] = _FAR
        for j in range(low - 1 if low > 0 else 0, high):
            self.before[j] = self.after[j]
        return high

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def distance(self, words: cython.int[::1], same: cython.Py_ssize_t, keep: cython.bint) -> cython.int:
        """Return the distance of `words`, whose first `same` words equal those of the stored table."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        high: cython.Py_ssize_t
        low: cython.Py_ssize_t
        if same == 0:
            high = self.m + 1
            for j in range(high):
                self.before[j] = j
        else:
            low = self.low(same)
            high = self.high(same)
            if low > 0:
                self.before[low - 1] = _FAR
            for j in range(low, high):
                self.before[j] = self.costs[same * self.width + j - low]
        for i in range(same + 1, self.n + 1):
            high = self.row(i, words[i - 1], high, keep)
        return self.before[self.m]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def align(self) -> cython.void:
        """Backtrack through the stored table: the output word that each reference word is aligned with or follows, and
        the words of either side that are part of an edit."""
        i: cython.Py_ssize_t = self.n
        j: cython.Py_ssize_t = self.m
        op: cython.int
        while i > 0 or j > 0:
            op = _INSERT if i == 0 else self.ops[i * self.width + j - self.low(i)]
            if op == _INSERT:
                j -= 1
                self.aligned[j] = i - 1
                self.reference_wrong[j] = 1
            elif op == _DELETE:
                i -= 1
                self.output_wrong[i] = 1
            else:
                i -= 1
                j -= 1
                self.aligned[j] = i
                self.output_wrong[i] = op == _REPLACE
                self.reference_wrong[j] = op == _REPLACE
