"""Levenshtein similarity: computed by hand, and by longest common subsequences."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.support import WORDY, each


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


def test_by_hand() -> None:
    """A deletion, a substitution, and capitals (lower-cased): twice the common subsequence over both lengths."""
    sources = ["the small red house", "a cold day .", "a cold day ."]
    outputs = ["the red house", "a bold day .", "A COLD DAY"]
    actual = each("levenshtein", outputs, sources)["levenshtein"]
    assert actual == pytest.approx([26 / (19 + 13), 22 / (12 + 12), 20 / (12 + 10)])


def test_most_similar_reference() -> None:
    assert each("levenshtein", ["abc"], [["xyz", "abd"]])["levenshtein"] == [pytest.approx(2 / 3)]
