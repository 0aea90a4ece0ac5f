"""An extractive reader of clozes: a linear score of each mention of a source, from words around it and the blank.

Its weights are fitted on clozes made from articles (`tools/fit_cloze_reader.py`): a sentence is the question, and the
rest of its article the source. It reads no model, and always fills the blank if the source has a mention of its kind.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from assay.metrics.faithfulness.clozes import BLANK, Cloze, clozes_of_source, content_words
from assay.records.documents import parse_toml
from assay.text.mentions import WORD
from assay.text.sentences import split_sentences

FEATURES = ("shared", "density", "near", "left", "left_window", "right_window", "mentions")
WINDOW = 3
"""Words on each side of a mention that are compared with those around the blank."""


class Source(NamedTuple):
    """What a source has besides its mentions."""

    clozes: tuple[Cloze, ...]
    content: list[set[str]]
    """Content words of each sentence."""
    rarity: dict[str, float]
    """Logarithm of the number of sentences for each of them with the word."""
    mentions: Counter[tuple[int, str]]

    def without(self, sentence: int) -> Source:
        """Return the source without a sentence, that of a question made from it."""
        content = [set() if place == sentence else words for place, words in enumerate(self.content)]
        return _source(tuple(one for one in self.clozes if one.sentence != sentence), content)


def features(cloze: Cloze, source: Source) -> dict[str, list[list[float]]]:
    """Return for each mention of the kind, in the words of the source, the features of all its places."""
    ours, line = content_words(cloze.question), cloze.question.lower()
    weight = source.rarity
    total = sum(weight.get(word, 0.0) for word in ours) or 1.0
    left, right = _around(cloze.question)
    matches: dict[str, list[list[float]]] = {}
    for one in source.clozes:
        if one.kind != cloze.kind or one.answer.lower() in line:
            continue
        theirs = content_words(one.question)
        shared = ours & theirs
        near = ours & _neighbours(source.content, one.sentence)
        before, after = _around(one.question)
        matches.setdefault(one.answer, []).append([
            sum(weight.get(word, 0.0) for word in shared) / total,
            len(shared) / (len(theirs) + 1),
            sum(weight.get(word, 0.0) for word in near) / total,
            float(left[:1] == before[:1]),
            float(len({*left} & {*before})),
            float(len({*right} & {*after})),
            math.log(source.mentions[one.kind, one.answer.lower()]),
        ])  # fmt: skip
    return matches


@lru_cache(maxsize=8)
def read_source(text: str) -> Source:
    """Return the mentions and words of a source."""
    return _source(clozes_of_source(text), [content_words(one) for one in split_sentences(text, "multilingual", "en")])


def _source(matches: tuple[Cloze, ...], content: list[set[str]]) -> Source:
    with_word = Counter(word for words in content for word in words)
    rarity = {word: math.log((len(content) + 1) / number) for word, number in with_word.items()}
    return Source(matches, content, rarity, Counter((one.kind, one.answer.lower()) for one in matches))


def by_reader(cloze: Cloze, source: str) -> str:
    """Return the mention of the source with the highest score; empty if it has none of this kind."""
    weights = [reader_weights()[name] for name in FEATURES]
    matches = features(cloze, read_source(source))

    def score(mention: str) -> float:
        return max(sum(map(float.__mul__, weights, row)) for row in matches[mention])

    return max(matches, key=score, default="")  # of equal ones the first in the source


@lru_cache(maxsize=1)
def reader_weights() -> Mapping[str, float]:
    """Return the fitted weight of each feature."""
    entry = files("assay.metrics.faithfulness").joinpath("cloze_reader.toml")
    return dict(parse_toml(entry.read_text(encoding="utf-8"), entry.name)["weights"])


def _neighbours(content: list[set[str]], place: int) -> set[str]:
    """Return the content words of the sentences before and after a place."""
    return set().union(*content[max(0, place - 1) : place], *content[place + 1 : place + 2])


def _around(question: str) -> tuple[list[str], list[str]]:
    """Return the words before a blank, the nearest first, and those after it."""
    before, _, after = question.partition(BLANK)
    words = [[match[0].lower() for match in WORD.finditer(part)] for part in (before, after)]
    return words[0][-1 : -1 - WINDOW : -1], words[1][:WINDOW]
