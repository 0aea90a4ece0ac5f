"""The n-grams of a few texts as the nodes of a tree: an n-gram is a child of its first n-1 symbols.

So every n-gram is known exactly by a pair of integers, at any order and for words and characters alike. One tree
serves one item after the other.
"""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _key(parent: cython.ulonglong, symbol: cython.ulonglong) -> cython.ulonglong:
    return (parent << 32) | symbol


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _place(
    found: cython.int[::1],
    keys: cython.ulonglong[::1],
    key: cython.ulonglong,
    shift: cython.int,
    mask: cython.longlong,
) -> cython.Py_ssize_t:
    """Where a node with this key stands in the hash table, or could stand."""
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    place: cython.Py_ssize_t = ((key * factor) & ALL) >> shift
    while found[place] != 0 and keys[found[place]] != key:
        place = (place + 1) & mask
    return place


@cython.final
@cython.cclass
class Tree:
    """Node 0 stands for nothing. Nodes have three counts, `a`, `b` and `c`, and a `depth`: the order of the n-gram.

    roots  for each symbol the node of that symbol alone, 0 where there is none; `seeds` lists those symbols
    keys   for each deeper node its parent and last symbol
    found  open hash table of nodes, 0 where it is free; kept apart from the keys, it stays in the nearest cache
    at     for each position of the text at hand the node of the n-gram that begins there
    hits   a number for each order, from `match` or `kinds`
    """

    def __init__(
        self, positions: cython.Py_ssize_t, nodes: cython.Py_ssize_t, order: cython.Py_ssize_t, symbols: int
    ) -> None:
        """For texts of at most so many symbols, and trees of at most so many nodes."""
        places: cython.Py_ssize_t = 16
        while places < 2 * (nodes + 2):
            places *= 2
        self.roots = view(np.zeros(symbols + 1, dtype=np.int32))
        self.seeds = view(np.zeros(nodes + 2, dtype=np.int32))
        self.keys = view(np.zeros(nodes + 2, dtype=np.uint64))
        self.found = view(np.zeros(places, dtype=np.int32))
        self.at = view(np.zeros(positions + 1, dtype=np.int32))
        self.a = view(np.zeros(nodes + 2, dtype=np.int32))
        self.b = view(np.zeros(nodes + 2, dtype=np.int32))
        self.c = view(np.zeros(nodes + 2, dtype=np.int32))
        self.depth = view(np.zeros(nodes + 2, dtype=np.int8))
        self.hits = view(np.zeros(order + 1, dtype=np.int64))
        self.size = 1
        self.seeded = 0
        self.shift = 60
        self.mask = 15

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear(self, nodes: cython.Py_ssize_t) -> cython.void:
        """Forget everything, and get ready for at most so many nodes."""
        i: cython.Py_ssize_t
        for i in range(self.seeded):
            self.roots[self.seeds[i]] = 0
        if self.size > self.seeded + 1:
            for i in range(self.mask + 1):
                self.found[i] = 0
        for i in range(self.hits.shape[0]):
            self.hits[i] = 0
        self.size = 1
        self.seeded = 0
        self.shift = 60
        self.mask = 15
        while self.mask < 2 * nodes:
            self.mask = 2 * self.mask + 1
            self.shift -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def root(self, symbol: cython.Py_ssize_t) -> cython.int:
        """The node of a symbol alone, made when it is new."""
        node: cython.int = self.roots[symbol]
        if node == 0:
            node = self.size
            self.size += 1
            self.roots[symbol] = node
            self.seeds[self.seeded] = symbol
            self.seeded += 1
            self.a[node] = 0
            self.b[node] = 0
            self.c[node] = 0
            self.depth[node] = 1
        return node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def make(self, key: cython.ulonglong, place: cython.Py_ssize_t, depth: cython.int) -> cython.int:
        """A new node for a longer n-gram, at a free place of the hash table."""
        node: cython.int = self.size
        self.size += 1
        self.keys[node] = key
        self.found[place] = node
        self.a[node] = 0
        self.b[node] = 0
        self.c[node] = 0
        self.depth[node] = depth
        return node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(
        self,
        ids: cython.int[::1],
        low: cython.Py_ssize_t,
        high: cython.Py_ssize_t,
        order: cython.int,
        counts: cython.int[::1],
    ) -> cython.void:
        """All n-grams of a text, counted in `counts` (one of the tree's own)."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        key: cython.ulonglong
        place: cython.Py_ssize_t
        node: cython.int
        for i in range(high - low):
            node = self.root(ids[low + i])
            self.at[i] = node
            counts[node] += 1
        for n in range(1, order):
            for i in range(high - low - n):
                key = _key(self.at[i], ids[low + i + n])
                place = _place(self.found, self.keys, key, self.shift, self.mask)
                node = self.found[place]
                if node == 0:
                    node = self.make(key, place, n + 1)
                self.at[i] = node
                counts[node] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def match(
        self, ids: cython.int[::1], low: cython.Py_ssize_t, high: cython.Py_ssize_t, order: cython.int
    ) -> cython.void:
        """The n-grams of a text that the tree has, counted in b; each that a has often enough is a hit. Where one is
        missing no longer one can begin."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        most: cython.Py_ssize_t
        key: cython.ulonglong
        node: cython.int
        for i in range(low, high):
            node = self.roots[ids[i]]
            n = 0
            most = order if order < high - i else high - i
            while node != 0:
                self.b[node] += 1
                if self.b[node] <= self.a[node]:
                    self.hits[n] += 1
                n += 1
                if n == most:
                    break
                key = _key(node, ids[i + n])
                node = self.found[_place(self.found, self.keys, key, self.shift, self.mask)]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def kinds(
        self, ids: cython.int[::1], low: cython.Py_ssize_t, high: cython.Py_ssize_t, order: cython.int
    ) -> cython.void:
        """How many different n-grams a text has, in `hits`; the tree must be clear. An n-gram occurs again only if
        its first and its last n-1 symbols do, so that most need not be looked for."""
        i: cython.Py_ssize_t
        n: cython.Py_ssize_t
        key: cython.ulonglong
        place: cython.Py_ssize_t
        before: cython.int
        node: cython.int
        for i in range(high - low):
            node = self.root(ids[low + i])
            self.at[i] = node
            self.a[node] += 1
        self.a[0] = 0
        self.hits[0] = self.seeded
        for n in range(1, order):
            before = self.size
            for i in range(high - low - n):
                if self.a[self.at[i]] > 1 and self.a[self.at[i + 1]] > 1:
                    key = _key(self.at[i], ids[low + i + n])
                    place = _place(self.found, self.keys, key, self.shift, self.mask)
                    node = self.found[place]
                    if node == 0:
                        node = self.make(key, place, n + 1)
                    self.at[i] = node
                    self.a[node] += 1
                else:
                    self.at[i] = 0
                    self.hits[n] += 1
            self.hits[n] += self.size - before

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep_most(self) -> cython.void:
        """Let a be no less than b anywhere: of several texts the one that has an n-gram most often counts."""
        i: cython.Py_ssize_t
        for i in range(self.size):
            if self.b[i] > self.a[i]:
                self.a[i] = self.b[i]
        self.rewind()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rewind(self) -> cython.void:
        """Forget b and the hits, ready for the next text."""
        i: cython.Py_ssize_t
        for i in range(self.size):
            self.b[i] = 0
        for i in range(self.hits.shape[0]):
            self.hits[i] = 0


def tree_for(ids, starts, order, tokens=None):
    """A tree large enough for the n-grams of so many tokens together, or of the longest of these texts."""
    longest = int(np.max(np.diff(starts), initial=0)) if order else 0
    nodes = order * (longest if tokens is None else tokens)
    return Tree(longest, nodes, order, int(np.max(ids, initial=0)) + 1)
