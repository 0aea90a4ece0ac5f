"""Training data for insertion: what is removed, that steps lead back to the sentence, and that required words stay."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.inputs.insertion import (
    NOI,
    START,
    document_frequencies,
    inserted,
    join_words,
    progressive,
    removable,
    split_words,
)

SENTENCE = "Cinder cooks Greek dishes, stands by the castle and is good for dinner."


@pytest.mark.parametrize(
    ("values", "positions", "total"),
    [([0, 3, 1, 4, 2, 0], [1, 3], 7), ([5, 1, 2, 3], [1, 3], 4), ([0, 2, 7, 9, 3, 1], [1, 3, 5], 12), ([9], [], 0)],
)
def test_removal(values: list[float], positions: list[int], total: float) -> None:
    assert removable(values) == positions
    assert sum(values[i] for i in positions) == total


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9))
def test_removal_is_the_best_of_all(values: list[int]) -> None:
    chosen = removable(values)
    assert 0 not in chosen
    assert all(b - a > 1 for a, b in itertools.pairwise(chosen))

    def best(i: int) -> int:
        return 0 if i >= len(values) else max(best(i + 1), values[i] + best(i + 2))

    assert sum(values[i] for i in chosen) == best(1)


def test_one_round() -> None:
    assert inserted(["a", "c", "e"], ["b", "d", NOI]) == ["a", "b", "c", "d", "e"]
    assert inserted(["a", "c"], [NOI, NOI]) == ["a", "c"]


def test_steps_lead_back_to_the_sentence_and_keep_required_words() -> None:
    words = split_words(SENTENCE)
    steps = progressive(words, document_frequencies([words]), ["cook", "castle"])
    assert steps[0].words == [START, *words]
    assert set(steps[0].labels) == {NOI}
    for longer, shorter in itertools.pairwise(steps):
        assert inserted(shorter.words, shorter.labels) == longer.words
        assert {"cooks", "castle"} <= set(shorter.words)
    assert "the" not in steps[-1].words
    assert len(steps[-1].words) < len(words)
    assert join_words(words) == SENTENCE


def test_short_sentences_are_skipped() -> None:
    assert progressive(["one", "two", "three", "four", "five"], {}) == []
    assert progressive(["one", "two", "three", "four", "five", "six"], {})
