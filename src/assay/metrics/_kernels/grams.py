"""N-gram counts of one item after the other: BLEU, chrF, SARI, ROUGE-n, local recall, novelty.

The n-grams of an item's texts are the nodes of a tree: an n-gram is a child of its first n-1 symbols. So every
n-gram is known exactly by a pair of integers, at any order and for words and characters alike. Nodes are made
order by order, which puts the nodes of one order side by side.

Texts lie one after the other in `ids`, text t being ids[starts[t]:starts[t + 1]]: first the outputs of the n items,
then the references (of item i: first[i] to first[i + 1], counted from n), then the sources where there are any.
"""

from __future__ import annotations

import cython
import numpy as np

from assay.metrics._kernels._view import view

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
SARI_COLUMNS = 15
_SARI_STEP = cython.declare(cython.Py_ssize_t, SARI_COLUMNS)


@cython.final
@cython.cclass
class _Tree:
    """The n-grams of one item, with three counts each. Node 0 is the root, the empty n-gram."""

    keys: cython.ulonglong[::1]
    """For each node the n-gram: its parent and its last symbol."""
    found: cython.int[::1]
    """Open hash table of nodes, 0 where it is free. Kept apart from the keys, it stays in the nearest cache."""
    at: cython.int[::1]
    """For each position of the item's texts: the node of the n-gram that begins there, 0 when there is none."""
    a: cython.int[::1]
    b: cython.int[::1]
    c: cython.int[::1]
    levels: cython.int[::1]
    """The nodes of order n are levels[n - 1] to levels[n]."""
    size: cython.int
    shift: cython.int
    mask: cython.longlong

    def __init__(self, positions: cython.Py_ssize_t, order: cython.Py_ssize_t) -> None:
        nodes: cython.Py_ssize_t = positions * order + 2
        places: cython.Py_ssize_t = 16
        while places < 2 * nodes:
            places *= 2
        self.keys = view(np.zeros(nodes, dtype=np.uint64))
        self.found = view(np.zeros(places, dtype=np.int32))
        self.at = view(np.zeros(positions + 1, dtype=np.int32))
        self.a = view(np.zeros(nodes, dtype=np.int32))
        self.b = view(np.zeros(nodes, dtype=np.int32))
        self.c = view(np.zeros(nodes, dtype=np.int32))
        self.levels = view(np.zeros(order + 2, dtype=np.int32))
        self.size = 1
        self.shift = 60
        self.mask = 15

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear(self, nodes: cython.Py_ssize_t) -> cython.void:
        """Forget all nodes, and get ready for at most so many."""
        i: cython.Py_ssize_t
        if self.size > 1:
            for i in range(self.mask + 1):
                self.found[i] = 0
        self.size = 1
        self.shift = 60
        self.mask = 15
        while self.mask < 2 * nodes:
            self.mask = 2 * self.mask + 1
            self.shift -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def child(self, parent: cython.ulonglong, symbol: cython.ulonglong, create: cython.bint) -> cython.int:
        """The node of this n-gram; made when it is new and `create` is set, else 0."""
        factor: cython.ulonglong = 0x9E3779B97F4A7C15
        key: cython.ulonglong = ((parent + 1) << 32) | symbol
        place: cython.ulonglong = ((key * factor) & ALL) >> self.shift
        node: cython.int = self.found[place]
        while node != 0:
            if self.keys[node] == key:
                return node
            place = (place + 1) & self.mask
            node = self.found[place]
        if not create:
            return 0
        node = self.size
        self.keys[node] = key
        self.found[place] = node
        self.a[node] = 0
        self.b[node] = 0
        self.c[node] = 0
        self.size += 1
        return node


def _widest(starts, first, sources: bool) -> int:
    """The most tokens that one item's texts have together."""
    n = len(first) - 1
    lengths = np.diff(starts)
    ends = np.concatenate([[0], np.cumsum(lengths[n : n + first[n]])])
    total = lengths[:n] + ends[first[1:]] - ends[first[:n]]
    if sources:
        total = total + lengths[n + first[n] :]
    return int(np.max(total, initial=0))


def bleu(ids, starts, first, order: cython.int):
    """For each item: length, length of the closest reference, then clipped matches and totals of each order."""
    result = np.zeros((len(first) - 1, 2 + 2 * order), dtype=np.int64)
    tree = _Tree(_widest(starts, first, False), order)
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    with cython.nogil:
        _bleu(ids_, starts_, first_, order, tree, result_)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bleu(
    ids: cython.int[::1],
    starts: cython.longlong[::1],
    first: cython.longlong[::1],
    order: cython.int,
    tree: _Tree,
    result: cython.longlong[:, ::1],
) -> cython.void:
    items: cython.Py_ssize_t = first.shape[0] - 1
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    low: cython.Py_ssize_t
    length: cython.Py_ssize_t
    gap: cython.Py_ssize_t
    distance: cython.Py_ssize_t
    own: cython.Py_ssize_t
    closest: cython.Py_ssize_t
    node: cython.int
    for item in range(items):
        low = starts[item]
        own = starts[item + 1] - low
        tree.clear(order * own)
        for i in range(own):
            tree.at[i] = 0
        for n in range(order):
            tree.levels[n] = tree.size
            for i in range(own - n):
                node = tree.child(tree.at[i], ids[low + i + n], True)
                tree.at[i] = node
                tree.a[node] += 1
            result[item, 2 + order + n] = own - n if own > n else 0
        tree.levels[order] = tree.size
        closest = -1
        gap = 0
        for r in range(first[item] + items, first[item + 1] + items):
            low = starts[r]
            length = starts[r + 1] - low
            distance = length - own if length > own else own - length
            if closest < 0 or distance < gap or (distance == gap and length < closest):
                closest = length
                gap = distance
            for i in range(length):
                tree.at[i] = 0
            for n in range(order):
                for i in range(length - n):
                    if n == 0 or tree.at[i] != 0:
                        node = tree.child(tree.at[i], ids[low + i + n], False)
                        tree.at[i] = node
                        tree.b[node] += 1
            for i in range(1, tree.size):
                if tree.b[i] > tree.c[i]:
                    tree.c[i] = tree.b[i]
                tree.b[i] = 0
        result[item, 0] = own
        result[item, 1] = closest
        for n in range(order):
            for i in range(tree.levels[n], tree.levels[n + 1]):
                result[item, 2 + n] += tree.a[i] if tree.a[i] < tree.c[i] else tree.c[i]


def matches(ids, starts, candidates, references, order: cython.int):
    """Clipped n-gram matches of each pair (candidates[k], references[k]) of texts, for orders 1 to `order`."""
    result = np.zeros((len(candidates), order), dtype=np.int64)
    tree = _Tree(int(np.max(np.diff(starts), initial=0)), order)
    views = view(ids), view(starts), view(candidates), view(references), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    candidates_: cython.longlong[::1] = views[2]
    references_: cython.longlong[::1] = views[3]
    result_: cython.longlong[:, ::1] = views[4]
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(candidates_.shape[0]):
            _fill(ids_, starts_, candidates_[k], order, tree)
            _match(ids_, starts_, references_[k], order, tree, result_, k, 0, 1)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(
    ids: cython.int[::1],
    starts: cython.longlong[::1],
    text: cython.Py_ssize_t,
    order: cython.int,
    tree: _Tree,
) -> cython.void:
    """A tree of one text, counted in a."""
    low: cython.Py_ssize_t = starts[text]
    length: cython.Py_ssize_t = starts[text + 1] - low
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    node: cython.int
    tree.clear(order * length)
    for i in range(length):
        tree.at[i] = 0
    for n in range(order):
        for i in range(length - n):
            node = tree.child(tree.at[i], ids[low + i + n], True)
            tree.at[i] = node
            tree.a[node] += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _match(
    ids: cython.int[::1],
    starts: cython.longlong[::1],
    text: cython.Py_ssize_t,
    order: cython.int,
    tree: _Tree,
    result: cython.longlong[:, ::1],
    row: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
    step: cython.Py_ssize_t,
) -> cython.void:
    """Clipped matches of a text with the text of the tree, order n at column + n * step."""
    low: cython.Py_ssize_t = starts[text]
    length: cython.Py_ssize_t = starts[text + 1] - low
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    node: cython.int
    hits: cython.longlong
    for i in range(length):
        tree.at[i] = 0
    for n in range(order):
        hits = 0
        for i in range(length - n):
            if n == 0 or tree.at[i] != 0:
                node = tree.child(tree.at[i], ids[low + i + n], False)
                tree.at[i] = node
                if node != 0:
                    tree.b[node] += 1
                    if tree.b[node] <= tree.a[node]:
                        hits += 1
        result[row, column + n * step] = hits
    for i in range(1, tree.size):
        tree.b[i] = 0


def chrf(codes, starts, words, word_starts, first, orders, beta: cython.double, smooth: cython.bint):
    """For each item and order (characters, then words): n-grams of the output, of the reference, matches; against
    the reference with the best F. `orders` is (order of characters, order of words); with `smooth` that F is the
    mean of the orders' F-scores."""
    char_order: cython.int = orders[0]
    word_order: cython.int = orders[1]
    columns: cython.Py_ssize_t = 3 * (char_order + word_order)
    n: cython.Py_ssize_t = len(first) - 1
    result = np.zeros((n, columns), dtype=np.int64)
    most = int(np.max(np.diff(first), initial=0))
    pairs = np.zeros((max(most, 1), columns), dtype=np.int64)
    tree = _Tree(int(np.max(np.diff(starts), initial=0)), max(char_order, 1))
    word_tree = _Tree(int(np.max(np.diff(word_starts), initial=0)), max(word_order, 1))
    views = view(codes), view(starts), view(words), view(word_starts), view(first), view(pairs), view(result)
    codes_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    words_: cython.int[::1] = views[2]
    word_starts_: cython.longlong[::1] = views[3]
    first_: cython.longlong[::1] = views[4]
    pairs_: cython.longlong[:, ::1] = views[5]
    result_: cython.longlong[:, ::1] = views[6]
    item: cython.Py_ssize_t
    k: cython.Py_ssize_t
    best: cython.Py_ssize_t
    score: cython.double
    best_score: cython.double
    with cython.nogil:
        for item in range(n):
            _pairs(codes_, starts_, first_, item, char_order, 0, tree, pairs_)
            _pairs(words_, word_starts_, first_, item, word_order, 3 * char_order, word_tree, pairs_)
            best = 0
            best_score = -1.0
            for k in range(first_[item + 1] - first_[item]):
                score = _f_score(pairs_, k, char_order + word_order, beta, smooth)
                if score > best_score:
                    best_score = score
                    best = k
            for k in range(columns):
                result_[item, k] = pairs_[best, k]
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pairs(
    ids: cython.int[::1],
    starts: cython.longlong[::1],
    first: cython.longlong[::1],
    item: cython.Py_ssize_t,
    order: cython.int,
    column: cython.Py_ssize_t,
    tree: _Tree,
    pairs: cython.longlong[:, ::1],
) -> cython.void:
    """Lengths and matches of an output with each of its references, one row a reference."""
    if order == 0:
        return
    items: cython.Py_ssize_t = first.shape[0] - 1
    own: cython.Py_ssize_t = starts[item + 1] - starts[item]
    r: cython.Py_ssize_t
    k: cython.Py_ssize_t
    n: cython.Py_ssize_t
    length: cython.Py_ssize_t
    _fill(ids, starts, item, order, tree)
    for k in range(first[item + 1] - first[item]):
        r = items + first[item] + k
        length = starts[r + 1] - starts[r]
        for n in range(order):
            # n-grams of an output count only at orders which the reference has
            pairs[k, column + 3 * n] = own - n if own > n and length > n else 0
            pairs[k, column + 3 * n + 1] = length - n if length > n else 0
        _match(ids, starts, r, order, tree, pairs, k, column + 2, 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _f_score(
    pairs: cython.longlong[:, ::1], row: cython.Py_ssize_t, orders: cython.int, beta: cython.double, smooth: cython.bint
) -> cython.double:
    """chrF of one pair, added up in the order of sacrebleu, so that it decides ties alike."""
    precision: cython.double = 0.0
    recall: cython.double = 0.0
    score: cython.double = 0.0
    effective: cython.int = 0
    n: cython.Py_ssize_t
    hits: cython.double
    p: cython.double
    r: cython.double
    for n in range(orders):
        hits = pairs[row, 3 * n + 2]
        p = hits / pairs[row, 3 * n] if pairs[row, 3 * n] > 0 else 1e-16
        r = hits / pairs[row, 3 * n + 1] if pairs[row, 3 * n + 1] > 0 else 1e-16
        score += (1 + beta * beta) * p * r / (beta * beta * p + r) if beta * beta * p + r > 0 else 1e-16
        if pairs[row, 3 * n] > 0 and pairs[row, 3 * n + 1] > 0:
            precision += p
            recall += r
            effective += 1
    if smooth:
        return score
    if effective == 0:
        return 0.0
    precision /= effective
    recall /= effective
    if precision + recall == 0.0:
        return 0.0
    return (1 + beta * beta) * precision * recall / (beta * beta * precision + recall)


def sari(ids, starts, first, order: cython.int):
    """What was added, kept and deleted, for each item and order; `SARI_COLUMNS` numbers an order.

    added: correct, by the output, by the references (types);
    kept: correct, by the output, by the references (counts, output and source times the number of references);
    deleted: correct, by the output, by the references (counts likewise);
    then for the sentence-level variants: sum of correct/kept over types, types kept, sum of correct/keepable over
    types, types keepable, sum of correct/deleted over types, types deleted.
    """
    n = len(first) - 1
    result = np.zeros((n, SARI_COLUMNS * order), dtype=np.float64)
    tree = _Tree(_widest(starts, first, True), order)
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.double[:, ::1] = views[3]
    item: cython.Py_ssize_t
    items: cython.Py_ssize_t = n
    with cython.nogil:
        for item in range(items):
            _grow(ids_, starts_, first_, item, order, tree)
            _operations(first_[item + 1] - first_[item], order, tree, result_, item)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _grow(
    ids: cython.int[::1],
    starts: cython.longlong[::1],
    first: cython.longlong[::1],
    item: cython.Py_ssize_t,
    order: cython.int,
    tree: _Tree,
) -> cython.void:
    """The tree of all texts of an item: source counted in a, output in b, all references together in c."""
    items: cython.Py_ssize_t = first.shape[0] - 1
    source: cython.Py_ssize_t = items + first[items] + item
    references: cython.Py_ssize_t = items + first[item]
    count: cython.Py_ssize_t = first[item + 1] - first[item]
    k: cython.Py_ssize_t
    text: cython.Py_ssize_t
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    low: cython.Py_ssize_t
    length: cython.Py_ssize_t
    place: cython.Py_ssize_t
    node: cython.int
    total: cython.Py_ssize_t = starts[source + 1] - starts[source] + starts[item + 1] - starts[item]
    total += starts[references + count] - starts[references]
    tree.clear(order * total)
    for i in range(total):
        tree.at[i] = 0
    for n in range(order):
        tree.levels[n] = tree.size
        place = 0
        for k in range(count + 2):
            text = source if k == 0 else item if k == 1 else references + k - 2
            low = starts[text]
            length = starts[text + 1] - low
            for i in range(length - n):
                node = tree.child(tree.at[place + i], ids[low + i + n], True)
                tree.at[place + i] = node
                if k == 0:
                    tree.a[node] += 1
                elif k == 1:
                    tree.b[node] += 1
                else:
                    tree.c[node] += 1
            place += length
    tree.levels[order] = tree.size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _operations(
    references: cython.longlong,
    order: cython.int,
    tree: _Tree,
    result: cython.double[:, ::1],
    row: cython.Py_ssize_t,
) -> cython.void:
    n: cython.Py_ssize_t
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    source: cython.double
    output: cython.double
    reference: cython.double
    both: cython.double
    keepable: cython.double
    good: cython.double
    for n in range(order):
        at = _SARI_STEP * n
        for i in range(tree.levels[n], tree.levels[n + 1]):
            source = tree.a[i] * references
            output = tree.b[i] * references
            reference = tree.c[i]
            if source == 0:
                if output > 0:
                    result[row, at + 1] += 1
                    if reference > 0:
                        result[row, at] += 1
                if reference > 0:
                    result[row, at + 2] += 1
                continue
            both = source if source < output else output
            keepable = source if source < reference else reference
            good = both if both < keepable else keepable
            result[row, at + 3] += good
            result[row, at + 4] += both
            result[row, at + 5] += keepable
            if both > 0:
                result[row, at + 9] += good / both
                result[row, at + 10] += 1
            if keepable > 0:
                result[row, at + 11] += good / keepable
                result[row, at + 12] += 1
            both = source - both  # deleted by the output
            keepable = source - keepable  # deleted by the references
            result[row, at + 6] += both if both < keepable else keepable
            result[row, at + 7] += both
            result[row, at + 8] += keepable
            if both > 0:
                if both > reference:
                    result[row, at + 13] += (both - reference) / both
                result[row, at + 14] += 1


def recall(ids, starts, first, levels: cython.int):
    """Local recall: for n from 1 to `levels`, how many types stand in exactly n references of the item, and how
    many of those the output has. Columns: hits-1, types-1, hits-2, types-2, ..."""
    n = len(first) - 1
    result = np.zeros((n, 2 * levels), dtype=np.int64)
    tree = _Tree(_widest(starts, first, False), 1)
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    items: cython.Py_ssize_t = n
    item: cython.Py_ssize_t
    r: cython.Py_ssize_t
    i: cython.Py_ssize_t
    node: cython.int
    with cython.nogil:
        for item in range(items):
            r = items + first_[item + 1]
            tree.clear(starts_[item + 1] - starts_[item] + starts_[r] - starts_[items + first_[item]])
            for i in range(starts_[item], starts_[item + 1]):
                tree.a[tree.child(0, ids_[i], True)] = 1
            for r in range(items + first_[item], items + first_[item + 1]):
                for i in range(starts_[r], starts_[r + 1]):
                    node = tree.child(0, ids_[i], True)
                    if tree.b[node] != r + 1:
                        tree.b[node] = r + 1
                        tree.c[node] += 1
            for i in range(1, tree.size):
                if tree.c[i] > 0:
                    result_[item, 2 * tree.c[i] - 1] += 1
                    result_[item, 2 * tree.c[i] - 2] += tree.a[i]
    return result


def novel(ids, starts, first, order: cython.int):
    """For each item and order: different n-grams of the output, and how many of them the source does not have."""
    n = len(first) - 1
    result = np.zeros((n, 2 * order), dtype=np.int64)
    tree = _Tree(_widest(starts, first, True), order)
    views = view(ids), view(starts), view(first), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    first_: cython.longlong[::1] = views[2]
    result_: cython.longlong[:, ::1] = views[3]
    items: cython.Py_ssize_t = n
    item: cython.Py_ssize_t
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for item in range(items):
            _grow(ids_, starts_, first_, item, order, tree)
            for k in range(order):
                for i in range(tree.levels[k], tree.levels[k + 1]):
                    if tree.b[i] > 0:
                        result_[item, 2 * k] += 1
                        if tree.a[i] == 0:
                            result_[item, 2 * k + 1] += 1
    return result


def fragments(ids, starts, outputs, sources):
    """How much of each output is copied: for each pair of texts the tokens inside copied fragments, and the sum of
    the squared lengths of the fragments. From left to right the longest copy that begins at a token is taken."""
    result = np.zeros((len(outputs), 2), dtype=np.int64)
    views = view(ids), view(starts), view(outputs), view(sources), view(result)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    outputs_: cython.longlong[::1] = views[2]
    sources_: cython.longlong[::1] = views[3]
    result_: cython.longlong[:, ::1] = views[4]
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    high: cython.Py_ssize_t
    end: cython.Py_ssize_t
    length: cython.Py_ssize_t
    longest: cython.Py_ssize_t
    with cython.nogil:
        for k in range(outputs_.shape[0]):
            i = starts_[outputs_[k]]
            high = starts_[outputs_[k] + 1]
            end = starts_[sources_[k] + 1]
            while i < high:
                longest = 0
                j = starts_[sources_[k]]
                while j + longest < end:
                    length = 0
                    while i + length < high and j + length < end and ids_[i + length] == ids_[j + length]:
                        length += 1
                    if length > longest:
                        longest = length
                    j += 1
                result_[k, 0] += longest
                result_[k, 1] += longest * longest
                i += longest if longest > 0 else 1
    return result
