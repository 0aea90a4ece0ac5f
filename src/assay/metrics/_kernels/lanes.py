"""Counts of a bag of n-grams in many resamples in parallel: every resample has one byte of a machine word, so that one
addition counts in eight resamples."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.libc.math import log2
else:
    from math import log2

COMPILED = cython.compiled
COLUMNS = 6
"""Total, types, types that occur once, sum of c log2 c, sum of c squared, and sum of w log2 c over the last n-grams of
items (w: how often the item was drawn)."""
TILE = 64
"""Number of resamples that are counted together: one cache line. Results do not depend on it."""
BYTE = 255
"""Maximum of a lane. Larger counts are rare; all others are counted in a histogram."""
RARE = 16
"""Types with at most this count are compared with every possible count, all resamples at once."""


def fold(heads, times, items, closed, closing, lanes, samples: cython.Py_ssize_t, most: cython.Py_ssize_t):
    """Return the summary of the weighted bag in each resample. The first five arguments are the result of
    `bags.gather`.

    lanes    uint8 (tiles, items, TILE): how often each resample of the tile contains the item
    samples  number of resamples; the padding of the last tile is ignored
    most     maximum number of times that any item was drawn
    """
    result = np.zeros((lanes.shape[0], COLUMNS, TILE), dtype=np.float64)
    sums = np.zeros(TILE // 8, dtype=np.uint64)
    histogram = np.zeros((BYTE + 1, TILE), dtype=np.int32)
    views = view(heads), view(times), view(items), view(closed), view(closing)
    heads_: cython.longlong[::1] = views[0]
    times_: cython.int[::1] = views[1]
    items_: cython.int[::1] = views[2]
    closed_: cython.longlong[::1] = views[3]
    closing_: cython.int[::1] = views[4]
    words: cython.ulonglong[:, ::1]
    sums_: cython.ulonglong[::1] = view(sums)
    seen: cython.uchar[::1] = view(sums.view(np.uint8))
    matched: cython.uchar[:, ::1] = view(np.zeros((RARE + 1, TILE), dtype=np.uint8))
    few: cython.int[:, ::1] = view(histogram)
    wide: cython.longlong[::1] = view(np.zeros(TILE, dtype=np.int64))
    last: cython.longlong[::1] = view(np.zeros(TILE, dtype=np.int64))
    logs: cython.double[::1] = view(np.log2(np.maximum(np.arange(BYTE + 1, dtype=np.float64), 1)))
    summary: cython.double[:, ::1]
    for tile, rows in enumerate(lanes.view(np.uint64)):
        histogram[:] = 0
        words = view(rows)
        summary = view(result[tile])
        with cython.nogil:
            _count(
                heads_,
                times_,
                items_,
                closed_,
                closing_,
                words,
                most,
                sums_,
                seen,
                matched,
                few,
                wide,
                last,
                logs,
                summary,
            )
            _weigh(few, logs, summary)
    return result.transpose(0, 2, 1).reshape(-1, COLUMNS)[:samples]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    heads: cython.longlong[::1],
    times: cython.int[::1],
    items: cython.int[::1],
    closed: cython.longlong[::1],
    closing: cython.int[::1],
    words: cython.ulonglong[:, ::1],
    most: cython.Py_ssize_t,
    sums: cython.ulonglong[::1],
    seen: cython.uchar[::1],
    matched: cython.uchar[:, ::1],
    few: cython.int[:, ::1],
    wide: cython.longlong[::1],
    last: cython.longlong[::1],
    logs: cython.double[::1],
    summary: cython.double[:, ::1],
) -> cython.void:
    """Count types by their frequency in each resample: up to one byte in a histogram, larger counts summed at once."""
    t: cython.Py_ssize_t
    j: cython.Py_ssize_t
    bound: cython.Py_ssize_t
    held: cython.int = 0
    total: cython.double
    for t in range(times.shape[0]):
        bound = (heads[t + 1] - heads[t]) * most
        if bound <= 16 and times[t] <= 255:
            _add(items, heads[t], heads[t + 1], words, sums)
            if held + times[t] > 255:
                _empty(matched, few)
                held = 0
            held += times[t]
            _match(seen, bound, times[t], matched)
        elif bound <= 255:
            _add(items, heads[t], heads[t + 1], words, sums)
            for j in range(64):
                few[seen[j], j] += times[t]
        else:
            _add_many(items, heads[t], heads[t + 1], words, most, sums, seen, wide)
            for j in range(64):
                if wide[j] <= 255:
                    few[wide[j], j] += times[t]
                else:
                    total = wide[j]
                    summary[0, j] += times[t] * total
                    summary[1, j] += times[t]
                    summary[3, j] += times[t] * total * log2(total)
                    summary[4, j] += times[t] * total * total
        if closed[t] < closed[t + 1]:  # the last column
            if bound <= 255:
                for j in range(64):
                    wide[j] = seen[j]
            _add_many(closing, closed[t], closed[t + 1], words, most, sums, seen, last)
            for j in range(64):
                if last[j] > 0:
                    total = last[j] * times[t]
                    summary[5, j] += total * (logs[wide[j]] if wide[j] <= 255 else log2(wide[j]))
    _empty(matched, few)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _match(
    seen: cython.uchar[::1], bound: cython.Py_ssize_t, times: cython.uchar, matched: cython.uchar[:, ::1]
) -> cython.void:
    """Add `times` to the histogram of each resample at its count."""
    count: cython.uchar
    j: cython.Py_ssize_t
    for count in range(1, bound + 1):
        for j in range(64):
            matched[count, j] += times if seen[j] == count else 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _empty(matched: cython.uchar[:, ::1], few: cython.int[:, ::1]) -> cython.void:
    """Move byte counters to the histogram before they overflow."""
    count: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for count in range(1, 17):
        for j in range(64):
            few[count, j] += matched[count, j]
            matched[count, j] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _weigh(few: cython.int[:, ::1], logs: cython.double[::1], summary: cython.double[:, ::1]) -> cython.void:
    """Add the histogram to the summary."""
    count: cython.Py_ssize_t
    j: cython.Py_ssize_t
    c: cython.double
    own: cython.double
    for j in range(64):
        summary[2, j] += few[1, j]
    for count in range(1, 256):
        c = count
        own = c * logs[count]
        for j in range(64):
            summary[0, j] += few[count, j] * c
            summary[1, j] += few[count, j]
            summary[3, j] += few[count, j] * own
            summary[4, j] += few[count, j] * c * c


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _add(
    items: cython.int[::1],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    words: cython.ulonglong[:, ::1],
    sums: cython.ulonglong[::1],
) -> cython.void:
    """Sum how often the items were drawn; the caller ensures that no byte overflows."""
    e: cython.Py_ssize_t
    s0: cython.ulonglong = 0
    s1: cython.ulonglong = 0
    s2: cython.ulonglong = 0
    s3: cython.ulonglong = 0
    s4: cython.ulonglong = 0
    s5: cython.ulonglong = 0
    s6: cython.ulonglong = 0
    s7: cython.ulonglong = 0
    for e in range(low, high):
        s0 += words[items[e], 0]
        s1 += words[items[e], 1]
        s2 += words[items[e], 2]
        s3 += words[items[e], 3]
        s4 += words[items[e], 4]
        s5 += words[items[e], 5]
        s6 += words[items[e], 6]
        s7 += words[items[e], 7]
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
    words: cython.ulonglong[:, ::1],
    most: cython.Py_ssize_t,
    sums: cython.ulonglong[::1],
    seen: cython.uchar[::1],
    wide: cython.longlong[::1],
) -> cython.void:
    """Sum how often any number of items were drawn, as many at once as a byte can count."""
    room: cython.Py_ssize_t = 255 // most if most > 0 else 255
    stop: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for j in range(64):
        wide[j] = 0
    while low < high:
        stop = low + room if low + room < high else high
        _add(items, low, stop, words, sums)
        for j in range(64):
            wide[j] += seen[j]
        low = stop
