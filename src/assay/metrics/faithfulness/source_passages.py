"""What of a long text a sentence is held against: the sentences nearest to it, or windows that can be read at once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

from assay.records.items import Items
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

WORD = re.compile(r"\w+")


def nearest_passages(sentences: Sequence[str], claim: str, near: int, block: int = 1) -> list[str]:
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


def surely_fits(text: str, room: int) -> bool:
    """Whether it has no more tokens than that, whatever the tokenizer: none is shorter than a byte."""
    return len(text) <= room and len(text.encode("utf-8", "replace")) <= room


def split_to_fit(text: str, room: int, lengths: Callable[[Sequence[str]], list[int]]) -> list[str]:
    """The text, or pieces of it of like length that have at most `room` tokens each; a word is never cut."""
    words = text.split()
    if surely_fits(text, room) or len(words) < 2 or lengths([text])[0] <= room:
        return [text]
    halves = words[: len(words) // 2], words[len(words) // 2 :]
    return [piece for half in halves for piece in split_to_fit(" ".join(half), room, lengths)]


def pack_windows(text: str, room: int, lengths: Callable[[Sequence[str]], list[int]], splitter: Splitter) -> list[str]:
    """The text itself where it has at most `room` tokens, else windows of as many whole sentences as go into it; a
    sentence that does not is cut between words."""
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
    return [" ".join(window) for window in windows] or [text]  # white space that a tokenizer counts


def note_empty_texts(metric: str, items: Items) -> list[str]:
    """What a note says of items of which no model was asked whether the source holds what the output says."""
    told = []
    for what, texts in (("output", items.outputs), ("source", items.sources)):
        if empty := sum(map(is_blank, texts)):
            one = empty == 1
            told.append(f"{metric}: {empty} empty {what}{'' if one else 's'}, which count{'s' if one else ''} 0")
    return told
