"""What a rewrite does to its source."""

from __future__ import annotations

import pytest

from support import each, score


def test_published_control_values(simplener_pairs: list[tuple[str, str]]) -> None:
    """SimpleNER prints 0.80 characters and 0.76 similarity for its first pair."""
    source, output = simplener_pairs[0]
    values = score("rewriting:access", [output], None, [source])
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
