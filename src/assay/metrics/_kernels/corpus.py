"""Metrics with weights from all references: information (NIST), inverse document frequency (CIDEr); and self-BLEU,
where every output is compared with all others.

Layout as in `grams`: outputs, then references (`first` delimits those of an item). `types` has for each position the
type of the n-gram that begins there, -1 where the text is too short. One order is processed at a time, so only its
types are in memory.
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


def information(types, starts, first, size: cython.Py_ssize_t, prefix, below):
    """NIST for one order: return the information of the clipped matches of each item, and the counts of the types of
    this order in the references, which the next order needs as `below`.

    prefix   prefix type of each type
    below    counts of the prefix types in the references
    """
    items: cython.Py_ssize_t = len(first) - 1
    result = np.zeros(items, dtype=np.float64)
    counts = np.zeros(max(size, 1), dtype=np.int64)
    views = view(types), view(starts), view(first), view(prefix), view(below), view(counts), view(result)
    at: cython.int[::1] = views[0]
    begins: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    prefix_: cython.int[::1] = views[3]
    below_: cython.longlong[::1] = views[4]
    counts_: cython.longlong[::1] = views[5]
    result_: cython.double[::1] = views[6]
    own: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    best: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    seen: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    t: cython.int
    hits: cython.int
    with cython.nogil:
        for i in range(begins[items], begins[items + first_[items]]):
            if at[i] >= 0:
                counts_[at[i]] += 1
        for item in range(items):
            for i in range(begins[item], begins[item + 1]):
                if at[i] >= 0:
                    own[at[i]] += 1
            for r in range(items + first_[item], items + first_[item + 1]):
                for i in range(begins[r], begins[r + 1]):
                    t = at[i]
                    if t >= 0 and own[t] > 0:
                        seen[t] += 1
                        if seen[t] > best[t]:
                            best[t] = seen[t]
                for i in range(begins[r], begins[r + 1]):
                    if at[i] >= 0:
                        seen[at[i]] = 0
            for i in range(begins[item], begins[item + 1]):
                t = at[i]
                if t >= 0 and own[t] > 0:
                    hits = own[t] if own[t] < best[t] else best[t]
                    if hits > 0 and counts_[t] > 0:
                        result_[item] += hits * log2(cython.cast(cython.double, below_[prefix_[t]]) / counts_[t])
                    own[t] = 0
                    best[t] = 0
    return result, counts


def consensus(types, starts, first, size: cython.Py_ssize_t, clip: cython.bint, sigma: cython.double, penalty):
    """CIDEr for one order: return the mean similarity of each output to its references.

    clip, sigma  clipping and width of the length penalty of CIDEr-D (0: none)
    penalty      int64, length of each text in that penalty
    """
    items: cython.Py_ssize_t = len(first) - 1
    result = np.zeros(items, dtype=np.float64)
    views = view(types), view(starts), view(first), view(penalty), view(result)
    at: cython.int[::1] = views[0]
    begins: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    lengths: cython.longlong[::1] = views[3]
    result_: cython.double[::1] = views[4]
    found: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    stamp: cython.int[::1] = view(np.full(max(size, 1), -1, dtype=np.int32))
    own: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    seen: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    t: cython.int
    documents: cython.double = log(items) if items > 0 else 0.0
    norm: cython.double
    other: cython.double
    value: cython.double
    a: cython.double
    b: cython.double
    weight: cython.double
    gap: cython.double
    with cython.nogil:
        for item in range(items):
            for i in range(begins[items + first_[item]], begins[items + first_[item + 1]]):
                t = at[i]
                if t >= 0 and stamp[t] != item:
                    stamp[t] = item
                    found[t] += 1
        for item in range(items):
            for i in range(begins[item], begins[item + 1]):
                if at[i] >= 0:
                    own[at[i]] += 1
            norm = 0.0
            for i in range(begins[item], begins[item + 1]):
                t = at[i]
                if t >= 0:
                    a = documents - (log(found[t]) if found[t] > 1 else 0.0)
                    norm += own[t] * a * a  # once per occurrence, which squares the count
            for r in range(items + first_[item], items + first_[item + 1]):
                for i in range(begins[r], begins[r + 1]):
                    if at[i] >= 0:
                        seen[at[i]] += 1
                other = 0.0
                value = 0.0
                for i in range(begins[r], begins[r + 1]):
                    t = at[i]
                    if t >= 0 and seen[t] > 0:
                        weight = documents - (log(found[t]) if found[t] > 1 else 0.0)
                        b = seen[t] * weight
                        other += b * b
                        if own[t] > 0:
                            a = own[t] * weight
                            value += (a if a < b or not clip else b) * b
                        seen[t] = 0
                if norm > 0 and other > 0:
                    value /= sqrt(norm) * sqrt(other)
                if sigma > 0:
                    gap = lengths[item] - lengths[r]
                    value *= exp(-gap * gap / (2 * sigma * sigma))
                result_[item] += value
            if first_[item + 1] > first_[item]:
                result_[item] /= first_[item + 1] - first_[item]
            for i in range(begins[item], begins[item + 1]):
                if at[i] >= 0:
                    own[at[i]] = 0
    return result


def others(types, starts, size: cython.Py_ssize_t):
    """Self-BLEU for one order: return the number of n-grams of each text that match when all other texts are the
    references. A type needs only its highest count, the text that has it, and the highest count of another text."""
    items: cython.Py_ssize_t = len(starts) - 1
    result = np.zeros(items, dtype=np.int64)
    views = view(types), view(starts), view(result)
    at: cython.int[::1] = views[0]
    begins: cython.longlong[::1] = views[1]
    result_: cython.longlong[::1] = views[2]
    own: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    high: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    next_: cython.int[::1] = view(np.zeros(max(size, 1), dtype=np.int32))
    owner: cython.int[::1] = view(np.full(max(size, 1), -1, dtype=np.int32))
    step: cython.int
    item: cython.Py_ssize_t
    i: cython.Py_ssize_t
    t: cython.int
    limit: cython.int
    with cython.nogil:
        for step in range(2):
            for item in range(items):
                for i in range(begins[item], begins[item + 1]):
                    if at[i] >= 0:
                        own[at[i]] += 1
                for i in range(begins[item], begins[item + 1]):
                    t = at[i]
                    if t < 0 or own[t] == 0:
                        continue
                    if step == 1:
                        limit = next_[t] if owner[t] == item else high[t]
                        result_[item] += own[t] if own[t] < limit else limit
                    elif own[t] > high[t]:
                        next_[t] = high[t]
                        high[t] = own[t]
                        owner[t] = item
                    elif own[t] > next_[t]:
                        next_[t] = own[t]
                    own[t] = 0
    return result
