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
TILE = 32
"""How many draws are counted side by side; results do not depend on it."""
FEW = 256
"""Counts below this go through a histogram."""


@cython.final
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
    """Occurrences by type. Types that occur in the same items, equally often in each, are one entry with a
    multiplicity: the words of a phrase that is repeated as a whole need to be counted only once.

    Returns where the entries of each kind of type begin, how many types are of that kind, and for each entry the
    item, how often the item has the type, and whether the item ends with it.
    """
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
    entries = int(heads[size + 1])
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
    times = np.zeros(size, dtype=np.int32)
    kinds = _merge(cursor, items_, counts_, ends_, view(times), size)
    used = int(heads[kinds])
    return (
        heads[: kinds + 1].copy(),
        times[:kinds].copy(),
        items[:used].copy(),
        counts[:used].copy(),
        ends[:used].copy(),
    )


@cython.cfunc
def _merge(
    heads: cython.longlong[::1],
    items: cython.int[::1],
    counts: cython.int[::1],
    ends: cython.char[::1],
    times: cython.int[::1],
    size: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Bring types with the same entries together, in place; how many kinds remain."""
    places: cython.Py_ssize_t = 16
    while places < 2 * size:
        places *= 2
    table: cython.int[::1] = view(np.zeros(places, dtype=np.int32))
    prime: cython.ulonglong = 0x100000001B3
    code: cython.ulonglong
    place: cython.Py_ssize_t
    t: cython.Py_ssize_t
    e: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    kind: cython.Py_ssize_t
    kinds: cython.Py_ssize_t = 0
    written: cython.Py_ssize_t = 0
    same: cython.bint
    high = 0
    for t in range(size):
        low = high
        high = heads[t + 1]
        if low == high:
            continue
        code = 0xCBF29CE484222325
        for e in range(low, high):
            code = ((code ^ items[e]) * prime) & ALL
            code = ((code ^ (2 * counts[e] + ends[e])) * prime) & ALL
        code ^= code >> 31
        place = code & (places - 1)
        while table[place] != 0:
            kind = table[place] - 1
            same = heads[kind + 1] - heads[kind] == high - low
            e = 0
            while same and e < high - low:
                i: cython.Py_ssize_t = heads[kind] + e
                same = items[i] == items[low + e] and counts[i] == counts[low + e] and ends[i] == ends[low + e]
                e += 1
            if same:
                times[kind] += 1
                break
            place = (place + 1) & (places - 1)
        if table[place] == 0:
            table[place] = kinds + 1
            times[kinds] = 1
            for e in range(high - low):
                items[written + e] = items[low + e]
                counts[written + e] = counts[low + e]
                ends[written + e] = ends[low + e]
            written += high - low
            kinds += 1
            heads[kinds] = written  # never beyond what has been read
    heads[0] = 0
    return kinds


def pack(weights):
    """Draws side by side: for each tile of 32 rows of `weights` (int32: how often each item was drawn) and each
    item, the 32 weights in the 16-bit lanes of eight machine words, which is one line of the cache."""
    samples: cython.Py_ssize_t = len(weights)
    items: cython.Py_ssize_t = weights.shape[1]
    packed = np.zeros(((samples + TILE - 1) // TILE, items, 8), dtype=np.uint64)
    drawn: cython.int[:, ::1] = view(weights)
    out: cython.ulonglong[:, :, ::1] = view(packed)
    row: cython.Py_ssize_t
    item: cython.Py_ssize_t
    word: cython.Py_ssize_t
    shift: cython.int
    weight: cython.ulonglong
    for row in range(samples):
        word = (row % 32) // 4
        shift = 16 * (row % 4)
        for item in range(items):
            weight = drawn[row, item]
            out[row // 32, item, word] |= weight << shift
    return packed


def fold(heads, times, items, counts, ends, weights, packed):
    """For each row of `weights` the summary of the weighted bag of types. The first five arguments are what `gather`
    returns, the last is what `pack` returns. A type that may occur too often for 16 bits is counted draw by draw."""
    samples: cython.Py_ssize_t = len(weights)
    result = np.zeros((samples, COLUMNS), dtype=np.float64)
    totals = np.add.reduceat(counts, heads[: len(times)]).astype(np.int64) if len(times) else heads[:0]
    closing = np.maximum.reduceat(ends, heads[: len(times)]) if len(times) else ends[:0]
    limit: cython.longlong = 65535 // max(1, int(weights.max(initial=0)))
    views = view(heads), view(times), view(items), view(counts), view(ends), view(totals), view(closing), view(result)
    heads_: cython.longlong[::1] = views[0]
    times_: cython.int[::1] = views[1]
    items_: cython.int[::1] = views[2]
    counts_: cython.int[::1] = views[3]
    ends_: cython.char[::1] = views[4]
    totals_: cython.longlong[::1] = views[5]
    closing_: cython.char[::1] = views[6]
    result_: cython.double[:, ::1] = views[7]
    drawn: cython.int[:, ::1] = view(weights)
    packed_: cython.ulonglong[:, :, ::1] = view(packed)
    histogram = np.zeros((TILE, FEW), dtype=np.int64)
    few: cython.longlong[:, ::1] = view(histogram)
    counted = np.arange(FEW, dtype=np.float64)
    own = counted * np.log2(np.maximum(counted, 1))
    start: cython.Py_ssize_t
    width: cython.Py_ssize_t
    for start in range(0, samples, TILE):
        width = min(TILE, samples - start)
        histogram[:] = 0
        with cython.nogil:
            _fold(heads_, times_, items_, counts_, totals_, limit, drawn, packed_, width, few, result_, start)
            _close(heads_, times_, items_, counts_, ends_, closing_, drawn, width, result_, start)
        histogram[:, 0] = 0
        seen = histogram[:width].astype(np.float64)
        part = result[start : start + width]
        part[:, 0] += seen @ counted
        part[:, 1] += seen.sum(axis=1)
        part[:, 2] += seen[:, 1]
        part[:, 3] += seen @ own
        part[:, 4] += seen @ (counted * counted)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fold(
    heads: cython.longlong[::1],
    times: cython.int[::1],
    items: cython.int[::1],
    counts: cython.int[::1],
    totals: cython.longlong[::1],
    limit: cython.longlong,
    drawn: cython.int[:, ::1],
    packed: cython.ulonglong[:, :, ::1],
    width: cython.Py_ssize_t,
    few: cython.longlong[:, ::1],
    result: cython.double[:, ::1],
    start: cython.Py_ssize_t,
) -> cython.void:
    t: cython.Py_ssize_t
    e: cython.Py_ssize_t
    b: cython.Py_ssize_t
    item: cython.Py_ssize_t
    count: cython.ulonglong
    total: cython.longlong
    tile: cython.Py_ssize_t = start // 32
    s0: cython.ulonglong
    s1: cython.ulonglong
    s2: cython.ulonglong
    s3: cython.ulonglong
    s4: cython.ulonglong
    s5: cython.ulonglong
    s6: cython.ulonglong
    s7: cython.ulonglong
    for t in range(times.shape[0]):
        if totals[t] <= limit:
            s0 = 0
            s1 = 0
            s2 = 0
            s3 = 0
            s4 = 0
            s5 = 0
            s6 = 0
            s7 = 0
            for e in range(heads[t], heads[t + 1]):
                item = items[e]
                count = counts[e]
                s0 += count * packed[tile, item, 0]
                s1 += count * packed[tile, item, 1]
                s2 += count * packed[tile, item, 2]
                s3 += count * packed[tile, item, 3]
                s4 += count * packed[tile, item, 4]
                s5 += count * packed[tile, item, 5]
                s6 += count * packed[tile, item, 6]
                s7 += count * packed[tile, item, 7]
            for b in range(4):
                _tally((s0 >> (16 * b)) & 0xFFFF, times[t], b, few, result, start)
                _tally((s1 >> (16 * b)) & 0xFFFF, times[t], 4 + b, few, result, start)
                _tally((s2 >> (16 * b)) & 0xFFFF, times[t], 8 + b, few, result, start)
                _tally((s3 >> (16 * b)) & 0xFFFF, times[t], 12 + b, few, result, start)
                _tally((s4 >> (16 * b)) & 0xFFFF, times[t], 16 + b, few, result, start)
                _tally((s5 >> (16 * b)) & 0xFFFF, times[t], 20 + b, few, result, start)
                _tally((s6 >> (16 * b)) & 0xFFFF, times[t], 24 + b, few, result, start)
                _tally((s7 >> (16 * b)) & 0xFFFF, times[t], 28 + b, few, result, start)
        else:
            for b in range(width):
                total = 0
                for e in range(heads[t], heads[t + 1]):
                    total += cython.cast(cython.longlong, counts[e]) * drawn[start + b, items[e]]
                _tally(total, times[t], b, few, result, start)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _close(
    heads: cython.longlong[::1],
    times: cython.int[::1],
    items: cython.int[::1],
    counts: cython.int[::1],
    ends: cython.char[::1],
    closing: cython.char[::1],
    drawn: cython.int[:, ::1],
    width: cython.Py_ssize_t,
    result: cython.double[:, ::1],
    start: cython.Py_ssize_t,
) -> cython.void:
    """The last column, over the few types with which items end."""
    t: cython.Py_ssize_t
    e: cython.Py_ssize_t
    b: cython.Py_ssize_t
    total: cython.longlong
    last: cython.longlong
    for t in range(times.shape[0]):
        if not closing[t]:
            continue
        for b in range(width):
            total = 0
            last = 0
            for e in range(heads[t], heads[t + 1]):
                total += cython.cast(cython.longlong, counts[e]) * drawn[start + b, items[e]]
                if ends[e]:
                    last += drawn[start + b, items[e]]
            if last > 0:
                result[start + b, 5] += cython.cast(cython.double, times[t]) * last * log2(total)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _tally(
    count: cython.longlong,
    times: cython.int,
    b: cython.Py_ssize_t,
    few: cython.longlong[:, ::1],
    result: cython.double[:, ::1],
    start: cython.Py_ssize_t,
) -> cython.void:
    """Small counts, which nearly all are, go into a histogram for each draw; large ones are added up at once."""
    total: cython.double
    if count < 256:
        few[b, count] += times
    else:
        total = count
        result[start + b, 0] += times * total
        result[start + b, 1] += times
        result[start + b, 3] += times * total * log2(total)
        result[start + b, 4] += times * total * total


def segments(types, starts, indices, size: cython.Py_ssize_t, kinds: cython.Py_ssize_t):
    """For each row of `indices` (items in order): how many full segments of `size` tokens the stream has, and
    how many different types the segments hold, added up. An int64 array (samples, 2)."""
    result = np.zeros((len(indices), 2), dtype=np.int64)
    views = view(types), view(starts), view(indices), view(result)
    types_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    indices_: cython.longlong[:, ::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    stamp: cython.int[::1] = view(np.zeros(max(kinds, 1), dtype=np.int32))
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
    stamp: cython.int[::1],
    result: cython.longlong[:, ::1],
) -> cython.void:
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    item: cython.Py_ssize_t
    filled: cython.Py_ssize_t
    different: cython.Py_ssize_t
    current: cython.int = 0
    for b in range(indices.shape[0]):
        current += 1
        filled = 0
        different = 0
        for i in range(indices.shape[1]):
            item = indices[b, i]
            if item < 0:  # a draw of clusters may be shorter than others
                continue
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
