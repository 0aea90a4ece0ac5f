"""Counting a bag of n-grams in many draws side by side: every draw has a byte of its own in a machine word, so that
one addition counts in eight draws."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import log2

from assay.metrics._kernels._view import view

COMPILED = cython.compiled
COLUMNS = 6
"""Total, types, types seen once, sum of c log2 c, sum of c squared, and sum of w log2 c over the items' last
n-grams (w how often the item was drawn)."""
TILE = 64
"""How many draws are counted together: one line of the cache. Results do not depend on it."""
BYTE = 255
"""What a lane can hold."""
FEW = BYTE + 1
"""Counts below this go through a histogram."""
RARE = 16
"""Types that cannot occur more often are compared with every count that they might have, all draws at once."""


def fold(
    heads,
    times,
    items,
    closed,
    closed_heads,
    closing,
    lanes,
    samples: cython.Py_ssize_t,
    most: cython.Py_ssize_t,
    number: cython.Py_ssize_t,
):
    """For each draw the summary of the weighted bag. The first six arguments are what `bags.gather` returns.

    lanes    uint8 (tiles, items, TILE): how often each draw of the tile has the item; an item that may be drawn more
             often than a byte can say has further rows, `number` of items below, with the rest
    samples  how many draws there are; those of the last tile beyond them are left out
    most     how often any item was drawn at most
    number   how many items there are
    """
    result = np.zeros((COLUMNS, lanes.shape[0] * TILE), dtype=np.float64)
    words = lanes.view(np.uint64)
    sums = np.zeros(TILE // 8, dtype=np.uint64)
    histogram = np.zeros((FEW, TILE), dtype=np.int32)
    buffers = np.zeros((2, TILE), dtype=np.int64)
    views = view(heads), view(times), view(items), view(closed), view(closed_heads), view(closing)
    heads_: cython.longlong[::1] = views[0]
    times_: cython.int[::1] = views[1]
    items_: cython.int[::1] = views[2]
    closed_: cython.longlong[::1] = views[3]
    closed_heads_: cython.longlong[::1] = views[4]
    closing_: cython.int[::1] = views[5]
    words_: cython.ulonglong[:, :, ::1] = view(words)
    sums_: cython.ulonglong[::1] = view(sums)
    seen: cython.uchar[::1] = view(sums.view(np.uint8))
    matched: cython.uchar[:, ::1] = view(np.zeros((RARE + 1, TILE), dtype=np.uint8))
    few: cython.int[:, ::1] = view(histogram)
    wide: cython.longlong[::1] = view(buffers[0])
    last: cython.longlong[::1] = view(buffers[1])
    result_: cython.double[:, ::1] = view(result)
    logs: cython.double[::1] = view(np.log2(np.maximum(np.arange(FEW, dtype=np.float64), 1)))
    tile: cython.Py_ssize_t
    for tile in range(words.shape[0]):
        histogram[:] = 0
        with cython.nogil:
            _count(
                heads_, times_, items_, words_, tile, most, number, sums_, seen, matched, few, wide, result_
            )
            _close(
                heads_, times_, items_, closed_, closed_heads_, closing_,
                words_, tile, most, number, sums_, seen, wide, last, logs, result_,
            )
            _weigh(few, tile, logs, result_)
    return result.T[:samples]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    heads: cython.longlong[::1],
    times: cython.int[::1],
    items: cython.int[::1],
    words: cython.ulonglong[:, :, ::1],
    tile: cython.Py_ssize_t,
    most: cython.Py_ssize_t,
    number: cython.Py_ssize_t,
    sums: cython.ulonglong[::1],
    seen: cython.uchar[::1],
    matched: cython.uchar[:, ::1],
    few: cython.int[:, ::1],
    wide: cython.longlong[::1],
    result: cython.double[:, ::1],
) -> cython.void:
    """How many types each draw has how often: counts below FEW in a histogram, others added up at once."""
    t: cython.Py_ssize_t
    j: cython.Py_ssize_t
    bound: cython.Py_ssize_t
    held: cython.int = 0
    total: cython.double
    for t in range(times.shape[0]):
        bound = (heads[t + 1] - heads[t]) * most
        if bound <= 16 and times[t] <= 255:
            _add(items, heads[t], heads[t + 1], 0, words, tile, sums)
            if held + times[t] > 255:
                _empty(matched, few)
                held = 0
            held += times[t]
            _match(seen, bound, times[t], matched)
        elif bound <= 255:
            _add(items, heads[t], heads[t + 1], 0, words, tile, sums)
            for j in range(64):
                few[seen[j], j] += times[t]
        else:
            _add_many(items, heads[t], heads[t + 1], words, tile, most, number, sums, seen, wide)
            for j in range(64):
                if wide[j] < 256:
                    few[wide[j], j] += times[t]
                else:
                    total = wide[j]
                    result[0, tile * 64 + j] += times[t] * total
                    result[1, tile * 64 + j] += times[t]
                    result[3, tile * 64 + j] += times[t] * total * log2(total)
                    result[4, tile * 64 + j] += times[t] * total * total
    _empty(matched, few)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weigh(
    few: cython.int[:, ::1], tile: cython.Py_ssize_t, logs: cython.double[::1], result: cython.double[:, ::1]
) -> cython.void:
    """Add up the histogram."""
    count: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.double
    own: cython.double
    for j in range(64):
        result[2, tile * 64 + j] += few[1, j]
    for count in range(1, 256):
        c = count
        own = c * logs[count]
        for j in range(64):
            result[0, tile * 64 + j] += few[count, j] * c
            result[1, tile * 64 + j] += few[count, j]
            result[3, tile * 64 + j] += few[count, j] * own
            result[4, tile * 64 + j] += few[count, j] * c * c


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _close(
    heads: cython.longlong[::1],
    times: cython.int[::1],
    items: cython.int[::1],
    closed: cython.longlong[::1],
    closed_heads: cython.longlong[::1],
    closing: cython.int[::1],
    words: cython.ulonglong[:, :, ::1],
    tile: cython.Py_ssize_t,
    most: cython.Py_ssize_t,
    number: cython.Py_ssize_t,
    sums: cython.ulonglong[::1],
    seen: cython.uchar[::1],
    wide: cython.longlong[::1],
    last: cython.longlong[::1],
    logs: cython.double[::1],
    result: cython.double[:, ::1],
) -> cython.void:
    """The last column, over the types with which items end."""
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    j: cython.Py_ssize_t
    logarithm: cython.double
    for i in range(closed.shape[0]):
        t = closed[i]
        _add_many(closing, closed_heads[i], closed_heads[i + 1], words, tile, most, number, sums, seen, last)
        _add_many(items, heads[t], heads[t + 1], words, tile, most, number, sums, seen, wide)
        for j in range(64):
            if last[j] > 0:
                logarithm = logs[wide[j]] if wide[j] < 256 else log2(wide[j])
                result[5, tile * 64 + j] += cython.cast(cython.double, times[t]) * last[j] * logarithm


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(
    items: cython.int[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    below: cython.Py_ssize_t,
    words: cython.ulonglong[:, :, ::1],
    tile: cython.Py_ssize_t,
    sums: cython.ulonglong[::1],
) -> cython.void:
    """How often the items were drawn, together; the caller knows that no lane overflows."""
    e: cython.Py_ssize_t
    row: cython.Py_ssize_t
    s0: cython.ulonglong = 0
    s1: cython.ulonglong = 0
    s2: cython.ulonglong = 0
    s3: cython.ulonglong = 0
    s4: cython.ulonglong = 0
    s5: cython.ulonglong = 0
    s6: cython.ulonglong = 0
    s7: cython.ulonglong = 0
    for e in range(low, high):
        row = below + items[e]
        s0 += words[tile, row, 0]
        s1 += words[tile, row, 1]
        s2 += words[tile, row, 2]
        s3 += words[tile, row, 3]
        s4 += words[tile, row, 4]
        s5 += words[tile, row, 5]
        s6 += words[tile, row, 6]
        s7 += words[tile, row, 7]
    sums[0] = s0
    sums[1] = s1
    sums[2] = s2
    sums[3] = s3
    sums[4] = s4
    sums[5] = s5
    sums[6] = s6
    sums[7] = s7


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_many(
    items: cython.int[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    words: cython.ulonglong[:, :, ::1],
    tile: cython.Py_ssize_t,
    most: cython.Py_ssize_t,
    number: cython.Py_ssize_t,
    sums: cython.ulonglong[::1],
    seen: cython.uchar[::1],
    wide: cython.longlong[::1],
) -> cython.void:
    """The same for any number of items and any weights: as many at once as a byte can hold."""
    room: cython.Py_ssize_t = 255 // most if 0 < most < 255 else (255 if most == 0 else 1)
    start: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    below: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for j in range(64):
        wide[j] = 0
    below = 0
    while below < words.shape[1]:
        start = low
        while start < high:
            stop = start + room if start + room < high else high
            _add(items, start, stop, below, words, tile, sums)
            for j in range(64):
                wide[j] += seen[j]
            start = stop
        below += number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _match(
    seen: cython.uchar[::1], bound: cython.Py_ssize_t, times: cython.uchar, matched: cython.uchar[:, ::1]
) -> cython.void:
    """Add `times` for each draw at the count it has."""
    count: cython.uchar
    j: cython.Py_ssize_t
    for count in range(1, bound + 1):
        for j in range(64):
            matched[count, j] += times if seen[j] == count else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _empty(matched: cython.uchar[:, ::1], few: cython.int[:, ::1]) -> cython.void:
    """Move what the bytes hold to the histogram before they overflow."""
    count: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for count in range(1, 17):
        for j in range(64):
            few[count, j] += matched[count, j]
            matched[count, j] = 0
