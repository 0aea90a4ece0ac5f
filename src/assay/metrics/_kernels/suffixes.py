"""Occurrences of the word sequences of a query in an indexed text, by binary search in a suffix array."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled


def occurrences(tokens, suffixes, query, limit):
    """Return rows of start, length, and first and after-last index among the suffixes, for every sequence of at least
    two words of the query (word ids; -1 for an unknown word) that occurs in the tokens, up to `limit` words."""
    longest = min(len(query), limit)
    result = np.empty((max(1, len(query) * longest), 4), dtype=np.int32)
    views = view(tokens), view(suffixes), view(query), view(result)
    tokens_: cython.int[::1] = views[0]
    suffixes_: cython.int[::1] = views[1]
    query_: cython.int[::1] = views[2]
    result_: cython.int[:, ::1] = views[3]
    size: cython.Py_ssize_t = len(tokens)
    words: cython.Py_ssize_t = len(query)
    most: cython.Py_ssize_t = longest
    rows: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    low: cython.Py_ssize_t
    high: cython.Py_ssize_t
    left: cython.Py_ssize_t
    right: cython.Py_ssize_t
    middle: cython.Py_ssize_t
    at: cython.Py_ssize_t
    word: cython.int
    with cython.nogil:
        for i in range(words):
            low = 0
            high = suffixes_.shape[0]
            for k in range(min(most, words - i)):
                word = query_[i + k]
                if word < 0:
                    break
                left = low
                right = high
                while left < right:
                    middle = (left + right) >> 1
                    at = suffixes_[middle] + k
                    if at >= size or tokens_[at] < word:
                        left = middle + 1
                    else:
                        right = middle
                low = left
                right = high
                while left < right:
                    middle = (left + right) >> 1
                    at = suffixes_[middle] + k
                    if at >= size or tokens_[at] <= word:
                        left = middle + 1
                    else:
                        right = middle
                high = left
                if low >= high:
                    break
                if k > 0:
                    result_[rows, 0] = i
                    result_[rows, 1] = k + 1
                    result_[rows, 2] = low
                    result_[rows, 3] = high
                    rows += 1
    return result[:rows]
