"""Groups of nearly identical texts."""

from __future__ import annotations

import random

import numpy as np

from assay.text.near_duplicates import near_duplicates
from tests.support.processor_time import processor_seconds

WORDS = [f"word{i}" for i in range(2000)]


def _texts(documents: int, each: int, seed: int = 0, edits: int = 1, length: int = 20) -> list[str]:
    draw = random.Random(seed)
    made = []
    for _ in range(documents):
        base = draw.choices(WORDS, k=length)
        for _ in range(each):
            changed = list(base)
            for place in draw.sample(range(length), edits):
                changed[place] = draw.choice(WORDS)
            made.append(" ".join(changed).capitalize() + ".")
    return made


def test_one_changed_word_of_twenty_is_found() -> None:
    first = near_duplicates(_texts(20, 10))
    groups = [set(first[i * 10 : i * 10 + 10]) for i in range(20)]
    assert sum(len(group) == 1 for group in groups) >= 18
    assert all(group <= set(range(i * 10, i * 10 + 10)) for i, group in enumerate(groups))


def test_texts_that_are_similar_in_pairs_only_are_one_group() -> None:
    """Four words of twenty are changed in each text, so that two texts of a document differ in up to eight."""
    first = near_duplicates(_texts(20, 10, edits=4))
    assert len(set(first)) <= 30
    assert all(first[i] // 10 == i // 10 for i in range(200))


def test_four_changed_words_of_fourteen_are_found() -> None:
    """Two texts of a document have half of their words in common, and those in different places."""
    first = near_duplicates(_texts(20, 10, edits=4, length=14))
    assert len(set(first)) <= 22
    assert all(first[i] // 10 == i // 10 for i in range(200))


def test_common_words_do_not_make_texts_similar() -> None:
    draw = random.Random(0)
    frame = "there is a place in the city centre that has {} and it is {} for all"
    made = [frame.format(*draw.sample(WORDS, 2)) for _ in range(200)]
    assert len(set(near_duplicates(made).tolist())) >= 195


def test_chains_of_alike_texts_do_not_join_most_of_them() -> None:
    draw = random.Random(0)
    made = [f"a place in the city centre with {' '.join(draw.choices(WORDS[:40], k=8))}" for _ in range(300)]
    _, sizes = np.unique(near_duplicates(made), return_counts=True)
    assert sizes.max() <= 60


def test_different_texts_are_alone() -> None:
    assert near_duplicates(_texts(500, 1)).tolist() == list(range(500))


def test_case_and_punctuation_do_not_count() -> None:
    assert near_duplicates(["The cat sat, on it!", "the cat sat on it"]).tolist() == [0, 0]


def test_texts_without_words_are_alone() -> None:
    assert near_duplicates(["", "…", "", "a b c d"]).tolist() == [0, 1, 2, 3]


def test_time_is_linear() -> None:
    def seconds(documents: int) -> float:
        texts = _texts(documents, 4)
        return processor_seconds(lambda: near_duplicates(texts))

    seconds(100)
    assert seconds(4000) < 20 * max(seconds(400), 0.01)  # 10 times the texts; quadratic time would be 100 times
