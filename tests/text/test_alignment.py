"""Longest common subsequences and edit distances against the tables that define them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.text.alignment import common_length, common_lengths, edit_distances

SHORT = st.text("abcß🎉", max_size=12)


def tables(a: str, b: str) -> tuple[int, int]:
    common = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    edits = [[max(i, j) if not i or not j else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            common[i][j] = common[i - 1][j - 1] + 1 if x == y else max(common[i - 1][j], common[i][j - 1])
            edits[i][j] = min(edits[i - 1][j - 1] + (x != y), edits[i - 1][j] + 1, edits[i][j - 1] + 1)
    return common[-1][-1], edits[-1][-1]


@given(SHORT, SHORT)
def test_as_the_tables(a: str, b: str) -> None:
    common, edits = tables(a, b)
    assert common_length(a, b) == common
    letters = sorted({*a, *b})
    ids = np.array([letters.index(letter) for letter in a + b], dtype=np.int32)
    starts = np.array([0, len(a), len(a) + len(b)], dtype=np.int64)
    pair = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    assert common_lengths(ids, starts, *pair).tolist() == [common]
    assert edit_distances(ids, starts, *pair, len(letters)).tolist() == [edits]
