"""What of a long text a sentence is held against: the sentences nearest to it, or windows that can be read at once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from assay.text.sentences import Splitter, split_sentences

WORD = re.compile(r"\w+")


def premises(sentences: Sequence[str], claim: str, near: int, block: int = 1) -> list[str]:
    """Blocks of adjacent sentences, in the order of the text; with `near` only so many, those that share most with the
    claim: each word counts by how few sentences of this text have it. Where several share alike the first are taken."""
    words = [frozenset(WORD.findall(sentence.lower())) for sentence in sentences]
    found = Counter(word for each in words for word in each)
    wanted = set(WORD.findall(claim.lower()))
    blocks = range(max(1, len(sentences) - block + 1))
    if near and len(blocks) > near:

        def shared(i: int) -> float:
            held = wanted & frozenset().union(*words[i : i + block])
            return math.fsum(math.log((len(sentences) + 1) / found[word]) for word in held)

        blocks = sorted(sorted(blocks, key=lambda i: (-shared(i), i))[:near])  # type: ignore[assignment]
    return [" ".join(sentences[i : i + block]) for i in blocks]


def packed(text: str, room: int, lengths: Callable[[Sequence[str]], list[int]], splitter: Splitter) -> list[str]:
    """The text itself where it has at most `room` tokens, else windows of as many whole sentences as go into it."""
    if len(text) <= room or lengths([text])[0] <= room:  # no token is shorter than a character
        return [text]
    windows: list[list[str]] = []
    left = 0
    sentences = split_sentences(text, splitter)
    for sentence, tokens in zip(sentences, lengths(sentences), strict=True):
        if not windows or tokens > left:
            windows.append([])
            left = room
        windows[-1].append(sentence)
        left -= tokens
    return [" ".join(window) for window in windows]
