"""What a rewrite does to its source."""

from __future__ import annotations

import pytest
from support import each, score

SOURCE = "it is particularly famous for the cultivation of kiwifruit."
OUTPUT = "it is mostly famous for the growing of kiwifruit."


def test_published_control_values() -> None:
    """SimpleNER prints 0.80 characters and 0.76 similarity for this pair."""
    values = score("rewriting:access", [OUTPUT], None, [SOURCE])
    assert values["compression_ratio"] == pytest.approx(41 / 51)
    assert values["levenshtein_similarity"] == pytest.approx(0.7593, abs=5e-5)


def test_words_added_deleted_and_kept() -> None:
    values = each("rewriting", ["a b b x", "s"], None, ["a b c d e", "S"])
    assert values["added"] == pytest.approx([2 / 5, 0])
    assert values["deleted"] == pytest.approx([3 / 5, 0])
    assert values["kept"] == pytest.approx([2 / 5, 1])
    assert values["exact_copies"] == [0, 1]


def test_sentence_splits() -> None:
    values = score("rewriting", ["One thing. Then another. And more."], None, ["One thing, then another, and more."])
    assert values["sentence_splits"] == 3
