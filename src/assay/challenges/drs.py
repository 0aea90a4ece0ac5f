"""Change tense, polarity, number, names or quantities of a meaning representation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import ClassVar, Literal, get_args

import msgspec

from assay.challenges.drs_clauses import (
    Phenomenon,
    Tense,
    countable,
    edit_between,
    names,
    quantities,
    tense_of,
    with_other_polarity,
    with_tense,
)
from assay.challenges.perturbation import Perturbation
from assay.records.inputs import kind_of, read_input, with_input
from assay.records.kinds import Drs
from assay.records.read import read_examples
from assay.records.types import Example
from assay.text.cardinals import cardinals, varied

NEW_NAMES: dict[str, tuple[str, ...]] = {
    "male": ("Alaric", "Evander", "Lysander", "Osric", "Thaddeus"),
    "female": ("Calliope", "Isolde", "Ottoline", "Rosamund", "Zenobia"),
    "city": ("Antwerp", "Gdansk", "Ljubljana", "Tampere", "Valparaiso"),
    "country": ("Bhutan", "Gabon", "Kiribati", "Lesotho", "Vanuatu"),
}
"""Names that are rare in news and textbooks, by entity type."""


@dataclass(frozen=True)
class DrsEdit(Perturbation):
    """Clauses are changed by rule, and so are references that contain the changed name or number exactly once. Other
    references come from `texts`; without them the item has none and is tagged `reference`."""

    phenomenon: Phenomenon = "tense"
    """Phenomenon to change."""
    to: Literal["other", "past", "present", "future"] = "other"
    """For tense: the target tense (default: random)."""
    texts: str = ""
    """Examples with the new references, matched by id or parent."""
    train: str = ""
    """Training examples: names and numbers in them are not used."""

    name: ClassVar = "drs"
    about: ClassVar = "tense, polarity, number, names or quantities of a meaning representation are changed"
    changes: ClassVar = "inputs of the kind drs"
    citation: ClassVar = "Wang et al. 2021, Evaluating Text Generation from Discourse Representation Structures"

    @property
    def label(self) -> str:
        return f"drs-{self.phenomenon}"

    def change(self, example: Example, draw: Random) -> Example | None:
        if kind_of(example) != "drs":
            return None
        before = [list(clause) for clause in read_input(example, Drs).clauses]
        made = self._edits()[self.phenomenon]([*before], draw)
        if made is None or made == before:
            return None
        tags = {**example.tags, "phenomenon": self.phenomenon, "edit": edit_between(before, made, self.phenomenon)}
        references = self._written(example) or self._followed(example, before, made)
        if not references:
            tags["reference"] = "to be written"
        return msgspec.structs.replace(with_input(example, clauses=made), references=references, tags=tags)

    def _edits(self) -> dict[str, Callable[[list[list[str]], Random], list[list[str]] | None]]:
        return {
            "tense": self._tense,
            "polarity": lambda clauses, draw: with_other_polarity(clauses),
            "number": _number,
            "names": self._names,
            "quantity": self._quantity,
        }

    def _tense(self, clauses: list[list[str]], draw: Random) -> list[list[str]] | None:
        tenses = {tense for clause in clauses if (tense := tense_of(clause))}
        if not tenses:
            return None
        others: list[Tense] = [tense for tense in get_args(Tense) if tense not in tenses]
        chosen = draw.choice(others) if self.to == "other" else self.to
        return with_tense(clauses, chosen) if others or self.to != "other" else None

    def _names(self, clauses: list[list[str]], draw: Random) -> list[list[str]] | None:
        known = [(i, kind) for i, kind in names(clauses) if kind in NEW_NAMES]
        if not known:
            return None
        place, kind = draw.choice(known)
        taken = {clauses[i][3] for i, _ in names(clauses)} | _literals(self.train)
        free = [name for name in NEW_NAMES[kind] if f'"{name.lower()}"' not in taken]
        if not free:
            return None
        clauses[place] = [*clauses[place][:3], f'"{draw.choice(free).lower()}"']
        return _copied(clauses)

    def _quantity(self, clauses: list[list[str]], draw: Random) -> list[list[str]] | None:
        known = quantities(clauses)
        if not known:
            return None
        place = draw.choice(known)
        (old,) = cardinals(clauses[place][3].strip('"'), years=True)
        for _ in range(100):
            new = f'"{varied(old, draw)}"'
            if new not in _literals(self.train) and new not in ('"0"', '"1"'):
                clauses[place] = [*clauses[place][:3], new]
                return _copied(clauses)
        return None

    def _written(self, example: Example) -> tuple[str, ...]:
        return _texts(self.texts).get(example.id, ()) if self.texts else ()

    def _followed(self, example: Example, before: list[list[str]], made: list[list[str]]) -> tuple[str, ...]:
        """Return references that contain the name or number once, with the new one."""
        if self.phenomenon not in ("names", "quantity"):
            return ()
        old, new = next((a[3].strip('"'), b[3].strip('"')) for a, b in _pairs(example, made) if a != b)
        texts = [_name_in(text, old, new) if self.phenomenon == "names" else _number_in(text, old, new)
                 for text in example.references]  # fmt: skip
        return tuple(text for text in texts if text)


def _number(clauses: list[list[str]], draw: Random) -> list[list[str]] | None:
    """Return singular for plural, or plural if no quantity is stated."""
    several = [i for i in quantities(clauses) if clauses[i][3] != '"1"']
    if several:
        place = draw.choice(several)
        clauses[place] = [*clauses[place][:3], '"1"']
        return _copied(clauses)
    single = countable(clauses)
    if not single:
        return None
    place, referent = draw.choice(single)
    quantity = [clauses[place][0], "Quantity", referent, f'"{draw.choice((2, 3, 4, 5))}"']
    return [*clauses[:place], quantity, *clauses[place:]]


def _copied(clauses: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(clause) for clause in clauses]


def _pairs(example: Example, made: list[list[str]]) -> list[tuple[list[str], list[str]]]:
    before = [list(clause) for clause in read_input(example, Drs).clauses]
    return list(zip(before, made, strict=True))


def _name_in(text: str, old: str, new: str) -> str | None:
    written = re.compile(rf"\b{re.escape(old.replace('~', ' '))}\b", re.IGNORECASE)
    return written.sub(new.title(), text) if len(written.findall(text)) == 1 else None


def _number_in(text: str, old: str, new: str) -> str | None:
    (value,) = (each.value for each in cardinals(old, years=True))
    there = [each for each in cardinals(text, years=True) if each.value == value]
    if len(there) != 1:
        return None
    (after,) = (each.value for each in cardinals(new, years=True))
    return text[: there[0].start] + there[0].written(after) + text[there[0].end :]


@lru_cache(maxsize=4)
def _literals(path: str) -> frozenset[str]:
    """Return every literal in the meaning representations of a file; none without a file."""
    if not path:
        return frozenset()
    structures = [read_input(one, Drs).clauses for one in read_examples(Path(path)).examples if kind_of(one) == "drs"]
    return frozenset(word for clauses in structures for clause in clauses for word in clause if word.startswith('"'))


@lru_cache(maxsize=4)
def _texts(path: str) -> dict[str, tuple[str, ...]]:
    return {one.parent or one.id: one.references for one in read_examples(Path(path)).examples if one.references}
