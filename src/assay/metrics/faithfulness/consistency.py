"""Names, numbers and dates of an output that its source mentions, by rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.languages import english_only
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items
from assay.text.mentions import Mentions, mentions, name_text

KINDS = ("entities", "numbers", "dates")
NUMERIC = frozenset("CARDINAL ORDINAL MONEY PERCENT QUANTITY".split())
"""Entity types of spaCy that are numbers; numbers and dates are found by rules, which can compare values."""


@dataclass(frozen=True)
class Consistency(SumMetric):
    """Share of the names, numbers and dates in the outputs that their sources mention, in total and by kind.

    A name is supported if all its words are in the source, a number if its value is (`2m` equals `two million`), a date
    if its month, day, weekday or year is. An output without any is left out.
    """

    pipeline: str = ""
    """Installed spaCy pipeline (`en_core_web_sm`) that finds the names; empty finds them by rules."""

    name: ClassVar = "consistency"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of the names, numbers and dates in the output that the source mentions"
    citation: ClassVar = "Nan et al. (2021), Entity-level Factual Consistency of Abstractive Text Summarization"
    needs: ClassVar = ("sources",)

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name, digits=3, shown=name == self.name) for name in self._names())

    def _names(self) -> tuple[str, ...]:
        return (self.name, *(f"{self.name}.{kind}" for kind in KINDS))

    def columns(self) -> tuple[str, ...]:
        return tuple(f"{kind} {what}" for kind in KINDS for what in ("found", "mentioned"))

    def options(self) -> dict[str, Any]:
        return super().options() | {"pipeline": _described(self.pipeline) if self.pipeline else "rules"}

    def why_not(self) -> str | None:
        if self.pipeline and not self.pipeline.isidentifier():
            return f"pipeline={self.pipeline}: not the name of a spaCy pipeline. Give one such as en_core_web_sm."
        if self.pipeline and (find_spec("spacy") is None or find_spec(self.pipeline) is None):
            install = f"pip install spacy && python -m spacy download {self.pipeline}"
            return f"spaCy pipeline {self.pipeline} is not installed; {install}"
        return None

    def unfit(self, items: Items) -> str | None:
        return english_only("its rules are English", items)

    def statistics(self, items: Items) -> Dense:
        rows = [self._row(source, output) for source, output in zip(items.sources, items.outputs, strict=True)]
        return Dense(self.columns(), np.array(rows, dtype=np.float64).reshape(-1, 2 * len(KINDS)))

    def _row(self, source: str, output: str) -> list[int]:
        mentioned, source_mentions = mentions(output), _mentions(source)
        if self.pipeline:
            mentioned = mentioned._replace(entities=_entities(output, self.pipeline))
        words = set(re.findall(r"\w+", name_text(source)))
        supported = {
            "entities": [all(word in words for word in re.findall(r"\w+", name)) for name in mentioned.entities],
            "numbers": [source_mentions.support(number) for number in mentioned.numbers],
            "dates": [source_mentions.support(date) for date in mentioned.dates],
        }
        return [count for kind in KINDS for count in (sum(supported[kind]), len(supported[kind]))]

    def values(self, sums: Floats) -> Values:
        supported, mentioned = sums[:, ::2], sums[:, 1::2]
        columns = [(supported.sum(axis=1), mentioned.sum(axis=1)), *zip(supported.T, mentioned.T, strict=True)]
        return {name: divide(*pair) for name, pair in zip(self._names(), columns, strict=True)}

    def undefined(self, part: str) -> str:
        return f"no output mentions {part.rpartition('.')[2] if '.' in part else 'a name, number or date'}"

    def notes(self, items: Items) -> list[str]:
        plain = _without_capitals(items.outputs)
        return (
            [f"consistency: {plain} of {len(items)} outputs have no capital letters, so no names are found in them"]
            if plain
            else []
        )


def _without_capitals(outputs: Sequence[str]) -> int:
    return sum(any(map(str.isalpha, text)) and text == text.lower() for text in outputs)


@lru_cache(maxsize=256)
def _mentions(text: str) -> Mentions:
    return mentions(text)


@lru_cache(maxsize=2)
def _pipeline(name: str) -> Any:
    import spacy

    return spacy.load(name)


def _entities(text: str, pipeline: str) -> tuple[str, ...]:
    entities = (entity for entity in _pipeline(pipeline)(text).ents if entity.label_ not in (*NUMERIC, "DATE", "TIME"))
    return tuple(dict.fromkeys(name_text(entity.text) for entity in entities))


def _described(pipeline: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{pipeline}-{version(pipeline)}+spacy-{version('spacy')}"
    except PackageNotFoundError:
        return f"{pipeline}-not-installed"
