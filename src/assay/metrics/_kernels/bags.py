"""N-gram types over all texts of a set, and bags of them: which items contain each type, and how often."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
AHEAD = 32
"""Number of n-grams whose memory is prefetched."""
_AHEAD = cython.declare(cython.Py_ssize_t, AHEAD)


@cython.final
@cython.cclass
class _Pairs:
    """A growing hash table that numbers pairs of integers in order of appearance."""

    keys: cython.ulonglong[::1]
    found: cython.int[::1]
    near: cython.int[::1]
    seen: cython.ulonglong
    size: cython.Py_ssize_t
    shift: cython.int

    def __init__(self) -> None:
        self.near = view(np.zeros(AHEAD, dtype=np.int32))
        self.seen = 0
        self.keys = view(np.zeros(1 << 15, dtype=np.uint64))
        self.found = view(np.zeros(1 << 16, dtype=np.int32))
        self.size = 0
        self.shift = 64 - 16

    @cython.cfunc
    @cython.exceptval(check=False)
    def fetch(
        self, at: cython.int[::1], words: cython.int[::1], low: cython.Py_ssize_t, high: cython.Py_ssize_t
    ) -> cython.void:
        """Prefetch the table entries of the pairs (at[i], words[i]) from low to high. Since nothing branches on them,
        the memory of a large table is fetched for all pairs at once instead of one after the other."""
        factor: cython.ulonglong = 0x9E3779B97F4A7C15
        key: cython.ulonglong
        other: cython.ulonglong
        i: cython.Py_ssize_t
        for i in range(low, high):
            key = at[i]
            other = words[i]
            self.near[i - low] = self.found[(((key << 32 | other) * factor) & ALL) >> self.shift]
        for i in range(high - low):
            self.seen ^= self.keys[self.near[i] - 1 if self.near[i] > 0 else 0]

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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
    @cython.exceptval(-1, check=False)
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
    """Replace the types of (order-1)-grams by those of n-grams, in place: `types` has for each position the type of
    the n-gram that begins there, -1 where the text is too short. Return the prefix type of each new type.
    """
    pairs = _Pairs()
    at: cython.int[::1] = view(types)
    words: cython.int[::1] = view(tokens)
    begins: cython.longlong[::1] = view(starts)
    following: cython.int[::1] = words[order - 1 :]
    text: cython.Py_ssize_t
    i: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    end: cython.Py_ssize_t
    for text in range(begins.shape[0] - 1):
        end = begins[text + 1] - order + 1
        low = begins[text]
        while low < end:
            high = low + _AHEAD if low + _AHEAD < end else end
            pairs.fetch(at, following, low, high)
            for i in range(low, high):
                at[i] = pairs.number(at[i], following[i])
            low = high
        for i in range(end if end > begins[text] else begins[text], begins[text + 1]):
            at[i] = -1
    return (np.asarray(pairs.keys)[: pairs.size] >> np.uint64(32)).astype(np.int32)


def gather(types, starts, size: cython.Py_ssize_t, closing: cython.bint):
    """Return the items that contain each type, an item as often as it contains the type. Types that occur in the same
    items, equally often in each, are merged into one kind with a multiplicity.

    Returns where the items of each kind begin, the number of types of that kind, and the items; and, with `closing`,
    the items that end with a type of the kind: where those of each kind begin, and the items.
    """
    at: cython.int[::1] = view(types)
    begins: cython.longlong[::1] = view(starts)
    heads = np.zeros(size + 2, dtype=np.int64)
    cursor: cython.longlong[::1] = view(heads)
    item: cython.Py_ssize_t
    i: cython.Py_ssize_t
    last: cython.int
    for i in range(at.shape[0]):
        if at[i] >= 0:
            cursor[at[i] + 2] += 1
    heads[:] = np.cumsum(heads)
    occurrences = int(heads[size + 1])
    items = np.zeros(occurrences, dtype=np.int32)
    ends = np.zeros(occurrences, dtype=np.int8)
    items_: cython.int[::1] = view(items)
    ends_: cython.char[::1] = view(ends)
    for item in range(begins.shape[0] - 1):
        last = -1
        for i in range(begins[item], begins[item + 1]):
            if at[i] >= 0:
                last = at[i]
                items_[cursor[last + 1]] = item
                cursor[last + 1] += 1
        if closing and last >= 0:
            ends_[cursor[last + 1] - 1] = 1
    times = np.zeros(size, dtype=np.int32)
    kinds = _merge(cursor, items_, ends_, view(times), size)
    heads = heads[: kinds + 1].copy()
    items = items[: heads[kinds]].copy()
    closers = np.flatnonzero(ends[: len(items)])
    return heads, times[:kinds].copy(), items, np.searchsorted(closers, heads), items[closers]


@cython.cfunc
def _merge(
    heads: cython.longlong[::1],
    items: cython.int[::1],
    ends: cython.char[::1],
    times: cython.int[::1],
    size: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Merge types with the same items, in place; return the number of kinds."""
    places: cython.Py_ssize_t = 16
    while places < 2 * size:
        places *= 2
    table: cython.int[::1] = view(np.zeros(places, dtype=np.int32))
    prime: cython.ulonglong = 0x100000001B3
    code: cython.ulonglong
    place: cython.Py_ssize_t
    t: cython.Py_ssize_t
    e: cython.Py_ssize_t
    i: cython.Py_ssize_t
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
            code = ((code ^ (2 * items[e] + ends[e])) * prime) & ALL
        code ^= code >> 31
        place = code & (places - 1)
        while table[place] != 0:
            kind = table[place] - 1
            same = heads[kind + 1] - heads[kind] == high - low
            e = 0
            while same and e < high - low:
                i = heads[kind] + e
                same = items[i] == items[low + e] and ends[i] == ends[low + e]
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
                ends[written + e] = ends[low + e]
            written += high - low
            kinds += 1
            heads[kinds] = written  # never ahead of the reading position
    heads[0] = 0
    return kinds
