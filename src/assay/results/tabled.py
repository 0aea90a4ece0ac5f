"""Several systems on one set of items, as a table shows them: values, verdicts, and the notes that explain both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from assay.results.result import Result
from assay.results.verdict import ARROWS, MARK
from assay.show.numbers import DASH
from assay.show.tables import Cell, Column, score_cell
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.metrics import Part
    from assay.results.pairs import Standings

VERDICTS = {"best": "best", "tied": "not told apart from the best", "behind": "behind the best"}


@dataclass(frozen=True)
class TabledSet:
    """Several systems on one set of items: a dataset, or a subset of one."""

    dataset: str
    subset: str
    results: dict[str, Result]
    """On the items that all have."""
    standings: Standings | None
    """Who is told apart from whom; None where a system stands alone."""
    warnings: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return ", ".join(word for word in (self.dataset, self.subset) if word)

    @property
    def n(self) -> int:
        return next(iter(self.results.values())).n

    @cached_property
    def numbers(self) -> list[str]:
        """What is shown of any system."""
        return list(dict.fromkeys(name for result in self.results.values() for name in result.shown))

    def part(self, name: str) -> Part:
        """How a number is shown, and which way is better."""
        return next(result.parts[name][1] for result in self.results.values() if name in result.parts)

    def columns(self, group: str = "") -> list[Column]:
        """A column for each number, with the way that is better."""
        return [Column(self.label(name), group=group, sign=ARROWS[self.part(name).better]) for name in self.numbers]

    def label(self, name: str) -> str:
        """What a number is called where it is printed: with the options that are not the usual ones."""
        return next(result.labels[name] for result in self.results.values() if name in result.parts)

    def verdict(self, name: str, system: str) -> str:
        """best, tied or behind; nothing where nobody was tested, or the number only describes."""
        standing = self.standings.by_name.get(name) if self.standings else None
        if standing is None or not standing.best or system not in standing.systems:
            return ""
        return "best" if system in standing.best else "tied" if system in standing.tied else "behind"

    def cell(self, name: str, system: str) -> Cell:
        result = self.results.get(system)
        if result is None or name not in result.scores:
            return Cell(DASH, remark="not computed")
        said = self.verdict(name, system)
        cell = score_cell(result.scores[name], self.part(name), strong=said == "best")
        remark = VERDICTS.get(said, cell.remark)
        return replace(cell, mark=MARK if said == "tied" else "", verdict=said, remark=remark)


def notes_on(sets: Sequence[TabledSet]) -> list[str]:
    """What bold and marks mean and by which test, which way is better, how many items, and what was not tested."""
    notes = []
    said = {each.verdict(name, system) for each in sets for name in each.numbers for system in each.results}
    if "best" in said:
        told = "all others are told apart from the best" if "behind" in said else "the systems' values are equal"
        others = f"{MARK} not told apart from the best" if "tied" in said else told
        notes.append(f"Bold: best; {others} ({tests_of(sets)}).")
    ways = {each.part(name).better for each in sets for name in each.numbers}
    arrows = [f"{ARROWS[way]} {way} is better" for way in ("higher", "lower") if way in ways]
    counts = ", ".join(f"{each.n:,}{f' ({each.name})' if len(sets) > 1 and each.name else ''}" for each in sets)
    resamples = {result.ci for each in sets for result in each.results.values() if result.ci}
    brackets = [f"In brackets: 95 % intervals, {max(resamples):,} resamples."] if resamples else []
    notes.append(" ".join([f"{'; '.join([*arrows, f'n = {counts}'])}.", *brackets]))
    reasons: dict[str, dict[str, None]] = {}
    for each in sets:
        for name, why in each.left_out.items():
            if each.part(name).better is not None:
                reasons.setdefault(why, {})[each.label(name)] = None
    notes += [f"Not tested: {', '.join(names)} ({why})." for why, names in reasons.items()]
    return notes


def tests_of(sets: Sequence[TabledSet]) -> str:
    words: dict[str, list[str]] = {}
    for each in sets:
        if each.standings:
            words.setdefault(each.standings.method, []).append(each.name)
    if len(words) == 1:
        return next(iter(words)) + (" in each set of items" if len(sets) > 1 else "")
    return "; ".join(f"{', '.join(names)}: {how}" for how, names in words.items())


def signatures_of(sets: Sequence[TabledSet]) -> list[str]:
    """How every number was computed, each choice once."""
    found: dict[str, dict[str, None]] = {}
    for each in sets:
        for result in each.results.values():
            for name in each.numbers:
                if name in result.parts:
                    found.setdefault(result.parts[name][0].signature, {})[each.label(name)] = None
    return [f"made by assay {VERSION}", *(f"{', '.join(names)}: {signature}" for signature, names in found.items())]
