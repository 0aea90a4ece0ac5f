"""Counts over ordered streams of tokens (MSTTR)."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled


def segments(types, starts, indices, size: cython.Py_ssize_t, kinds: cython.Py_ssize_t):
    """Return for each row of `indices` (items in order) the number of complete segments of `size` tokens, and the sum
    of the numbers of types of the segments. An int64 array (samples, 2)."""
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
    at: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    room: cython.Py_ssize_t
    full: cython.longlong
    total: cython.longlong
    different: cython.longlong
    current: cython.int = 0
    for b in range(indices.shape[0]):
        current += 1
        room = size
        different = 0
        full = 0
        total = 0
        for i in range(indices.shape[1]):
            item = indices[b, i]
            if item < 0:  # padding: a resample of clusters may be shorter than others
                continue
            at = starts[item]
            while at < starts[item + 1]:
                stop = starts[item + 1] if starts[item + 1] - at < room else at + room
                for k in range(at, stop):
                    different += stamp[types[k]] != current
                    stamp[types[k]] = current
                room -= stop - at
                at = stop
                if room == 0:
                    full += 1
                    total += different
                    current += 1
                    room = size
                    different = 0
        result[b, 0] = full
        result[b, 1] = total


def segments_in_order(types, starts, lanes, samples: cython.Py_ssize_t, size: cython.Py_ssize_t, kinds: int):
    """Return the same for resamples that contain each item at most once and in its original order: 64 of them read the
    texts together.

    lanes    uint8 (tiles, items, 64): 1 if a resample contains the item
    """
    result = np.zeros((lanes.shape[0] * 64, 2), dtype=np.int64)
    stamps = np.zeros((max(kinds, 1), 64), dtype=np.uint8)
    views = view(types), view(starts), view(lanes), view(stamps), view(result)
    types_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    lanes_: cython.uchar[:, :, ::1] = views[2]
    stamps_: cython.uchar[:, ::1] = views[3]
    result_: cython.longlong[:, ::1] = views[4]
    tile: cython.Py_ssize_t
    for tile in range(lanes.shape[0]):
        stamps[:] = 0
        with cython.nogil:
            _read_together(types_, starts_, lanes_, tile, size, stamps_, result_)
    return result[:samples]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _read_together(
    types: cython.int[::1],
    starts: cython.longlong[::1],
    lanes: cython.uchar[:, :, ::1],
    tile: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    stamps: cython.uchar[:, ::1],
    result: cython.longlong[:, ::1],
) -> cython.void:
    """Count one tile. The stamp of a type is the segment in which a resample has last seen it. Texts are read in pieces
    so short that at most one segment of a resample ends in each, and that bytes suffice for counting."""
    drawn = cython.declare(cython.uchar[64])
    segment = cython.declare(cython.uchar[64])
    new = cython.declare(cython.uchar[64])
    filled = cython.declare(cython.int[64])
    different = cython.declare(cython.int[64])
    ending = cython.declare(cython.int[201])  # first resample whose segment ends after this many tokens of the piece
    next_ = cython.declare(cython.int[64])  # and the next such resample
    most: cython.uchar
    t: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    item: cython.Py_ssize_t
    at: cython.Py_ssize_t
    length: cython.int
    longest: cython.Py_ssize_t = size if size < 200 else 200
    for j in range(64):
        segment[j] = 1
        filled[j] = 0
        different[j] = 0
    for item in range(starts.shape[0] - 1):
        at = starts[item]
        while at < starts[item + 1]:
            length = starts[item + 1] - at if starts[item + 1] - at < longest else longest
            for k in range(length + 1):
                ending[k] = -1
            for j in range(64):
                drawn[j] = lanes[tile, item, j]
                filled[j] += length if drawn[j] != 0 else 0
                new[j] = 0
            for j in range(64):
                if filled[j] >= size:
                    filled[j] -= size
                    next_[j] = ending[length - filled[j]]
                    ending[length - filled[j]] = j
            most = 0
            for k in range(length + 1):
                j = ending[k]
                while j >= 0:
                    result[tile * 64 + j, 0] += 1
                    result[tile * 64 + j, 1] += different[j] + new[j]
                    different[j] = 0
                    new[j] = 0
                    segment[j] += 1
                    most = segment[j] if segment[j] > most else most
                    j = next_[j]
                if k < length:
                    t = types[at + k]
                    for j in range(64):
                        new[j] += drawn[j] if stamps[t, j] != segment[j] else 0
                        stamps[t, j] = segment[j] if drawn[j] != 0 else stamps[t, j]
            for j in range(64):
                different[j] += new[j]
            if most == 255:  # restart the numbering of segments before it overflows
                for k in range(stamps.shape[0]):
                    for j in range(64):
                        stamps[k, j] = 1 if stamps[k, j] == segment[j] else 0
                for j in range(64):
                    segment[j] = 1
            at += length
