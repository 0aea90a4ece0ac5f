"""ROUGE counts of many (candidate, reference) pairs: n-gram matches, longest common subsequences, union-LCS.

All texts are in one array of token ids, divided into sentences, which are grouped into texts. For ROUGE-Lsum the bit
rows of the subsequences are stored: backtracking visits the same cells in the same order as `rouge_score`, so that
among equally long alignments the same one is chosen.
"""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

if cython.compiled:
    from cython.cimports.assay.text._kernels.lcs import Subsequences
else:
    from assay.text._kernels.lcs import Subsequences

COMPILED = cython.compiled
ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
COLUMNS = 6
"""matches-1, matches-2, subsequence, union hits, tokens of the candidate, tokens of the reference."""


def count_pairs(tokens, sentences, texts, candidates, references, vocabulary: cython.Py_ssize_t):
    """Return the counts of each pair of texts (candidates[k], references[k]), an int64 array of `COLUMNS` columns.

    tokens      int32, the ids of all tokens of all sentences
    sentences   int64, sentence s is tokens[sentences[s]:sentences[s + 1]]
    texts       int64, text t is the sentences texts[t] to texts[t + 1]
    """
    pairs: cython.Py_ssize_t = len(candidates)
    result = np.zeros((pairs, COLUMNS), dtype=np.int64)
    longest = int(np.max(np.diff(sentences[texts]), initial=0))
    work = _Work(vocabulary, longest)
    views = view(tokens), view(sentences), view(texts), view(candidates), view(references), view(result)
    tokens_: cython.int[::1] = views[0]
    sentences_: cython.longlong[::1] = views[1]
    texts_: cython.longlong[::1] = views[2]
    candidates_: cython.longlong[::1] = views[3]
    references_: cython.longlong[::1] = views[4]
    result_: cython.longlong[:, ::1] = views[5]
    with cython.nogil:
        _count_all(tokens_, sentences_, texts_, candidates_, references_, result_, work)
    return result


@cython.final
@cython.cclass
class _Work:
    """Working memory, allocated once for all pairs and enlarged when a text needs more."""

    seen: cython.int[::1]
    """Count of each token id in the current text (all zero between uses)."""
    subsequences: Subsequences
    keys: cython.ulonglong[::1]
    counts: cython.int[::1]
    hit: cython.char[::1]

    def __init__(self, vocabulary: cython.Py_ssize_t, longest: cython.Py_ssize_t) -> None:
        self.seen = view(np.zeros(vocabulary + 1, dtype=np.int32))
        self.subsequences = Subsequences(vocabulary)
        size: cython.Py_ssize_t = 4
        while size < 2 * longest + 2:
            size *= 2
        self.keys = view(np.zeros(size, dtype=np.uint64))
        self.counts = view(np.zeros(size, dtype=np.int32))
        self.hit = view(np.zeros(longest + 1, dtype=np.int8))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
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
        lcs: cython.Py_ssize_t = work.subsequences.length(tokens, c_low, c_high, r_low, r_high, False)
        result[k, 2] = lcs
        one_each: cython.bint = texts[c + 1] - texts[c] == 1 and texts[r + 1] - texts[r] == 1
        # With one sentence on each side the union is that one subsequence, for any alignment.
        result[k, 3] = lcs if one_each else _union(tokens, sentences, texts, c, r, work)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
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
@cython.nogil
@cython.exceptval(check=False)
def _bigrams(
    tokens: cython.int[::1],
    c_low: cython.Py_ssize_t,
    c_high: cython.Py_ssize_t,
    r_low: cython.Py_ssize_t,
    r_high: cython.Py_ssize_t,
    work: _Work,
) -> cython.Py_ssize_t:
    """Return the clipped bigram matches, from a hash table of the candidate's bigrams."""
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
@cython.nogil
@cython.exceptval(check=False)
def _pack(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    return ((a + 1) << 32) | b  # never 0, which marks a free slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _place(key: cython.ulonglong) -> cython.ulonglong:
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    return ((key * factor) & ALL) >> 32


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _union(
    tokens: cython.int[::1],
    sentences: cython.longlong[::1],
    texts: cython.longlong[::1],
    c: cython.Py_ssize_t,
    r: cython.Py_ssize_t,
    work: _Work,
) -> cython.Py_ssize_t:
    """Return the hits of ROUGE-Lsum: for each reference sentence the union of its subsequences with all candidate
    sentences, each token counted at most as often as it occurs in both texts."""
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
            # A token of the reference is visited once, so the count of the reference is never exhausted first.
            if hit[i] and seen[tokens[low + i]] > 0:
                seen[tokens[low + i]] -= 1
                hits += 1
    for i in range(c_low, c_high):
        seen[tokens[i]] = 0
    return hits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mark(
    tokens: cython.int[::1],
    c_low: cython.Py_ssize_t,
    c_high: cython.Py_ssize_t,
    r_low: cython.Py_ssize_t,
    r_high: cython.Py_ssize_t,
    work: _Work,
) -> cython.void:
    """Mark the reference tokens of the alignment that `rouge_score` chooses."""
    if work.subsequences.length(tokens, c_low, c_high, r_low, r_high, True) == 0:
        return
    rows: cython.ulonglong[::1] = work.subsequences.rows
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
