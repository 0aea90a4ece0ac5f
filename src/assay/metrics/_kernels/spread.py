"""N-gram types of sets that do not fit in memory: partitioned by hash, and numbered one partition at a time.

A type is identified by a pair: the number of its prefix, and its last word. Equal pairs have equal hashes, so the types
of one partition ("hand") are numbered independently of the others. Counts are then written back to the positions in the
texts and summed in the order of the texts, as in `corpus` and `lanes`, with bit-identical results.
"""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.libc.math import exp, log, log2, sqrt
else:
    from math import exp, log, log2, sqrt

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
NONE = 0xFFFFFFFF
"""The type of a position where the text is too short for an n-gram."""
_NONE = cython.declare(cython.ulonglong, NONE)


def deal(at, words, starts, labels, order: cython.Py_ssize_t, hands: cython.Py_ssize_t):
    """Partition the n-grams of some texts by hash; within a partition they are in the order of the texts.

    at       uint32: number of the (order-1)-gram that begins at each position
    labels   int32: label of each text
    hands    number of partitions

    Returns the pairs (uint64), twice the label of their text plus one for its last n-gram (int32), their positions
    (int32), and where each partition begins (int64).
    """
    at_: cython.uint[::1] = view(at)
    words_: cython.int[::1] = view(words)
    begins: cython.longlong[::1] = view(starts)
    labels_: cython.int[::1] = view(labels)
    lengths = np.maximum(np.diff(starts) - (order - 1), 0)
    n = int(lengths.sum())
    pairs, owners, places = np.empty(n, np.uint64), np.empty(n, np.int32), np.empty(n, np.int32)
    bounds = np.zeros(hands + 2, dtype=np.int64)
    views = view(pairs), view(owners), view(places), view(bounds)
    pairs_: cython.ulonglong[::1] = views[0]
    owners_: cython.int[::1] = views[1]
    places_: cython.int[::1] = views[2]
    cursor: cython.longlong[::1] = views[3]
    factor: cython.ulonglong = 0xD6E8FEB86659FD93
    key: cython.ulonglong
    hand: cython.ulonglong
    many: cython.ulonglong = hands
    text: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t
    to: cython.longlong
    step: cython.int
    with cython.nogil:
        for step in range(2):
            for text in range(begins.shape[0] - 1):
                end = begins[text + 1] - order + 1
                for i in range(begins[text], end):
                    key = at_[i]
                    key = key << 32 | cython.cast(cython.ulonglong, words_[i + order - 1])
                    hand = (((((key ^ (key >> 29)) * factor) & ALL) >> 32) * many) >> 32
                    if step == 0:
                        cursor[hand + 2] += 1
                        continue
                    to = cursor[hand + 1]
                    cursor[hand + 1] += 1
                    pairs_[to] = key
                    owners_[to] = 2 * labels_[text] + (1 if i == end - 1 else 0)
                    places_[to] = i
            if step == 0:
                for i in range(2, cursor.shape[0]):
                    cursor[i] += cursor[i - 1]
    return pairs, owners, places, bounds[: hands + 1]


def number(pairs):
    """Return the number of each pair, in order of appearance, and the number of different pairs."""
    result = np.empty(len(pairs), dtype=np.int32)
    n: cython.Py_ssize_t = len(pairs)
    bits: cython.int = 4
    while (1 << bits) < 2 * n:
        bits += 1
    keys_: cython.ulonglong[::1] = view(np.empty(max(n, 1), dtype=np.uint64))
    found: cython.int[::1] = view(np.zeros(1 << bits, dtype=np.int32))
    given: cython.ulonglong[::1] = view(pairs)
    result_: cython.int[::1] = view(result)
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    shift: cython.int = 64 - bits
    mask: cython.Py_ssize_t = (1 << bits) - 1
    place: cython.Py_ssize_t
    size: cython.int = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(n):
            place = ((given[i] * factor) & ALL) >> shift
            while found[place] != 0 and keys_[found[place] - 1] != given[i]:
                place = (place + 1) & mask
            if found[place] == 0:
                keys_[size] = given[i]
                size += 1
                found[place] = size
            result_[i] = found[place] - 1
    return result, size


def holders(numbers, owners, size: cython.Py_ssize_t):
    """Return for each number how many non-negative labels have it; occurrences of one label are adjacent."""
    result = np.zeros(size, dtype=np.int32)
    numbers_: cython.int[::1] = view(numbers)
    owners_: cython.int[::1] = view(owners)
    counts: cython.int[::1] = view(result)
    last: cython.int[::1] = view(np.full(size, -1, dtype=np.int32))
    i: cython.Py_ssize_t
    label: cython.int
    with cython.nogil:
        for i in range(numbers_.shape[0]):
            if owners_[i] >= 0:
                label = owners_[i] >> 1
                if last[numbers_[i]] != label:
                    last[numbers_[i]] = label
                    counts[numbers_[i]] += 1
    return result


def summarise(counts, closing, few, summary):
    """Add types, in order, to the histogram of counts up to 255 and to the last column of a summary (see `lanes`);
    larger counts are left to the caller, which merges equal types first."""
    counts_: cython.int[::1] = view(counts)
    closing_: cython.int[::1] = view(closing)
    few_: cython.longlong[::1] = view(few)
    summary_: cython.double[::1] = view(summary)
    logs: cython.double[::1] = view(np.log2(np.maximum(np.arange(256, dtype=np.float64), 1)))
    i: cython.Py_ssize_t
    total: cython.double
    with cython.nogil:
        for i in range(counts_.shape[0]):
            if counts_[i] <= 255:
                few_[counts_[i]] += 1
            if closing_[i] > 0:
                total = closing_[i]
                summary_[5] += total * (logs[counts_[i]] if counts_[i] <= 255 else log2(counts_[i]))


def add_large(counts, times, summary):
    """Add counts above 255 to a summary, in order, each with its multiplicity."""
    counts_: cython.longlong[::1] = view(counts)
    times_: cython.int[::1] = view(times)
    summary_: cython.double[::1] = view(summary)
    i: cython.Py_ssize_t
    total: cython.double
    with cython.nogil:
        for i in range(counts_.shape[0]):
            total = counts_[i]
            summary_[0] += times_[i] * total
            summary_[1] += times_[i]
            summary_[3] += times_[i] * total * log2(total)
            summary_[4] += times_[i] * total * total


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _slot(number: cython.uint, slots: cython.uint[::1], used: cython.int[::1], stamp: cython.int) -> cython.Py_ssize_t:
    """Return the slot of a type in a small hash table that is reused for each item; stamps identify the item."""
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    place: cython.Py_ssize_t = (((number * factor) & ALL) >> 40) & mask
    while used[place] == stamp and slots[place] != number:
        place = (place + 1) & mask
    return place


def information(at, counts, below, starts, first, room: cython.Py_ssize_t):
    """Return what `corpus.information` returns for the items of a block: `at` (uint32) has the type at each position,
    `counts` and `below` (int64) the counts of the type and of its prefix in all references; `room` is a power of two
    above the number of positions of any item."""
    items: cython.Py_ssize_t = len(first) - 1
    result = np.zeros(items, dtype=np.float64)
    at_: cython.uint[::1] = view(at)
    counts_: cython.longlong[::1] = view(counts)
    below_: cython.longlong[::1] = view(below)
    begins: cython.longlong[::1] = view(starts)
    first_: cython.longlong[::1] = view(first)
    result_: cython.double[::1] = view(result)
    slots: cython.uint[::1] = view(np.zeros(room, dtype=np.uint32))
    used: cython.int[::1] = view(np.zeros(room, dtype=np.int32))
    own: cython.int[::1] = view(np.zeros(room, dtype=np.int32))
    best: cython.int[::1] = view(np.zeros(room, dtype=np.int32))
    seen: cython.int[::1] = view(np.zeros(room, dtype=np.int32))
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    s: cython.Py_ssize_t
    stamp: cython.int
    hits: cython.int
    with cython.nogil:
        for item in range(items):
            stamp = item + 1
            for i in range(begins[item], begins[item + 1]):
                if at_[i] != _NONE:
                    s = _slot(at_[i], slots, used, stamp)
                    if used[s] != stamp:
                        used[s] = stamp
                        slots[s] = at_[i]
                        own[s] = 0
                        best[s] = 0
                        seen[s] = 0
                    own[s] += 1
            for r in range(items + first_[item], items + first_[item + 1]):
                for i in range(begins[r], begins[r + 1]):
                    if at_[i] != _NONE:
                        s = _slot(at_[i], slots, used, stamp)
                        if used[s] == stamp:
                            seen[s] += 1
                            if seen[s] > best[s]:
                                best[s] = seen[s]
                for i in range(begins[r], begins[r + 1]):
                    if at_[i] != _NONE:
                        s = _slot(at_[i], slots, used, stamp)
                        if used[s] == stamp:
                            seen[s] = 0
            for i in range(begins[item], begins[item + 1]):
                if at_[i] != _NONE:
                    s = _slot(at_[i], slots, used, stamp)
                    if own[s] > 0:
                        hits = own[s] if own[s] < best[s] else best[s]
                        if hits > 0 and counts_[i] > 0:
                            result_[item] += hits * log2(cython.cast(cython.double, below_[i]) / counts_[i])
                        own[s] = 0
    return result


def consensus(
    at,
    found,
    starts,
    first,
    room: cython.Py_ssize_t,
    documents: cython.longlong,
    clip: cython.bint,
    sigma: cython.double,
    penalty,
):
    """Return what `corpus.consensus` returns for the items of a block: `found` (int32) has at each position the number
    of `documents` whose references contain the type."""
    items: cython.Py_ssize_t = len(first) - 1
    result = np.zeros(items, dtype=np.float64)
    at_: cython.uint[::1] = view(at)
    found_: cython.int[::1] = view(found)
    begins: cython.longlong[::1] = view(starts)
    first_: cython.longlong[::1] = view(first)
    lengths: cython.longlong[::1] = view(penalty)
    result_: cython.double[::1] = view(result)
    slots: cython.uint[::1] = view(np.zeros(room, dtype=np.uint32))
    used: cython.int[::1] = view(np.zeros(room, dtype=np.int32))
    own: cython.int[::1] = view(np.zeros(room, dtype=np.int32))
    seen: cython.int[::1] = view(np.zeros(room, dtype=np.int32))
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    s: cython.Py_ssize_t
    stamp: cython.int
    all_: cython.double = log(documents) if documents > 0 else 0.0
    norm: cython.double
    other: cython.double
    value: cython.double
    a: cython.double
    b: cython.double
    weight: cython.double
    gap: cython.double
    with cython.nogil:
        for item in range(items):
            stamp = item + 1
            for i in range(begins[item], begins[item + 1]):
                if at_[i] != _NONE:
                    s = _slot(at_[i], slots, used, stamp)
                    if used[s] != stamp:
                        used[s] = stamp
                        slots[s] = at_[i]
                        own[s] = 0
                        seen[s] = 0
                    own[s] += 1
            for i in range(begins[items + first_[item]], begins[items + first_[item + 1]]):
                if at_[i] != _NONE:
                    s = _slot(at_[i], slots, used, stamp)
                    if used[s] != stamp:
                        used[s] = stamp
                        slots[s] = at_[i]
                        own[s] = 0
                        seen[s] = 0
            norm = 0.0
            for i in range(begins[item], begins[item + 1]):
                if at_[i] != _NONE:
                    s = _slot(at_[i], slots, used, stamp)
                    a = all_ - (log(found_[i]) if found_[i] > 1 else 0.0)
                    norm += own[s] * a * a  # once per occurrence, which squares the count
            for r in range(items + first_[item], items + first_[item + 1]):
                for i in range(begins[r], begins[r + 1]):
                    if at_[i] != _NONE:
                        seen[_slot(at_[i], slots, used, stamp)] += 1
                other = 0.0
                value = 0.0
                for i in range(begins[r], begins[r + 1]):
                    if at_[i] != _NONE:
                        s = _slot(at_[i], slots, used, stamp)
                        if seen[s] > 0:
                            weight = all_ - (log(found_[i]) if found_[i] > 1 else 0.0)
                            b = seen[s] * weight
                            other += b * b
                            if own[s] > 0:
                                a = own[s] * weight
                                value += (a if a < b or not clip else b) * b
                            seen[s] = 0
                if norm > 0 and other > 0:
                    value /= sqrt(norm) * sqrt(other)
                if sigma > 0:
                    gap = lengths[item] - lengths[r]
                    value *= exp(-gap * gap / (2 * sigma * sigma))
                result_[item] += value
            if first_[item + 1] > first_[item]:
                result_[item] /= first_[item + 1] - first_[item]
    return result
