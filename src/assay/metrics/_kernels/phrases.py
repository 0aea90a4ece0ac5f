"""Hashes of phrases, from hashes of their words: equal for equal words, whatever process computes them."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled

LONGEST = 7
"""Maximum number of words of a phrase in METEOR's tables."""
_LONGEST = cython.declare(cython.Py_ssize_t, LONGEST)
_ALL = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
_BASIS = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
_PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
_NEXT = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)


def line_hashes(text, count):
    """Return a hash and the number of words of each of `count` lines; words are separated by single spaces."""
    hashes = np.zeros(count, dtype=np.uint64)
    words = np.zeros(count, dtype=np.int32)
    views = view(text), view(hashes), view(words)
    text_: cython.uchar[::1] = views[0]
    hashes_: cython.ulonglong[::1] = views[1]
    words_: cython.int[::1] = views[2]
    n: cython.Py_ssize_t = len(text)
    most: cython.Py_ssize_t = count
    at: cython.Py_ssize_t
    line: cython.Py_ssize_t = 0
    letter: cython.uint
    inside: cython.bint = False
    word: cython.ulonglong = _BASIS
    phrase: cython.ulonglong = 0
    with cython.nogil:
        for at in range(n + 1):
            letter = text_[at] if at < n else 10
            if letter != 10 and letter != 32:
                word = ((word ^ letter) * _PRIME) & _ALL
                inside = True
                continue
            if inside and line < most:
                phrase = (phrase * _NEXT + word) & _ALL
                words_[line] += 1
                word = _BASIS
                inside = False
            if letter == 10 and line < most:
                hashes_[line] = phrase
                phrase = 0
                line += 1
    return hashes, words


def phrase_hashes(ids, starts, hashes):
    """Return the hashes of the phrases of each length from each word of the texts on, given those of the words; 0 where
    a text ends before."""
    found = np.zeros((len(ids), LONGEST), dtype=np.uint64)
    views = view(ids), view(starts), view(hashes), view(found)
    ids_: cython.int[::1] = views[0]
    starts_: cython.longlong[::1] = views[1]
    hashes_: cython.ulonglong[::1] = views[2]
    found_: cython.ulonglong[:, ::1] = views[3]
    texts: cython.Py_ssize_t = len(starts) - 1
    text: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    phrase: cython.ulonglong
    with cython.nogil:
        for text in range(texts):
            for i in range(starts_[text], starts_[text + 1]):
                phrase = 0
                for k in range(min(_LONGEST, starts_[text + 1] - i)):
                    phrase = (phrase * _NEXT + hashes_[ids_[i + k]]) & _ALL
                    found_[i, k] = phrase
    return found
