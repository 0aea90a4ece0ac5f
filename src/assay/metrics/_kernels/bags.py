"""Types of n-grams over a whole set of texts, and counting over weighted bags and ordered streams of them."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log2

from assay.metrics._kernels._view import view

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
COLUMNS = 6
"""Total, types, types seen once, sum of c log2 c, sum of c squared, and sum of w log2 c over the items' last
n-grams (w how often the item was drawn)."""
TILE = 16
"""How many draws are counted side by side; results do not depend on it."""


@cython.cclass
class _Pairs:
    """Pairs of integers numbered in order of appearance, in a hash table that grows."""

    keys: cython.ulonglong[::1]
    found: cython.int[::1]
    size: cython.Py_ssize_t
    shift: cython.int

    def __init__(self) -> None:
        self.keys = view(np.zeros(1 << 15, dtype=np.uint64))
        self.found = view(np.zeros(1 << 16, dtype=np.int32))
        self.size = 0
        self.shift = 64 - 16

    @cython.cfunc
    def number(self, a: cython.ulonglong, b: cython.ulonglong) -> cython.int:
        factor: cython.ulonglong = 0x9E3779B97F4A7C15
        key: cython.ulonglong = (a << 32) | b
        mask: cython.Py_ssize_t = self.found.shape[0] - 1
        place: cython.Py_ssize_t = ((key * factor) & ALL) >> self.shift
        while self.found[place] != 0:
            if self.keys[self.found[place] - 1] == key:
                return self.found[place] - 1
            place = (place + 1) & mask
        self.keys[self.size] = key
        self.size += 1
        self.found[place] = self.size
        if self.size == self.keys.shape[0]:
            self._grow()
        return self.size - 1

    @cython.cfunc
    def _grow(self) -> cython.int:
        factor: cython.ulonglong = 0x9E3779B97F4A7C15
        keys = np.zeros(2 * self.size, dtype=np.uint64)
        keys[: self.size] = self.keys
        self.keys = view(keys)
        self.found = view(np.zeros(4 * self.size, dtype=np.int32))
        self.shift -= 1
        mask: cython.Py_ssize_t = self.found.shape[0] - 1
        place: cython.Py_ssize_t
        i: cython.Py_ssize_t
        for i in range(self.size):
            place = ((self.keys[i] * factor) & ALL) >> self.shift
            while self.found[place] != 0:
                place = (place + 1) & mask
            self.found[place] = i + 1
        return 0


def extend(types, tokens, starts, order: cython.Py_ssize_t):
    """From the types of (order-1)-grams to those of n-grams, in place: `types` holds for each position the type of
    the n-gram that begins there, -1 where the text is too short. Returns for each new type the type it begins with.
    """
    pairs = _Pairs()
    at: cython.int[::1] = view(types)
    words: cython.int[::1] = view(tokens)
    begins: cython.longlong[::1] = view(starts)
    text: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    for text in range(begins.shape[0] - 1):
        end = begins[text + 1] - order + 1
        for i in range(begins[text], end):
            at[i] = pairs.number(at[i], words[i + order - 1])
        for i in range(end if end > begins[text] else begins[text], begins[text + 1]):
            at[i] = -1
    return (np.asarray(pairs.keys)[: pairs.size] >> np.uint64(32)).astype(np.int32)


def gather(types, starts, size: cython.Py_ssize_t):
    """Occurrences by type: where each type's entries begin, and for each entry the item, how often the item has the
    type, and whether the item ends with it."""
    at: cython.int[::1] = view(types)
    begins: cython.longlong[::1] = view(starts)
    stamp: cython.int[::1] = view(np.full(max(size, 1), -1, dtype=np.int32))
    heads = np.zeros(size + 2, dtype=np.int64)
    cursor: cython.longlong[::1] = view(heads)
    item: cython.Py_ssize_t
    i: cython.Py_ssize_t
    last: cython.Py_ssize_t
    t: cython.int
    for item in range(begins.shape[0] - 1):
        for i in range(begins[item], begins[item + 1]):
            t = at[i]
            if t >= 0 and stamp[t] != item:
                stamp[t] = item
                cursor[t + 2] += 1
    heads[:] = np.cumsum(heads)
    entries = int(heads[size + 1]) if size else 0
    items = np.zeros(entries, dtype=np.int32)
    counts = np.zeros(entries, dtype=np.int32)
    ends = np.zeros(entries, dtype=np.int8)
    items_: cython.int[::1] = view(items)
    counts_: cython.int[::1] = view(counts)
    ends_: cython.char[::1] = view(ends)
    stamp = view(np.full(max(size, 1), -1, dtype=np.int32))
    for item in range(begins.shape[0] - 1):
        last = -1
        for i in range(begins[item], begins[item + 1]):
            t = at[i]
            if t >= 0:
                last = t
                if stamp[t] != item:
                    stamp[t] = item
                    items_[cursor[t + 1]] = item
                    cursor[t + 1] += 1
                counts_[cursor[t + 1] - 1] += 1
        if last >= 0:
            ends_[cursor[last + 1] - 1] = 1
    return heads[: size + 1], items, counts, ends


def fold(heads, items, counts, ends, weights):
    """For each row of `weights` (int32: how often each item was drawn) the summary of the weighted bag of types; the
    first four arguments are what `gather` returns."""
    samples: cython.Py_ssize_t = len(weights)
    result = np.zeros((samples, COLUMNS), dtype=np.float64)
    some = np.arange(1, 4096, dtype=np.float64)
    table = np.concatenate([[0.0], some * np.log2(some)])
    views = view(heads), view(items), view(counts), view(ends), view(table), view(result)
    heads_: cython.longlong[::1] = views[0]
    items_: cython.int[::1] = views[1]
    counts_: cython.int[::1] = views[2]
    ends_: cython.char[::1] = views[3]
    table_: cython.double[::1] = views[4]
    result_: cython.double[:, ::1] = views[5]
    sums: cython.int[::1] = view(np.zeros(TILE, dtype=np.int32))
    lasts: cython.int[::1] = view(np.zeros(TILE, dtype=np.int32))
    tile: cython.int[:, ::1]
    start: cython.Py_ssize_t
    width: cython.Py_ssize_t
    for start in range(0, samples, TILE):
        width = min(TILE, samples - start)
        tile = view(np.ascontiguousarray(weights[start : start + width].T))
        with cython.nogil:
            _fold(heads_, items_, counts_, ends_, tile, width, table_, sums, lasts, result_, start)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fold(
    heads: cython.longlong[::1],
    items: cython.int[::1],
    counts: cython.int[::1],
    ends: cython.char[::1],
    tile: cython.int[:, ::1],
    width: cython.Py_ssize_t,
    table: cython.double[::1],
    sums: cython.int[::1],
    lasts: cython.int[::1],
    result: cython.double[:, ::1],
    start: cython.Py_ssize_t,
) -> cython.void:
    t: cython.Py_ssize_t
    e: cython.Py_ssize_t
    b: cython.Py_ssize_t
    c: cython.int
    item: cython.Py_ssize_t
    final: cython.bint
    own: cython.double
    for t in range(heads.shape[0] - 1):
        if heads[t] == heads[t + 1]:
            continue
        for b in range(width):
            sums[b] = 0
        final = False
        for e in range(heads[t], heads[t + 1]):
            item = items[e]
            c = counts[e]
            for b in range(width):
                sums[b] += c * tile[item, b]
            if ends[e]:
                if not final:
                    for b in range(width):
                        lasts[b] = 0
                    final = True
                for b in range(width):
                    lasts[b] += tile[item, b]
        for b in range(width):
            c = sums[b]
            if c > 0:
                own = table[c] if c < 4096 else c * log2(c)
                result[start + b, 0] += c
                result[start + b, 1] += 1
                result[start + b, 2] += c == 1
                result[start + b, 3] += own
                result[start + b, 4] += cython.cast(cython.double, c) * c
                if final and lasts[b] > 0:
                    result[start + b, 5] += lasts[b] * (own / c)


def segments(types, starts, indices, size: cython.Py_ssize_t, kinds: cython.Py_ssize_t):
    """For each row of `indices` (items in order): how many full segments of `size` tokens the stream has, and
    how many different types the segments hold, added up. An int64 array (samples, 2)."""
    result = np.zeros((len(indices), 2), dtype=np.int64)
    views = view(types), view(starts), view(indices), view(result)
    types_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    indices_: cython.longlong[:, ::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    stamp: cython.longlong[::1] = view(np.zeros(max(kinds, 1), dtype=np.int64))
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
    stamp: cython.longlong[::1],
    result: cython.longlong[:, ::1],
) -> cython.void:
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    item: cython.Py_ssize_t
    filled: cython.Py_ssize_t
    different: cython.Py_ssize_t
    current: cython.longlong = 0
    for b in range(indices.shape[0]):
        current += 1
        filled = 0
        different = 0
        for i in range(indices.shape[1]):
            item = indices[b, i]
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
