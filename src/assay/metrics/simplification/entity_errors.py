"""Errors in names, numbers and dates of a simplification: dropped, changed, invented, or left as a placeholder."""

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
"""A placeholder that was not replaced, in any case."""


@dataclass(frozen=True)
class EntityErrors(SumMetric):
    """Share of outputs with an error: a name, number or date that is not in the source, or a placeholder (`person@1`)
    that was not replaced.

    Parts over mentions: kept and dropped are shares of the mentions of the source; changed, those that are missing
    while the output has a new one of the same kind; invented, a share of the mentions of the output.

    Parts over outputs: numbers, the share with a new number or date; placeholder; pronoun, a new pronoun while the
    subject or a name of the source is missing; antonym, a word replaced by its opposite in WordNet (`wordnet` in the
    signature).
    """

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
        """Return the options, with the installed WordNet by content."""
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
            return "WordNet is not installed (on Debian: apt install wordnet-base)"
        return f"no {'output' if part.endswith('invented') else 'source'} mentions a name, number or date"

    def unfit(self, items: Items) -> str | None:
        return english_only("its rules are English", items)

    def notes(self, items: Items) -> list[str]:
        plain = sum(any(map(str.isalpha, text)) and text == text.lower() for text in items.outputs)
        effect = "so new names in them are not detected"
        return [f"entity_errors: {plain} of {len(items)} outputs have no capital letters, {effect}"] if plain else []


def _row(source: str, output: str, opposites: dict[str, frozenset[str]] | None) -> list[float]:
    in_source, in_output = _mentions(source), mentions(LEFT.sub(" ", output))
    words, new = _words(source), _words(output)
    row: list[float] = []
    wrong = numbers = False
    for kind in KINDS:
        theirs, ours = getattr(in_source, kind), getattr(in_output, kind)
        kept = [one for one in theirs if (_within(one, new) if kind == "entities" else in_output.support(one))]
        invented = [one for one in ours if not (_within(one, words) if kind == "entities" else in_source.support(one))]
        row += [len(theirs), len(kept), len(ours), len(invented), min(len(theirs) - len(kept), len(invented))]
        wrong |= bool(invented)
        numbers |= kind != "entities" and bool(invented)
    own = {name.lower() for name in LEFT.findall(source)}
    unresolved = any(name.lower() not in own for name in LEFT.findall(output))
    missing = set(words) - set(new)
    reversed_ = opposites is not None and any(
        opposites.get(word, frozenset()) & (set(new) - set(words)) for word in missing
    )
    flags = [wrong or unresolved, unresolved, _pronominal(in_source, words, new), reversed_]
    return [*row, *map(float, flags), 1.0, float(opposites is not None), float(numbers)]


def _pronominal(in_source: Mentions, words: list[str], new: list[str]) -> bool:
    """Return whether the output has a new pronoun and lacks the first content word or a name of the source."""
    if not (set(new) - set(words)) & PRONOUNS:
        return False
    first = next((word for word in words if word not in SMALL | PRONOUNS), None)
    return (first is not None and first not in new) or any(not _within(name, new) for name in in_source.entities)


def _within(name: str, words: Iterable[str]) -> bool:
    known = set(words)
    return all(word in known for word in WORD.findall(name))


def _words(text: str) -> list[str]:
    return WORD.findall(name_text(text))


@lru_cache(maxsize=256)
def _mentions(text: str) -> Mentions:
    return mentions(text)


def _wordnet() -> Path | None:
    """Return the folder of WordNet if all files with antonyms are in it, or None."""
    folder = wordnet_folder()
    return folder if folder and all((folder / f"data.{kind}").is_file() for kind in PARTS_OF_SPEECH) else None
