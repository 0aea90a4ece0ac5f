"""Every beginning of every suffix of a text that stands in an indexed text, by narrowing search in a suffix array."""

from __future__ import annotations

import numpy as np

from assay.text._kernels._view import view

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython

COMPILED = cython.compiled


def occurrences(tokens, suffixes, query, limit):
    """Rows of begin, length, first and after-last place among the suffixes, for every stretch of two words or more of
    the query (numbers of words; -1 for one that is unknown) that the tokens hold; none is longer than the limit."""
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
