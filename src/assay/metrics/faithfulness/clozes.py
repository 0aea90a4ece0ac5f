"""Sentences with a blank in place of a name, number or date, as questions about another text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from assay.text.english import STOP
from assay.text.mentions import WORD, mentions
from assay.text.sentences import split_sentences

BLANK = "_____"
Kind = int
"""Place of a kind of mention: entities, numbers, dates."""


class Cloze(NamedTuple):
    """A sentence with a blank, and the words that belong there."""

    question: str
    answer: str
    kind: Kind
    sentence: int
    """Place of its sentence in the text."""


def clozes(text: str) -> list[Cloze]:
    """Return the sentences of a text with one mention after the other as a blank."""
    made = []
    for number, sentence in enumerate(split_sentences(text, "multilingual", "en")):
        kinds = mentions(sentence)
        for kind, group in enumerate((kinds.entities, kinds.numbers, kinds.dates)):
            for name in group:
                if place := _place(name, sentence):
                    question = sentence[: place.start()] + BLANK + sentence[place.end() :]
                    made.append(Cloze(question, place[0], kind, number))
    return made


@lru_cache(maxsize=8)
def clozes_of_source(source: str) -> tuple[Cloze, ...]:
    """Return the clozes of a text that is asked again for other questions."""
    return tuple(clozes(source))


def content_words(text: str) -> set[str]:
    """Return the words of a text that are no function words, in lower case."""
    return {word for match in WORD.finditer(text) if (word := match[0].lower()) not in STOP and word.strip("_")}


def by_overlap(cloze: Cloze, source: str) -> str:
    """Return the mention of the same kind in the source sentence that shares most content words with the blank's; of
    several the first, and nothing where no word is shared."""
    ours, line = content_words(cloze.question), cloze.question.lower()
    best, filled = 0, ""
    for one, theirs in _with_content(source):
        if one.kind != cloze.kind or one.answer.lower() in line:  # it is elsewhere in the sentence
            continue
        if (shared := len(ours & theirs)) > best:
            best, filled = shared, one.answer
    return filled


@lru_cache(maxsize=8)
def _with_content(source: str) -> list[tuple[Cloze, set[str]]]:
    """Return the mentions of a source, each with the other content words of its sentence."""
    return [(one, content_words(one.question)) for one in clozes_of_source(source)]


def _place(name: str, sentence: str) -> re.Match[str] | None:
    """Return where a mention is in its sentence; None if it is written in another way (`1,200`: 1200)."""
    value = name.removeprefix("day ").removeprefix("year ")
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", sentence, re.IGNORECASE)
