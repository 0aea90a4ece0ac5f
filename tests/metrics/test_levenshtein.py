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


@pytest.mark.parametrize(
    ("source", "output", "expected"),
    [
        (
            "it is particularly famous for the cultivation of kiwifruit.",
            "it is mostly famous for the growing of kiwifruit.",
            0.7593,
        ),
        ("aracaju is the capital of the state.", "aracaju is the capital city of the country .", 0.80),
        (
            "entrance to tsinghua is very very difficult.",
            "the entrance to tsinghua is very very simple .",
            0.8222,
        ),
    ],
)
def test_published_values(source: str, output: str, expected: float) -> None:
    assert each("levenshtein", [output], [source])["levenshtein"][0] == pytest.approx(expected, abs=5e-5)


def test_most_similar_reference() -> None:
    assert each("levenshtein", ["abc"], [["xyz", "abd"]])["levenshtein"] == [pytest.approx(2 / 3)]
