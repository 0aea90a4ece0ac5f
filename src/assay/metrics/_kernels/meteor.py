"""METEOR: all matches of an output and a reference, and the statistics of their best alignment."""

from __future__ import annotations

import numpy as np

from assay.metrics._kernels.alignment import BEAM
from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled

if cython.compiled:
    from cython.cimports.assay.metrics._kernels.alignment import search
else:
    from assay.metrics._kernels.alignment import search

COLUMNS = 21
"""Lengths, function words and chunks; then matches by side, kind of word and stage."""


def meteor(ids, starts, pairs, stems, sense_starts, senses, function, phrases, keys, key_starts, seconds, lengths):
    """Return the statistics of each pair of an output and a reference.

    Args:
        ids, starts: The words of all texts as numbers, and where each text starts.
        pairs: Two texts each: output and reference.
        stems, function: Stem of each word, and whether it is a function word.
        phrases: Hashes of the phrases from each word of the texts on.
        sense_starts, senses: The sorted senses of each word.
        keys, key_starts, seconds, lengths: Paraphrases: sorted hashes of phrases, and for each of them the hashes and
            numbers of words of its paraphrases.
    """
    sizes = np.diff(starts)
    n_most = int(sizes[pairs[:, 0]].max(initial=1))
    m_most = int(sizes[pairs[:, 1]].max(initial=1))
    result = np.zeros((len(pairs), COLUMNS), dtype=np.float64)
    views = (
        view(ids), view(starts), view(pairs), view(stems), view(sense_starts), view(senses), view(function),
        view(phrases), view(keys), view(key_starts), view(seconds), view(lengths), view(result),
        view(np.zeros((2 * BEAM, 7), dtype=np.int64)),
        view(np.zeros((2 * BEAM, n_most // 64 + 1), dtype=np.uint64)),
        view(np.zeros((2, BEAM), dtype=np.int64)),
        view(np.zeros((m_most, BEAM, 2), dtype=np.int64)),
        view(np.zeros(n_most + 1, dtype=np.int64)),
        view(np.zeros(m_most + 1, dtype=np.int64)),
        view(np.zeros(m_most + 1, dtype=np.int64)),
        view(np.zeros(m_most + 1, dtype=np.int64)),
    )  # fmt: skip
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    pairs_: cython.longlong[:, ::1] = views[2]
    stems_: cython.int[::1] = views[3]
    sense_starts_: cython.longlong[::1] = views[4]
    senses_: cython.longlong[::1] = views[5]
    function_: cython.schar[::1] = views[6]
    phrases_: cython.ulonglong[:, ::1] = views[7]
    keys_: cython.ulonglong[::1] = views[8]
    key_starts_: cython.longlong[::1] = views[9]
    seconds_: cython.ulonglong[::1] = views[10]
    lengths_: cython.int[::1] = views[11]
    result_: cython.double[:, ::1] = views[12]
    paths: cython.longlong[:, ::1] = views[13]
    used: cython.ulonglong[:, ::1] = views[14]
    rank: cython.longlong[:, ::1] = views[15]
    back: cython.longlong[:, :, ::1] = views[16]
    n_count: cython.longlong[::1] = views[17]
    m_count: cython.longlong[::1] = views[18]
    first: cython.longlong[::1] = views[19]
    fixed: cython.longlong[::1] = views[20]
    room: cython.Py_ssize_t = 4 * (n_most + m_most)
    made, matches, chosen = _match_views(room, m_most)
    made_: cython.int[:, ::1] = made
    matches_: cython.int[:, ::1] = matches
    chosen_: cython.longlong[::1] = chosen
    count: cython.Py_ssize_t
    picked: cython.Py_ssize_t
    pair: cython.Py_ssize_t
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    n: cython.Py_ssize_t
    m: cython.Py_ssize_t
    for pair in range(len(pairs)):
        a = starts_[pairs_[pair, 0]]
        b = starts_[pairs_[pair, 1]]
        n = starts_[pairs_[pair, 0] + 1] - a
        m = starts_[pairs_[pair, 1] + 1] - b
        while True:
            with cython.nogil:
                count = _collect(ids_, a, n, b, m, stems_, sense_starts_, senses_, phrases_, keys_, key_starts_,
                                 seconds_, lengths_, made_, room)  # fmt: skip
            if count <= room:
                break
            room = count
            made, matches, chosen = _match_views(room, m_most)
            made_ = made
            matches_ = matches
        with cython.nogil:
            _by_start(made_, matches_, count, first, m)
            _find_fixed(matches_, first, n, m, n_count, m_count, fixed)
            picked = search(matches_, first, fixed, m_count, n, m, paths, used, rank, back, chosen_)
            _count(ids_, a, n, b, m, function_, matches_, chosen_, picked, result_, pair)
    return result


def _match_views(room, most):
    """Return room for matches as they are made, for matches by start, and for the chosen ones."""
    matches = (view(np.zeros((max(room, 1), 5), dtype=np.int32)) for _ in range(2))
    return (*matches, view(np.zeros(most + 1, dtype=np.int64)))


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _collect(
    ids: cython.int[::1],
    a: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
    stems: cython.int[::1],
    sense_starts: cython.longlong[::1],
    senses: cython.longlong[::1],
    phrases: cython.ulonglong[:, ::1],
    keys: cython.ulonglong[::1],
    key_starts: cython.longlong[::1],
    seconds: cython.ulonglong[::1],
    lengths: cython.int[::1],
    made: cython.int[:, ::1],
    room: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write all matches by form, stem, sense and paraphrase, in this order; return their number, which may be more than
    there is room for."""
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    stage: cython.int
    same: cython.bint = n == m
    for i in range(m):
        for j in range(n):
            if ids[a + j] == ids[b + i]:
                count = _add(made, room, count, i, 1, j, 1, 0)
        same = same and ids[a + i] == ids[b + i]
    if same:
        return count
    for stage in range(1, 3):
        for i in range(m):
            for j in range(n):
                if ids[a + j] != ids[b + i] and (
                    stems[ids[a + j]] == stems[ids[b + i]]
                    if stage == 1
                    else _share_sense(ids[a + j], ids[b + i], sense_starts, senses)
                ):
                    count = _add(made, room, count, i, 1, j, 1, stage)
    if keys.shape[0]:
        count = _paraphrases(phrases, b, m, a, n, keys, key_starts, seconds, lengths, made, room, count, False)
        count = _paraphrases(phrases, a, n, b, m, keys, key_starts, seconds, lengths, made, room, count, True)
    return count


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _add(
    made: cython.int[:, ::1],
    room: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    start: cython.Py_ssize_t,
    length: cython.Py_ssize_t,
    other: cython.Py_ssize_t,
    other_length: cython.Py_ssize_t,
    stage: cython.int,
) -> cython.Py_ssize_t:
    if count < room:
        made[count, 0] = start
        made[count, 1] = length
        made[count, 2] = other
        made[count, 3] = other_length
        made[count, 4] = stage
    return count + 1


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _share_sense(
    one: cython.int, two: cython.int, sense_starts: cython.longlong[::1], senses: cython.longlong[::1]
) -> cython.bint:
    i: cython.Py_ssize_t = sense_starts[one]
    j: cython.Py_ssize_t = sense_starts[two]
    while i < sense_starts[one + 1] and j < sense_starts[two + 1]:
        if senses[i] == senses[j]:
            return True
        if senses[i] < senses[j]:
            i += 1
        else:
            j += 1
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _paraphrases(
    phrases: cython.ulonglong[:, ::1],
    one: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    two: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
    keys: cython.ulonglong[::1],
    key_starts: cython.longlong[::1],
    seconds: cython.ulonglong[::1],
    lengths: cython.int[::1],
    made: cython.int[:, ::1],
    room: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    swapped: cython.bint,
) -> cython.Py_ssize_t:
    """Write the paraphrases of phrases of one text in the other; the first is the reference unless `swapped`. A pair
    that the table has in both directions is written twice."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    entry: cython.Py_ssize_t
    last: cython.Py_ssize_t = keys.shape[0]
    words: cython.Py_ssize_t
    phrase: cython.ulonglong
    longest: cython.Py_ssize_t = phrases.shape[1]
    for i in range(n):
        for k in range(min(longest, n - i)):
            phrase = phrases[one + i, k]
            low = 0
            high = last
            while low < high:
                middle = (low + high) // 2
                if keys[middle] < phrase:
                    low = middle + 1
                else:
                    high = middle
            if low == last or keys[low] != phrase:
                continue
            for entry in range(key_starts[low], key_starts[low + 1]):
                words = lengths[entry]
                for j in range(m - words + 1):
                    if phrases[two + j, words - 1] == seconds[entry]:
                        if swapped:
                            count = _add(made, room, count, j, words, i, k + 1, 3)
                        else:
                            count = _add(made, room, count, i, k + 1, j, words, 3)
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _by_start(
    made: cython.int[:, ::1],
    matches: cython.int[:, ::1],
    count: cython.Py_ssize_t,
    first: cython.longlong[::1],
    m: cython.Py_ssize_t,
) -> cython.void:
    """Order matches by start, and else as they were made; `first` is where those of a start begin."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    place: cython.Py_ssize_t
    for i in range(m + 1):
        first[i] = 0
    for k in range(count):
        if made[k, 0] + 1 <= m:
            first[made[k, 0] + 1] += 1
    for i in range(m):
        first[i + 1] += first[i]
    for k in range(count):
        place = first[made[k, 0]]
        first[made[k, 0]] += 1
        for i in range(5):
            matches[place, i] = made[k, i]
    for i in range(m, 0, -1):
        first[i] = first[i - 1]
    first[0] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_fixed(
    matches: cython.int[:, ::1],
    first: cython.longlong[::1],
    n: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
    n_count: cython.longlong[::1],
    m_count: cython.longlong[::1],
    fixed: cython.longlong[::1],
) -> cython.void:
    """Write the match of each start that overlaps with no other match, else -1; `m_count` is then 1 for words of the
    reference that such matches cover, else 0."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    alone: cython.bint
    for j in range(n):
        n_count[j] = 0
    for i in range(m):
        m_count[i] = 0
    for k in range(first[m]):
        for j in range(matches[k, 2], matches[k, 2] + matches[k, 3]):
            n_count[j] += 1
        for i in range(matches[k, 0], matches[k, 0] + matches[k, 1]):
            m_count[i] += 1
    for i in range(m):
        fixed[i] = -1
        if first[i + 1] - first[i] != 1:
            continue
        k = first[i]
        alone = True
        for j in range(matches[k, 2], matches[k, 2] + matches[k, 3]):
            alone = alone and n_count[j] == 1
        for j in range(i, i + matches[k, 1]):
            alone = alone and m_count[j] == 1
        if alone:
            fixed[i] = k
    for i in range(m):
        m_count[i] = 0
    for i in range(m):
        if fixed[i] >= 0:
            for j in range(i, i + matches[fixed[i], 1]):
                m_count[j] = 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _count(
    ids: cython.int[::1],
    a: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
    function: cython.schar[::1],
    matches: cython.int[:, ::1],
    chosen: cython.longlong[::1],
    picked: cython.Py_ssize_t,
    result: cython.double[:, ::1],
    row: cython.Py_ssize_t,
) -> cython.void:
    """Write lengths, chunks, and matches by side, kind of word and stage. A complete match counts as no chunk."""
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    here: cython.Py_ssize_t = -1
    there: cython.Py_ssize_t = -1
    ours: cython.Py_ssize_t = 0
    theirs: cython.Py_ssize_t = 0
    chunks: cython.Py_ssize_t = 0
    result[row, 0] = n
    result[row, 2] = m
    for j in range(n):
        result[row, 1] += function[ids[a + j]]
    for i in range(m):
        result[row, 3] += function[ids[b + i]]
    for i in range(picked):
        k = chosen[i]
        if matches[k, 0] != here or matches[k, 2] != there:
            chunks += 1
        here = matches[k, 0] + matches[k, 1]
        there = matches[k, 2] + matches[k, 3]
        ours += matches[k, 3]
        theirs += matches[k, 1]
        for j in range(matches[k, 2], there):
            result[row, 5 + 4 * function[ids[a + j]] + matches[k, 4]] += 1
        for j in range(matches[k, 0], here):
            result[row, 13 + 4 * function[ids[b + j]] + matches[k, 4]] += 1
    if chunks == 1 and ours == n and theirs == m:
        chunks = 0
    result[row, 4] = chunks
