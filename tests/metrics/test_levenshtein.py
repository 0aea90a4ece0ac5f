"""Levenshtein similarity: the control values of SimpleNER, and difflib's cousin by subsequences."""

from __future__ import annotations

import pytest
from hypothesis import given

from support import WORDY, each


def subsequence(a: str, b: str) -> int:
    row = [0] * (len(b) + 1)
    for x in a:
        above = 0
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], above + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


@given(WORDY, WORDY)
def test_twice_the_subsequence_over_both_lengths(output: str, reference: str) -> None:
    a, b = output.lower(), reference.lower()
    expected = 2 * subsequence(a, b) / (len(a) + len(b)) if a or b else 1.0
    assert each("levenshtein", [output], [reference])["levenshtein"][0] == pytest.approx(expected)


def test_published_values(simplener_pairs: list[tuple[str, str]]) -> None:
    sources, outputs = map(list, zip(*simplener_pairs, strict=True))
    found = each("levenshtein", outputs, sources)["levenshtein"]
    assert found == pytest.approx([0.7593, 0.80, 0.8222], abs=5e-5)


def test_most_similar_reference() -> None:
    assert each("levenshtein", ["abc"], [["xyz", "abd"]])["levenshtein"] == [pytest.approx(2 / 3)]
