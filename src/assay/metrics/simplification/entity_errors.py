"""What a simplification did to names, numbers and dates: kept, dropped, changed, invented, or left as a placeholder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.inputs.controls import PLACEHOLDER
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.languages import english_only
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.models.code_digest import large_digest
from assay.records.items import Items
from assay.text.antonyms import KINDS as PARTS_OF_SPEECH
from assay.text.antonyms import antonyms
from assay.text.mentions import Mentions, mentions, name_text
from assay.text.wordnet import wordnet_folder

KINDS = ("entities", "numbers", "dates")
COUNTS = ("source", "kept", "output", "invented", "changed")
FLAGS = ("error", "placeholder", "pronoun", "antonym")
COLUMNS = (*(f"{kind} {count}" for kind in KINDS for count in COUNTS), *FLAGS, "count", "antonym count")
PRONOUNS = frozenset("he she it they him her them his its their".split())
SMALL = frozenset("the a an this that these those in on at of and but as when while after before since for".split())
WORD = re.compile(r"\w+(?:['’-]\w+)*")
LEFT = re.compile(PLACEHOLDER.pattern, re.IGNORECASE)
"""A placeholder that nobody replaced; systems write them with capitals, too."""


@dataclass(frozen=True)
class EntityErrors(SumMetric):
    """The share of outputs with an error: a name, number or date that its source does not have, or a placeholder
    (`person@1`) that nobody replaced. Beside it, over all that is mentioned: kept and dropped, shares of the source's
    mentions; changed, those that are gone while another of their kind is new; invented, a share of the output's;
    numbers, the share of outputs with a number or date that is new; placeholder, pronoun (one that is new where
    the source's subject or a name is gone) and antonym (a word replaced by its opposite in WordNet, in the signature
    `wordnet`), shares of outputs."""

    name: ClassVar = "entity_errors"
    category: ClassVar = "simplification"
    summary: ClassVar = "names, numbers and dates that a simplification dropped, changed or invented"
    citation: ClassVar = "Srivatsa et al. (2021), SimpleNER Sentence Simplification System, sections 5 and 6"
    needs: ClassVar = ("sources",)

    def parts(self) -> tuple[Part, ...]:
        names = ("kept", "dropped", "changed", "invented", "numbers", "placeholder", "pronoun", "antonym")
        better = {"kept": "higher", "dropped": None}
        return (
            Part("entity_errors", "lower", digits=3),
            *(Part(f"entity_errors.{name}", better.get(name, "lower"), shown=False, digits=3) for name in names),  # type: ignore[arg-type]
        )

    def columns(self) -> tuple[str, ...]:
        return (*COLUMNS, "numbers")

    def options(self) -> dict[str, Any]:
        """Opposites are those of the WordNet at hand."""
        folder = _wordnet()
        return super().options() | {"wordnet": large_digest(folder / "data.adj") if folder else "none"}

    def statistics(self, items: Items) -> Dense:
        folder = _wordnet()
        opposites = antonyms(folder) if folder else None
        rows = [_row(source, output, opposites) for source, output in zip(items.sources, items.outputs, strict=True)]
        return Dense(self.columns(), np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS) + 1))

    def values(self, sums: Floats) -> Values:
        of = {name: sums[:, i] for i, name in enumerate(self.columns())}
        total = {count: sum(of[f"{kind} {count}"] for kind in KINDS) for count in COUNTS}
        count = of["count"]
        kept = divide(total["kept"], total["source"])
        return {
            "entity_errors": divide(of["error"], count),
            "entity_errors.kept": kept,
            "entity_errors.dropped": 1 - kept,
            "entity_errors.changed": divide(total["changed"], total["source"]),
            "entity_errors.invented": divide(total["invented"], total["output"]),
            "entity_errors.numbers": divide(of["numbers"], count),
            "entity_errors.placeholder": divide(of["placeholder"], count),
            "entity_errors.pronoun": divide(of["pronoun"], count),
            "entity_errors.antonym": divide(of["antonym"], of["antonym count"]),
        }

    def undefined(self, part: str) -> str:
        if part.endswith("antonym"):
            return "WordNet is not at hand (on Debian: apt install wordnet-base)"
        return f"no {'output' if part.endswith('invented') else 'source'} mentions a name, number or date"

    def unfit(self, items: Items) -> str | None:
        return english_only("its rules are English", items)

    def notes(self, items: Items) -> list[str]:
        plain = sum(any(map(str.isalpha, text)) and text == text.lower() for text in items.outputs)
        seen = "so that a new name is not seen in them"
        return [f"entity_errors: {plain} of {len(items)} outputs have no capitals, {seen}"] if plain else []


def _row(source: str, output: str, opposites: dict[str, frozenset[str]] | None) -> list[float]:
    given, said = _mentions(source), mentions(LEFT.sub(" ", output))
    words, new = _words(source), _words(output)
    row: list[float] = []
    wrong = numbers = False
    for kind in KINDS:
        theirs, ours = getattr(given, kind), getattr(said, kind)
        kept = [one for one in theirs if (_within(one, new) if kind == "entities" else said.support(one))]
        invented = [one for one in ours if not (_within(one, words) if kind == "entities" else given.support(one))]
        row += [len(theirs), len(kept), len(ours), len(invented), min(len(theirs) - len(kept), len(invented))]
        wrong |= bool(invented)
        numbers |= kind != "entities" and bool(invented)
    unresolved = bool(LEFT.search(output))
    gone = set(words) - set(new)
    reversed_ = opposites is not None and any(
        opposites.get(word, frozenset()) & (set(new) - set(words)) for word in gone
    )
    flags = [wrong or unresolved, unresolved, _pronominal(given, words, new), reversed_]
    return [*row, *map(float, flags), 1.0, float(opposites is not None), float(numbers)]


def _pronominal(given: Mentions, words: list[str], new: list[str]) -> bool:
    """A pronoun that the source does not have, and a name of it or its first word of weight is gone."""
    if not (set(new) - set(words)) & PRONOUNS:
        return False
    first = next((word for word in words if word not in SMALL | PRONOUNS), None)
    return (first is not None and first not in new) or any(not _within(name, new) for name in given.entities)


def _within(name: str, words: Iterable[str]) -> bool:
    held = set(words)
    return all(word in held for word in WORD.findall(name))


def _words(text: str) -> list[str]:
    return WORD.findall(name_text(text))


@lru_cache(maxsize=256)
def _mentions(text: str) -> Mentions:
    return mentions(text)


def _wordnet() -> Path | None:
    """Where all files are that name opposites."""
    folder = wordnet_folder()
    return folder if folder and all((folder / f"data.{kind}").is_file() for kind in PARTS_OF_SPEECH) else None
