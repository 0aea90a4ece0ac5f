"""WER: the test vectors of GEM and plain dynamic programming."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import each, score

LONG = st.lists(st.sampled_from("ab"), min_size=1, max_size=150)


def distance(a: list[str], b: list[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(above + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


@given(LONG, LONG)
def test_plain_distance(output: list[str], reference: list[str]) -> None:
    """Beyond 64 words the bit vectors carry into the next machine word."""
    actual = each("wer", [" ".join(output)], [" ".join(reference)])["wer"][0]
    assert actual == pytest.approx(100 * distance(output, reference) / len(reference))


def test_vectors() -> None:
    from tests.conftest import OUTPUTS, REFERENCES

    assert score("wer", OUTPUTS, REFERENCES)["wer"] == pytest.approx(58.05861, abs=5e-6)
    assert score("wer", REFERENCES, REFERENCES)["wer"] == 0
    assert score("wer", [""] * 3, REFERENCES)["wer"] == 100


def test_closest_reference_and_empty_ones() -> None:
    assert each("wer", ["a b c"], [["x y", "a b c d"]])["wer"] == [25]
    assert each("wer", ["a b", ""], ["", ""])["wer"] == [100, 0]
