"""Phrases with alternatives: the longest that begins at a word, the first of equally long ones, as tried one by one."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.text.phrases import Element, Phrases, read_pattern

WORDS = st.sampled_from(["a", "b", "c", "d"])
CHOICES = st.lists(st.lists(WORDS, max_size=2).map(" ".join), min_size=1, max_size=3).map(
    lambda each: f"({'|'.join(each)})"
)
PATTERNS = st.lists(st.one_of(WORDS, CHOICES), min_size=1, max_size=4).map(" ".join)


def end(elements: Sequence[Element], words: Sequence[str], start: int) -> int:
    """Where the longest phrase that begins at a word ends; -1 where none does."""
    if not elements:
        return start
    fitting = [choice for choice in elements[0] if tuple(words[start : start + len(choice)]) == choice]
    return max((end(elements[1:], words, start + len(choice)) for choice in fitting), default=-1)


def tried(patterns: dict[int, list[str]], words: Sequence[str]) -> list[tuple[int, int, int]]:
    found, i = [], 0
    while i < len(words):
        ends = [(end(read_pattern(text), words, i), meaning) for meaning, texts in patterns.items() for text in texts]
        furthest, meaning = max(ends, key=lambda each: each[0], default=(-1, 0))
        if furthest > i:
            found.append((i, furthest, meaning))
        i = max(furthest, i + 1)
    return found


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.integers(0, 4), st.lists(PATTERNS, min_size=1, max_size=3), max_size=4),
    st.lists(st.one_of(WORDS, st.just("x")), max_size=12),
)
def test_the_same_as_trying_every_pattern(patterns: dict[int, list[str]], words: list[str]) -> None:
    assert [tuple(each) for each in Phrases(patterns).find(words)] == tried(patterns, words)


def test_words_that_no_pattern_has_are_not_remembered() -> None:
    phrases = Phrases({"kids": ["(kid|small child|) friendly"]})
    assert [tuple(each) for each in phrases.find("it is small child friendly and friendly".split())] == [
        (2, 5, "kids"),
        (6, 7, "kids"),
    ]
    phrases.find([f"w{i}" for i in range(1000)])
    assert len(phrases._start.after) <= 4
