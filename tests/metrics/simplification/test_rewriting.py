"""Features of a rewrite compared with its source."""

from __future__ import annotations

import pytest

from tests.support import each, score


def test_control_values_as_access_measures_them() -> None:
    """Characters are counted without spaces for the length, with them for the similarity."""
    values = score("rewriting:access", ["the red house"], None, ["the small red house"])
    assert values["compression_ratio"] == pytest.approx(11 / 16)
    assert values["levenshtein_similarity"] == pytest.approx(26 / (19 + 13))


def test_words_added_deleted_and_kept() -> None:
    values = each("rewriting", ["a b b x", "s"], None, ["a b c d e", "S"])
    assert values["added"] == pytest.approx([2 / 5, 0])
    assert values["deleted"] == pytest.approx([3 / 5, 0])
    assert values["kept"] == pytest.approx([2 / 5, 1])
    assert values["exact_copies"] == [0, 1]


def test_sentence_splits() -> None:
    values = score("rewriting", ["One thing. Then another. And more."], None, ["One thing, then another, and more."])
    assert values["sentence_splits"] == 3


def test_share_of_split_outputs() -> None:
    outputs = ["One thing. Then another.", "Two things. Both.", "One thing, then another."]
    sources = ["One thing, then another.", "Two things. They are both.", "One thing, then another."]
    assert score("rewriting:split=true", outputs, None, sources)["split_outputs"] == pytest.approx(1 / 3)
    assert "split_outputs" not in score("rewriting", outputs, None, sources)
