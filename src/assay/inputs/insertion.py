"""Training data for insertion: a sentence loses its least important words step by step, never two neighbours at once.

Each step is a pair: the shorter sequence, and for the gap after each of its words the removed word or NOI.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from assay.text.english import STOP, stem

START, NOI = "<s>", "[NOI]"
"""First position of every sequence, which is never removed; label of a gap without insertion."""
WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
CLOSING, OPENING = frozenset(".,!?;:%)]}"), frozenset("([{")
"""Characters without a space before them, and without one after them."""
REDUCED, REPEATED = 0.05, 0.1
"""Factors on the importance of function words and punctuation, and of words that occur again."""
SHORTEST = 6
"""Number of words from which on a sentence is used."""


class Step(NamedTuple):
    words: list[str]
    """The sequence that is read, with START."""
    labels: list[str]
    """The word to insert after each of them, or NOI."""


def split_words(text: str) -> list[str]:
    return WORD.findall(text)


def concept_words(concept: str) -> Iterator[tuple[str, str | None]]:
    """Yield the words of a concept, each with what separates it from the next one; None after the last.

    >>> list(concept_words("U.S. army"))
    [('U', ''), ('.', ''), ('S', ''), ('.', ' '), ('army', None)]
    """
    places = [match.span() for match in WORD.finditer(concept)]
    for i, (start, end) in enumerate(places):
        yield concept[start:end], None if i + 1 == len(places) else " " * (places[i + 1][0] > end)


def join_words(words: Sequence[str], gaps: Sequence[str | None] = ()) -> str:
    """Return words as a text, without spaces before punctuation; `gaps` are the texts after each word, None for as
    usual."""
    text = ""
    for before, word in zip((None, *gaps) if gaps else (None,) * len(words), words, strict=False):
        if before is None:
            before = "" if not text or CLOSING.issuperset(word) or text[-1] in OPENING else " "
        text += before + word
    return text


def document_frequencies(sentences: Iterable[Sequence[str]]) -> Counter[str]:
    """Return the number of sentences by word, ignoring case; the key "" has the number of all."""
    counts: Counter[str] = Counter()
    for words in sentences:
        counts.update({word.lower() for word in words} | {""})
    return counts


def importance(words: Sequence[str], frequencies: Mapping[str, int]) -> list[float]:
    """Return the inverse document frequency of each word, reduced for function words, punctuation and repetitions."""
    total = max(1, frequencies.get("", 1))
    seen: set[str] = set()
    values = []
    for word in map(str.lower, words):
        value = math.log((1 + total) / (1 + frequencies.get(word, 0))) + 1
        if word in STOP or not word[0].isalnum():
            value *= REDUCED
        if word in seen:
            value *= REPEATED
        seen.add(word)
        values.append(value)
    return values


def removable(values: Sequence[float]) -> list[int]:
    """Return the positions with the largest sum of values of which no two are neighbours, without position 0.

    >>> removable([0, 3, 1, 4, 2, 0])
    [1, 3]
    """
    sums = [0.0] * (len(values) + 1)  # the best sum among the first i positions
    for i in range(2, len(sums)):
        sums[i] = max(sums[i - 1], sums[i - 2] + values[i - 1])
    positions, i = [], len(values)
    while i > 1:
        taken = sums[i] > sums[i - 1]
        if taken:
            positions.append(i - 1)
        i -= 2 if taken else 1
    return positions[::-1]


def progressive(words: Sequence[str], frequencies: Mapping[str, int], kept: Iterable[str] = ()) -> list[Step]:
    """Return the steps of a sentence, the longest first; words with the stem of a `kept` word are never removed.

    Sentences with fewer than six words have no steps.
    """
    if len(words) < SHORTEST:
        return []
    stems = {stem(word.lower()) for one in kept for word in split_words(one)}
    values = [0.0, *importance(words, frequencies)]
    current = [START, *words]
    steps = [Step(current, [NOI] * len(current))]
    while len(current) > 2:
        highest = max(values[1:])
        gains = [0.0] + [
            0.0 if stem(word.lower()) in stems else highest - value
            for word, value in zip(current[1:], values[1:], strict=True)
        ]
        gone = set(removable(gains))
        if not gone:
            break
        left = [i for i in range(len(current)) if i not in gone]
        labels = [current[i + 1] if i + 1 in gone else NOI for i in left]
        current, values = [current[i] for i in left], [values[i] for i in left]
        steps.append(Step(current, labels))
    return steps


def inserted(words: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return the sequence after one round of insertion.

    >>> inserted(["a", "c", "e"], ["b", "d", NOI])
    ['a', 'b', 'c', 'd', 'e']
    """
    pairs = zip(words, labels, strict=True)
    return [word for pair in pairs for word in pair if word != NOI]
