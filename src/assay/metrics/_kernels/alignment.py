"""The beam search of METEOR: of all matches, those that cover most words in the fewest chunks.

The search reproduces the METEOR 1.5 program, including two of its peculiarities: half matches are truncated to whole
words, and the distance of a match is added to the paths that do not take it. Without them alignments would differ.

A match is a row of five numbers: start and length in the reference, start and length in the output, stage.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled

BEAM = 40
_BEAM = cython.declare(cython.Py_ssize_t, BEAM)
# Columns of a path.
_COVERED = cython.declare(cython.Py_ssize_t, 0)
_CHUNKS = cython.declare(cython.Py_ssize_t, 1)
_DISTANCE = cython.declare(cython.Py_ssize_t, 2)
_OURS = cython.declare(cython.Py_ssize_t, 3)
_THEIRS = cython.declare(cython.Py_ssize_t, 4)
_REACH = cython.declare(cython.Py_ssize_t, 5)
_END = cython.declare(cython.Py_ssize_t, 6)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def search(
    matches: cython.int[:, ::1],
    first: cython.longlong[::1],
    fixed: cython.longlong[::1],
    covered: cython.longlong[::1],
    n: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
    paths: cython.longlong[:, ::1],
    used: cython.ulonglong[:, ::1],
    rank: cython.longlong[:, ::1],
    back: cython.longlong[:, :, ::1],
    chosen: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Write the matches of the best path from left to right over the reference, and return their number.

    There are two layers of paths, of this word and of the next one. A layer keeps the best paths in `rank`: those that
    cover most words, then those with fewest chunks and smallest distance, then those that were found first.
    """
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    place: cython.Py_ssize_t
    at: cython.Py_ssize_t
    layer: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 1
    following: cython.Py_ssize_t
    distance: cython.longlong
    blocks: cython.Py_ssize_t = n // 64 + 1
    for i in range(7):
        paths[0, i] = 0
    paths[0, _END] = -1
    rank[0, 0] = 0
    for j in range(blocks):
        used[0, j] = 0
    for i in range(m):
        if fixed[i] >= 0:
            _take(used, 0, matches, fixed[i])
    for i in range(m):
        following = 0
        for place in range(size):
            at = rank[layer, place]
            distance = paths[at, _DISTANCE]
            if i < paths[at, _REACH]:
                following = _keep(paths, used, rank, back, layer, following, at, i, matches, -1, distance,
                                  paths[at, _CHUNKS], paths[at, _REACH], paths[at, _END], blocks, False)  # fmt: skip
            elif fixed[i] >= 0:
                distance += abs(matches[fixed[i], 0] - matches[fixed[i], 2])
                following = _keep(paths, used, rank, back, layer, following, at, i, matches, fixed[i], distance,
                                  0, 0, 0, blocks, False)  # fmt: skip
            elif not covered[i]:
                for k in range(first[i], first[i + 1]):
                    if _is_free(used, at, matches, k) and _is_apart(covered, matches, k):
                        following = _keep(paths, used, rank, back, layer, following, at, i, matches, k, distance,
                                          0, 0, 0, blocks, True)  # fmt: skip
                        distance += abs(matches[k, 0] - matches[k, 2])
                following = _keep(paths, used, rank, back, layer, following, at, i, matches, -1, distance,
                                  paths[at, _CHUNKS] + (paths[at, _END] != -1), i + 1, -1, blocks, False)  # fmt: skip
        if following == 0:  # words inside a fixed match that no path has reached
            at = rank[layer, 0]
            following = _keep(paths, used, rank, back, layer, 0, at, i, matches, -1, paths[at, _DISTANCE],
                              paths[at, _CHUNKS], paths[at, _REACH], paths[at, _END], blocks, False)  # fmt: skip
        layer = 1 - layer
        size = following
    return _trace(paths, rank, back, chosen, layer, size, m)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _trace(
    paths: cython.longlong[:, ::1],
    rank: cython.longlong[:, ::1],
    back: cython.longlong[:, :, ::1],
    chosen: cython.longlong[::1],
    layer: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Write the matches of the best path, after its last chunk is counted."""
    best: cython.Py_ssize_t = -1
    at: cython.Py_ssize_t
    i: cython.Py_ssize_t
    picked: cython.Py_ssize_t = 0
    for i in range(size):
        at = rank[layer, i]
        paths[at, _CHUNKS] += paths[at, _END] != -1
        if best < 0 or _is_before(paths, at, best):
            best = at
    for i in range(m - 1, -1, -1):
        if back[i, best % _BEAM, 1] >= 0:
            chosen[picked] = back[i, best % _BEAM, 1]
            picked += 1
        best = back[i, best % _BEAM, 0]
    for i in range(picked // 2):
        at = chosen[i]
        chosen[i] = chosen[picked - 1 - i]
        chosen[picked - 1 - i] = at
    return picked


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _is_before(paths: cython.longlong[:, ::1], one: cython.Py_ssize_t, two: cython.Py_ssize_t) -> cython.bint:
    if paths[one, _COVERED] != paths[two, _COVERED]:
        return paths[one, _COVERED] < paths[two, _COVERED]
    if paths[one, _CHUNKS] != paths[two, _CHUNKS]:
        return paths[one, _CHUNKS] < paths[two, _CHUNKS]
    return paths[one, _DISTANCE] < paths[two, _DISTANCE]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep(
    paths: cython.longlong[:, ::1],
    used: cython.ulonglong[:, ::1],
    rank: cython.longlong[:, ::1],
    back: cython.longlong[:, :, ::1],
    layer: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    step: cython.Py_ssize_t,
    matches: cython.int[:, ::1],
    match: cython.Py_ssize_t,
    distance: cython.longlong,
    chunks: cython.longlong,
    reach: cython.longlong,
    end: cython.longlong,
    blocks: cython.Py_ssize_t,
    taking: cython.bint,
) -> cython.Py_ssize_t:
    """Add a path to the next layer: path `at` with one more match, or without (-1) and with these numbers. Return how
    many there are; the last one is dropped where there are too many."""
    ours: cython.longlong = paths[at, _OURS]
    theirs: cython.longlong = paths[at, _THEIRS]
    following: cython.Py_ssize_t = 1 - layer
    place: cython.Py_ssize_t = size
    other: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    j: cython.Py_ssize_t
    half: cython.bint = match >= 0 and matches[match, 4] > 0
    if match >= 0:
        ours += matches[match, 3] // 2 if half else matches[match, 3]
        theirs += matches[match, 1] // 2 if half else matches[match, 1]
        chunks = paths[at, _CHUNKS] + (paths[at, _END] != -1 and paths[at, _END] != matches[match, 2])
        reach = matches[match, 0] + matches[match, 1]
        end = matches[match, 2] + matches[match, 3]
    while place > 0:
        other = rank[following, place - 1]
        if paths[other, _COVERED] != -(ours + theirs):
            if paths[other, _COVERED] < -(ours + theirs):
                break
        elif paths[other, _CHUNKS] != chunks:
            if paths[other, _CHUNKS] < chunks:
                break
        elif paths[other, _DISTANCE] <= distance:
            break
        place -= 1
    if place == _BEAM:
        return size
    slot = rank[following, _BEAM - 1] if size == _BEAM else following * _BEAM + size
    size = size if size == _BEAM else size + 1
    for j in range(size - 1, place, -1):
        rank[following, j] = rank[following, j - 1]
    rank[following, place] = slot
    paths[slot, _COVERED] = -(ours + theirs)
    paths[slot, _CHUNKS] = chunks
    paths[slot, _DISTANCE] = distance
    paths[slot, _OURS] = ours
    paths[slot, _THEIRS] = theirs
    paths[slot, _REACH] = reach
    paths[slot, _END] = end
    for j in range(blocks):
        used[slot, j] = used[at, j]
    if taking:
        _take(used, slot, matches, match)
    back[step, slot % _BEAM, 0] = at
    back[step, slot % _BEAM, 1] = match
    return size


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _take(
    used: cython.ulonglong[:, ::1], at: cython.Py_ssize_t, matches: cython.int[:, ::1], match: cython.Py_ssize_t
) -> cython.void:
    """Mark the words of the output that a match takes."""
    j: cython.Py_ssize_t
    for j in range(matches[match, 2], matches[match, 2] + matches[match, 3]):
        used[at, j // 64] |= cython.cast(cython.ulonglong, 1) << (j % 64)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _is_free(
    used: cython.ulonglong[:, ::1], at: cython.Py_ssize_t, matches: cython.int[:, ::1], match: cython.Py_ssize_t
) -> cython.bint:
    j: cython.Py_ssize_t
    for j in range(matches[match, 2], matches[match, 2] + matches[match, 3]):
        if (used[at, j // 64] >> (j % 64)) & 1:
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _is_apart(covered: cython.longlong[::1], matches: cython.int[:, ::1], match: cython.Py_ssize_t) -> cython.bint:
    """Whether a match covers no word of the reference that a fixed match covers."""
    i: cython.Py_ssize_t
    for i in range(matches[match, 0], matches[match, 0] + matches[match, 1]):
        if covered[i]:
            return False
    return True
