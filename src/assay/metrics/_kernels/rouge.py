"""ROUGE counts of many (candidate, reference) pairs: n-gram matches, longest common subsequences, union-LCS.

All texts are in one array of token ids, cut into sentences, sentences grouped into texts. The subsequence
lengths come from the bit-parallel recurrence (64 reference tokens a machine word). For ROUGE-Lsum the bit rows
are kept: walking back through them visits the same cells in the same order as `rouge_score` does through its
table, so that among equally long alignments the same one is found.
"""

from __future__ import annotations

import cython
import numpy as np

from assay.metrics._kernels._view import view

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
COLUMNS = 6
"""matches-1, matches-2, subsequence, union hits, tokens of the candidate, tokens of the reference."""


def count_pairs(tokens, sentences, texts, candidates, references, vocabulary: cython.Py_ssize_t):
    """Counts for each pair (candidates[k], references[k]) of text numbers; an int64 array of `COLUMNS` columns.

    tokens      int32, the ids of all tokens of all sentences
    sentences   int64, sentence s is tokens[sentences[s]:sentences[s + 1]]
    texts       int64, text t is the sentences texts[t] to texts[t + 1]
    """
    pairs: cython.Py_ssize_t = len(candidates)
    result = np.zeros((pairs, COLUMNS), dtype=np.int64)
    longest = int(np.max(np.diff(sentences[texts]), initial=0))
    work = _Work(vocabulary, longest)
    _count_all(view(tokens), view(sentences), view(texts), view(candidates), view(references), view(result), work)
    return result


def common(tokens, starts, candidates, references, vocabulary: cython.Py_ssize_t):
    """Only the length of the longest common subsequence of each pair; texts are not cut into sentences."""
    result = np.zeros(len(candidates), dtype=np.int64)
    longest = int(np.max(np.diff(starts), initial=0))
    work = _Work(vocabulary, longest)
    views = view(tokens), view(starts), view(candidates), view(references), view(result)
    ids: cython.int[::1] = views[0]
    begins: cython.longlong[::1] = views[1]
    ours: cython.longlong[::1] = views[2]
    theirs: cython.longlong[::1] = views[3]
    lengths: cython.longlong[::1] = views[4]
    k: cython.Py_ssize_t
    for k in range(ours.shape[0]):
        lengths[k] = _lcs(
            ids, begins[ours[k]], begins[ours[k] + 1], begins[theirs[k]], begins[theirs[k] + 1], work, False
        )
    return result


def weighted(tokens, starts, candidates, references, weight: cython.double):
    """ROUGE-W's longest common subsequence of each pair: a run of k matches in a row counts k ** weight."""
    result = np.zeros(len(candidates), dtype=np.float64)
    longest = int(np.max(np.diff(starts), initial=0))
    views = view(tokens), view(starts), view(candidates), view(references), view(result)
    ids: cython.int[::1] = views[0]
    begins: cython.longlong[::1] = views[1]
    ours: cython.longlong[::1] = views[2]
    theirs: cython.longlong[::1] = views[3]
    values: cython.double[::1] = views[4]
    best: cython.double[:, ::1] = view(np.zeros((2, longest + 1), dtype=np.float64))
    run: cython.int[:, ::1] = view(np.zeros((2, longest + 1), dtype=np.int32))
    power: cython.double[::1] = view(np.arange(longest + 2, dtype=np.float64) ** weight)
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    row: cython.Py_ssize_t
    last: cython.Py_ssize_t
    n: cython.Py_ssize_t
    with cython.nogil:
        for k in range(ours.shape[0]):
            n = begins[theirs[k] + 1] - begins[theirs[k]]
            for j in range(n + 1):
                best[0, j] = 0
                run[0, j] = 0
            row = 0
            for i in range(begins[ours[k]], begins[ours[k] + 1]):
                last = row
                row = 1 - row
                best[row, 0] = 0
                run[row, 0] = 0
                for j in range(1, n + 1):
                    if ids[i] == ids[begins[theirs[k]] + j - 1]:
                        run[row, j] = run[last, j - 1] + 1
                        best[row, j] = best[last, j - 1] + power[run[row, j]] - power[run[last, j - 1]]
                    else:
                        run[row, j] = 0
                        best[row, j] = best[last, j] if best[last, j] > best[row, j - 1] else best[row, j - 1]
            values[k] = best[row, n]
    return result


@cython.final
@cython.cclass
class _Work:
    """Scratch memory, allocated once for all pairs and grown when a text needs more."""

    seen: cython.int[::1]
    """For each token id: how often the text at hand holds it (always all zero between uses)."""
    slot: cython.int[::1]
    """For each token id: 1 + its number among the distinct tokens of a reference, 0 when it is not in it."""
    masks: cython.ulonglong[::1]
    rows: cython.ulonglong[::1]
    keys: cython.ulonglong[::1]
    counts: cython.int[::1]
    hit: cython.char[::1]

    def __init__(self, vocabulary: cython.Py_ssize_t, longest: cython.Py_ssize_t) -> None:
        self.seen = view(np.zeros(vocabulary + 1, dtype=np.int32))
        self.slot = view(np.zeros(vocabulary + 1, dtype=np.int32))
        self.masks = view(np.zeros(64, dtype=np.uint64))
        self.rows = view(np.zeros(64, dtype=np.uint64))
        size: cython.Py_ssize_t = 4
        while size < 2 * longest + 2:
            size *= 2
        self.keys = view(np.zeros(size, dtype=np.uint64))
        self.counts = view(np.zeros(size, dtype=np.int32))
        self.hit = view(np.zeros(longest + 1, dtype=np.int8))


@cython.cfunc
def _count_all(
    tokens: cython.int[::1],
    sentences: cython.longlong[::1],
    texts: cython.longlong[::1],
    candidates: cython.longlong[::1],
    references: cython.longlong[::1],
    result: cython.longlong[:, ::1],
    work: _Work,
) -> cython.void:
    k: cython.Py_ssize_t
    for k in range(candidates.shape[0]):
        c: cython.Py_ssize_t = candidates[k]
        r: cython.Py_ssize_t = references[k]
        c_low: cython.Py_ssize_t = sentences[texts[c]]
        c_high: cython.Py_ssize_t = sentences[texts[c + 1]]
        r_low: cython.Py_ssize_t = sentences[texts[r]]
        r_high: cython.Py_ssize_t = sentences[texts[r + 1]]
        result[k, 0] = _unigrams(tokens, c_low, c_high, r_low, r_high, work)
        result[k, 1] = _bigrams(tokens, c_low, c_high, r_low, r_high, work)
        result[k, 4] = c_high - c_low
        result[k, 5] = r_high - r_low
        lcs: cython.Py_ssize_t = _lcs(tokens, c_low, c_high, r_low, r_high, work, False)
        result[k, 2] = lcs
        one_each: cython.bint = texts[c + 1] - texts[c] == 1 and texts[r + 1] - texts[r] == 1
        # With one sentence on each side the union is that one subsequence, whichever alignment is taken.
        result[k, 3] = lcs if one_each else _union(tokens, sentences, texts, c, r, work)


@cython.cfunc
def _unigrams(
    tokens: cython.int[::1],
    c_low: cython.Py_ssize_t,
    c_high: cython.Py_ssize_t,
    r_low: cython.Py_ssize_t,
    r_high: cython.Py_ssize_t,
    work: _Work,
) -> cython.Py_ssize_t:
    seen: cython.int[::1] = work.seen
    matches: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    for i in range(c_low, c_high):
        seen[tokens[i]] += 1
    for i in range(r_low, r_high):
        if seen[tokens[i]] > 0:
            seen[tokens[i]] -= 1
            matches += 1
    for i in range(c_low, c_high):
        seen[tokens[i]] = 0
    return matches


@cython.cfunc
def _bigrams(
    tokens: cython.int[::1],
    c_low: cython.Py_ssize_t,
    c_high: cython.Py_ssize_t,
    r_low: cython.Py_ssize_t,
    r_high: cython.Py_ssize_t,
    work: _Work,
) -> cython.Py_ssize_t:
    """Clipped matches by an open hash table of the candidate's bigrams."""
    keys: cython.ulonglong[::1] = work.keys
    counts: cython.int[::1] = work.counts
    size: cython.Py_ssize_t = 4
    while size < 2 * (c_high - c_low) + 2:
        size *= 2
    mask: cython.ulonglong = size - 1
    matches: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    key: cython.ulonglong
    place: cython.ulonglong
    for i in range(size):
        counts[i] = 0
        keys[i] = 0
    for i in range(c_low, c_high - 1):
        key = _pack(tokens[i], tokens[i + 1])
        place = _place(key) & mask
        while keys[place] != 0 and keys[place] != key:
            place = (place + 1) & mask
        keys[place] = key
        counts[place] += 1
    for i in range(r_low, r_high - 1):
        key = _pack(tokens[i], tokens[i + 1])
        place = _place(key) & mask
        while keys[place] != 0 and keys[place] != key:
            place = (place + 1) & mask
        if counts[place] > 0:
            counts[place] -= 1
            matches += 1
    return matches


@cython.cfunc
def _pack(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    return ((a + 1) << 32) | b  # never 0, which marks a free place


@cython.cfunc
def _place(key: cython.ulonglong) -> cython.ulonglong:
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    return ((key * factor) & ALL) >> 32


@cython.cfunc
def _lcs(
    tokens: cython.int[::1],
    c_low: cython.Py_ssize_t,
    c_high: cython.Py_ssize_t,
    r_low: cython.Py_ssize_t,
    r_high: cython.Py_ssize_t,
    work: _Work,
    keep: cython.bint,
) -> cython.Py_ssize_t:
    """Length of the longest common subsequence; with `keep` also the bit row after each candidate token.

    Bit i of a row is 0 exactly where taking reference token i lengthens the subsequence by one.
    """
    n: cython.Py_ssize_t = r_high - r_low
    if n == 0 or c_high == c_low:
        return 0
    words: cython.Py_ssize_t = (n + 63) >> 6
    slot: cython.int[::1] = work.slot
    i: cython.Py_ssize_t
    w: cython.Py_ssize_t
    j: cython.Py_ssize_t
    distinct: cython.int = 0
    for i in range(r_low, r_high):
        if slot[tokens[i]] == 0:
            distinct += 1
            slot[tokens[i]] = distinct
    _reserve(work, distinct * words, ((c_high - c_low) if keep else 1) * words)
    masks: cython.ulonglong[::1] = work.masks
    rows: cython.ulonglong[::1] = work.rows
    for i in range(distinct * words):
        masks[i] = 0
    one: cython.ulonglong = 1
    for i in range(n):
        masks[(slot[tokens[r_low + i]] - 1) * words + (i >> 6)] |= one << (i & 63)
    for w in range(words):
        rows[w] = ALL
    before: cython.Py_ssize_t = 0
    after: cython.Py_ssize_t = 0
    carry: cython.ulonglong
    old: cython.ulonglong
    common: cython.ulonglong
    total: cython.ulonglong
    for j in range(c_low, c_high):
        if keep:
            after = (j - c_low) * words
            if j == c_low:
                before = after
        if slot[tokens[j]] == 0:
            if keep and j > c_low:
                for w in range(words):
                    rows[after + w] = rows[before + w]
        else:
            base: cython.Py_ssize_t = (slot[tokens[j]] - 1) * words
            carry = 0
            for w in range(words):
                old = rows[before + w]
                common = old & masks[base + w]
                total = (old + common + carry) & ALL
                if total < old or (carry and total == old):
                    carry = 1
                else:
                    carry = 0
                rows[after + w] = total | (old & ~masks[base + w])
        before = after
    length: cython.Py_ssize_t = 0
    for i in range(n):
        if not (rows[before + (i >> 6)] >> (i & 63)) & 1:
            length += 1
    for i in range(r_low, r_high):
        slot[tokens[i]] = 0
    return length


@cython.cfunc
def _reserve(work: _Work, masks: cython.Py_ssize_t, rows: cython.Py_ssize_t) -> cython.void:
    if len(work.masks) < masks:
        work.masks = view(np.zeros(2 * masks, dtype=np.uint64))
    if len(work.rows) < rows:
        work.rows = view(np.zeros(2 * rows, dtype=np.uint64))


@cython.cfunc
def _union(
    tokens: cython.int[::1],
    sentences: cython.longlong[::1],
    texts: cython.longlong[::1],
    c: cython.Py_ssize_t,
    r: cython.Py_ssize_t,
    work: _Work,
) -> cython.Py_ssize_t:
    """Hits of ROUGE-Lsum: for each reference sentence the union of its subsequences with all candidate
    sentences, every token counted at most as often as both texts hold it."""
    seen: cython.int[::1] = work.seen
    hits: cython.Py_ssize_t = 0
    s: cython.Py_ssize_t
    q: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c_low: cython.Py_ssize_t = sentences[texts[c]]
    c_high: cython.Py_ssize_t = sentences[texts[c + 1]]
    hit: cython.char[::1] = work.hit
    for i in range(c_low, c_high):
        seen[tokens[i]] += 1
    for s in range(texts[r], texts[r + 1]):
        low: cython.Py_ssize_t = sentences[s]
        high: cython.Py_ssize_t = sentences[s + 1]
        for i in range(high - low):
            hit[i] = 0
        for q in range(texts[c], texts[c + 1]):
            _mark(tokens, sentences[q], sentences[q + 1], low, high, work)
        for i in range(high - low):
            # A token of the reference is visited once, so the reference's own count can never run out first.
            if hit[i] and seen[tokens[low + i]] > 0:
                seen[tokens[low + i]] -= 1
                hits += 1
    for i in range(c_low, c_high):
        seen[tokens[i]] = 0
    return hits


@cython.cfunc
def _mark(
    tokens: cython.int[::1],
    c_low: cython.Py_ssize_t,
    c_high: cython.Py_ssize_t,
    r_low: cython.Py_ssize_t,
    r_high: cython.Py_ssize_t,
    work: _Work,
) -> cython.void:
    """Mark the reference tokens of the alignment that `rouge_score` would find."""
    if _lcs(tokens, c_low, c_high, r_low, r_high, work, True) == 0:
        return
    rows: cython.ulonglong[::1] = work.rows
    hit: cython.char[::1] = work.hit
    words: cython.Py_ssize_t = (r_high - r_low + 63) >> 6
    i: cython.Py_ssize_t = r_high - r_low
    j: cython.Py_ssize_t = c_high - c_low
    while i > 0 and j > 0:
        if tokens[r_low + i - 1] == tokens[c_low + j - 1]:
            i -= 1
            j -= 1
            hit[i] = 1
        elif (rows[(j - 1) * words + ((i - 1) >> 6)] >> ((i - 1) & 63)) & 1:
            i -= 1
        else:
            j -= 1
