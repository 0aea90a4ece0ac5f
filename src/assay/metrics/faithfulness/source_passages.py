"""Passages of a long source: the sentences most similar to a claim, or windows that fit a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

WORD = re.compile(r"\w+")


def nearest_passages(sentences: Sequence[str], claim: str, near: int, block: int = 1) -> list[str]:
    """Return blocks of neighbouring sentences in text order, only the most similar ones if `near` is not 0.

    Args:
        sentences: The sentences of the source.
        claim: The sentence to compare with.
        near: Number of blocks to return; 0 returns all.
        block: Number of sentences per block.

    Similarity is the sum of the inverse sentence frequencies of shared words; ties go to the earlier block.
    """
    blocks = range(max(1, len(sentences) - block + 1))
    if near and len(blocks) > near:
        words, weight = _weighed_words(tuple(sentences))
        wanted = set(WORD.findall(claim.lower()))

        def shared(i: int) -> float:
            common = wanted & (words[i] if block == 1 else frozenset().union(*words[i : i + block]))
            return math.fsum(weight[word] for word in common)

        blocks = sorted(sorted(blocks, key=lambda i: (-shared(i), i))[:near])  # type: ignore[assignment]
    return [" ".join(sentences[i : i + block]) for i in blocks]


@lru_cache(maxsize=4)
def _weighed_words(sentences: tuple[str, ...]) -> tuple[list[frozenset[str]], dict[str, float]]:
    """Return the words of each sentence, and the inverse sentence frequency of each word. All claims about a source
    need them."""
    words = [frozenset(WORD.findall(sentence.lower())) for sentence in sentences]
    frequency = Counter(word for each in words for word in each)
    return words, {word: math.log((len(sentences) + 1) / count) for word, count in frequency.items()}


def surely_fits(text: str, room: int) -> bool:
    """Return whether a text has at most `room` tokens with any tokenizer, since a token has at least one byte."""
    return len(text) <= room and len(text.encode("utf-8", "replace")) <= room


def split_to_fit(text: str, room: int, lengths: Callable[[Sequence[str]], list[int]]) -> list[str]:
    """Return the text, or parts of similar length with at most `room` tokens each, split between words."""
    words = text.split()
    if surely_fits(text, room) or len(words) < 2 or lengths([text])[0] <= room:
        return [text]
    halves = words[: len(words) // 2], words[len(words) // 2 :]
    return [piece for half in halves for piece in split_to_fit(" ".join(half), room, lengths)]


def pack_windows(text: str, room: int, lengths: Callable[[Sequence[str]], list[int]], splitter: Splitter) -> list[str]:
    """Return the text if it has at most `room` tokens, else windows of as many whole sentences as fit.

    A sentence that does not fit is split between words.
    """
    if surely_fits(text, room) or lengths([text])[0] <= room:
        return [text]
    windows: list[list[str]] = []
    left = 0
    whole = split_sentences(text, splitter)
    sentences = [piece for sentence in whole for piece in split_to_fit(sentence, room, lengths)]
    for sentence, tokens in zip(sentences, lengths(sentences), strict=True):
        if not windows or tokens > left:
            windows.append([])
            left = room
        windows[-1].append(sentence)
        left -= tokens
    return [" ".join(window) for window in windows] or [text]  # a text of white space only


def note_empty_texts(metric: str, items: Items) -> list[str]:
    """Return notes on empty outputs and sources, which score 0."""
    notes = []
    for what, texts in (("output", items.outputs), ("source", items.sources)):
        if empty := sum(map(is_blank, texts)):
            one = empty == 1
            notes.append(f"{metric}: {empty} empty {what}{' scores' if one else 's score'} 0")
    return notes
