"""The n-grams of a few texts as nodes of a tree, in which an n-gram is a child of its first n-1 symbols.

Every n-gram is thus identified by a pair of integers, for any order and for words and characters alike. One tree is
reused for all items.
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
    """Return the slot of the node with this key in the hash table, or the free slot for it."""
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    place: cython.Py_ssize_t = ((key * factor) & ALL) >> shift
    while found[place] != 0 and keys[found[place]] != key:
        place = (place + 1) & mask
    return place


@cython.final
@cython.cclass
class Tree:
    """N-grams of a few texts. Node 0 means no node. Nodes have three counts, `a`, `b` and `c`, and a `depth`: the order
    of the n-gram.

    roots  node of each single symbol, 0 if there is none; `seeds` lists these symbols
    keys   parent and last symbol of each deeper node
    found  open hash table of nodes, 0 for a free slot; separate from the keys, so that it fits in the nearest cache
    at     node of the n-gram that begins at each position of the current text
    hits   one count per order, from `match` or `kinds`
    """

    def __init__(
        self, positions: cython.Py_ssize_t, nodes: cython.Py_ssize_t, order: cython.Py_ssize_t, symbols: int
    ) -> None:
        """Allocate memory for texts of at most `positions` symbols and trees of at most `nodes` nodes."""
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
        """Remove all nodes and prepare for at most `nodes` nodes."""
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
        """Return the node of a single symbol, created if it is new."""
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
        """Create a node for a longer n-gram, at a free slot of the hash table."""
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
        """Add all n-grams of a text, counted in `counts` (one of the arrays of the tree)."""
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
        """Count in b the n-grams of a text that are in the tree; those within the count of a are hits. Where an n-gram
        is missing, so are all longer ones that begin there."""
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
        """Count the different n-grams of a text in `hits`; the tree must be clear. An n-gram can repeat only if its
        first and its last n-1 symbols do, so most need no lookup."""
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
        """Set a to the maximum of a and b: the text with the highest count of an n-gram counts."""
        i: cython.Py_ssize_t
        for i in range(self.size):
            if self.b[i] > self.a[i]:
                self.a[i] = self.b[i]
        self.rewind()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rewind(self) -> cython.void:
        """Reset b and the hits for the next text."""
        i: cython.Py_ssize_t
        for i in range(self.size):
            self.b[i] = 0
        for i in range(self.hits.shape[0]):
            self.hits[i] = 0


def tree_for(ids, starts, order, tokens=None):
    """Return a tree large enough for the n-grams of `tokens` tokens, or (default) of the longest of these texts."""
    longest = int(np.max(np.diff(starts), initial=0)) if order else 0
    nodes = order * (longest if tokens is None else tokens)
    return Tree(longest, nodes, order, int(np.max(ids, initial=0)) + 1)
