"""Novel n-grams, coverage, density and compression against the source."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import each, score


def test_shares() -> None:
    values = each("novelty", ["a b x a b", ""], None, ["q a b c a b", "s"])
    assert values["novel-1"][0] == pytest.approx(1 / 3)
    assert values["novel-2"][0] == pytest.approx(2 / 3)  # a b is copied; b x and x a are new
    assert values["coverage"][0] == pytest.approx(4 / 5)
    assert values["density"][0] == pytest.approx((4 + 4) / 5)
    assert values["compression"][0] == pytest.approx(6 / 5)
    assert np.isnan(values["novel-1"][1])


def test_copies_and_inventions() -> None:
    copied = score("novelty", ["one two three four"], None, ["zero one two three four five"])
    assert copied["novel-1"] == 0
    assert copied["coverage"] == 1
    assert copied["density"] == 4
    assert score("novelty", ["new words"], None, ["old text"])["novel-2"] == 1


def test_longest_copy_is_taken_even_if_it_is_not_the_first() -> None:
    assert score("novelty", ["a b c"], None, ["a b x a b c"])["density"] == 3


def test_a_longer_copy_that_overlaps_a_shorter_one_is_not_missed() -> None:
    """The published program continues after `a a`, finds `a a` and `b`, and gives (4 + 1) / 3."""
    assert score("novelty", ["a a b"], None, ["a a a b"])["density"] == 3


def test_empty_outputs_are_left_out_of_the_mean() -> None:
    assert score("novelty", ["a b", ""], None, ["a b c d", "e"])["compression"] == 2


@pytest.mark.parametrize(
    ("output", "correct", "released"),
    [("w<sent>a b c", 0.5, 0.875), ("a b c<sent>w", 0.5, 0.625), ("a b c", 0.5, 0.5), ("a b c\nb q", 0.3, 0.3)],
)
def test_statements_of_one_output(output: str, correct: float, released: float) -> None:
    """Bigrams do not cross statements. The published program omits statements shorter than n from the shares but not
    from the weights; expected values are those of the authors' code. In the last case, a b and b q are copied."""
    assert each("novelty:fomc", [output], None, ["a b q"])["novel-2"][0] == pytest.approx(correct)
    assert each("novelty:fomc-release", [output], None, ["a b q"])["novel-2"][0] == pytest.approx(released)


def test_statements_leave_markers_out_and_empty_outputs_undefined() -> None:
    marked = "[STD_SENTENCE_START] the [ACTOR_START] Fed [ACTOR_END], then [STD_SENTENCE_END]"
    values = each("novelty:fomc", [marked, "", "<sent>", "w<sent>v"], None, ["the Fed", "a", "a", "a"])
    assert values["novel-1"][0] == 0.5  # the comma is a word, as in the published program
    assert np.isnan(values["novel-1"][1:3]).all()
    assert values["novel-1"][3] == 1
    assert np.isnan(values["novel-2"][3])
