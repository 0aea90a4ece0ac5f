"""Whether the names, numbers and dates of an output are those of its source, by rule."""

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
"""What spaCy's pipelines call numbers; dates and numbers stay with the rules, which can compare them."""


@dataclass(frozen=True)
class Consistency(SumMetric):
    """The share of the names, numbers and dates that an output mentions which its source mentions too, over all
    outputs (and of each kind alone). A name is found where all its words are words of the source; a number where the
    same value is, `2m` and `two million` being one; a date where its month, day, weekday or year is. An output that
    mentions none counts nothing."""

    pipeline: str = ""
    """A spaCy pipeline that is installed (`en_core_web_sm`), whose entities are taken for the names; else rules find
    them."""

    name: ClassVar = "consistency"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of the output's names, numbers and dates that its source has"
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
            return f"spaCy's pipeline {self.pipeline!r} is no name of a package; give one such as en_core_web_sm"
        if self.pipeline and (find_spec("spacy") is None or find_spec(self.pipeline) is None):
            remedy = f"pip install spacy; python -m spacy download {self.pipeline}"
            return f"spaCy's pipeline {self.pipeline} is not installed ({remedy})"
        return None

    def unfit(self, items: Items) -> str | None:
        return english_only("its rules are English", items)

    def statistics(self, items: Items) -> Dense:
        rows = [self._row(source, output) for source, output in zip(items.sources, items.outputs, strict=True)]
        return Dense(self.columns(), np.array(rows, dtype=np.float64).reshape(-1, 2 * len(KINDS)))

    def _row(self, source: str, output: str) -> list[int]:
        said, known = mentions(output), _mentions(source)
        if self.pipeline:
            said = said._replace(entities=_entities(output, self.pipeline))
        words = set(re.findall(r"\w+", name_text(source)))
        found = {
            "entities": [all(word in words for word in re.findall(r"\w+", name)) for name in said.entities],
            "numbers": [known.support(number) for number in said.numbers],
            "dates": [known.support(date) for date in said.dates],
        }
        return [count for kind in KINDS for count in (sum(found[kind]), len(found[kind]))]

    def values(self, sums: Floats) -> Values:
        found, mentioned = sums[:, ::2], sums[:, 1::2]
        columns = [(found.sum(axis=1), mentioned.sum(axis=1)), *zip(found.T, mentioned.T, strict=True)]
        return {name: divide(*pair) for name, pair in zip(self._names(), columns, strict=True)}

    def undefined(self, part: str) -> str:
        return f"no output mentions {part.rpartition('.')[2] if '.' in part else 'a name, number or date'}"

    def notes(self, items: Items) -> list[str]:
        plain = _without_capitals(items.outputs)
        return (
            [f"consistency: {plain} of {len(items)} outputs have no capitals, so that no name is seen in them"]
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
    found = (entity for entity in _pipeline(pipeline)(text).ents if entity.label_ not in (*NUMERIC, "DATE", "TIME"))
    return tuple(dict.fromkeys(name_text(entity.text) for entity in found))


def _described(pipeline: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{pipeline}-{version(pipeline)}+spacy-{version('spacy')}"
    except PackageNotFoundError:
        return f"{pipeline}-not-installed"
