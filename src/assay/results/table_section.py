"""One section of a table: several systems on one set of items, with verdicts and explanatory notes."""

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
    from matplotlib.figure import Figure

    from assay.metrics import Part
    from assay.results.rankings import Rankings

VERDICTS = {
    "best": "best",
    "tied": "not significantly different from the best",
    "behind": "significantly different from the best",
}


@dataclass(frozen=True)
class TableSection:
    """Several systems on one set of items: a dataset or a subset of it."""

    dataset: str
    subset: str
    results: dict[str, Result]
    """Results by system, on their common items."""
    rankings: Rankings | None
    """Rankings from the tests of all pairs; None if they were not tested, e.g. for one system."""
    warnings: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Metrics that were not tested, with the reason."""

    @property
    def name(self) -> str:
        return ", ".join(word for word in (self.dataset, self.subset) if word)

    @property
    def n(self) -> int:
        return next(iter(self.results.values())).n

    @property
    def clusters(self) -> int | None:
        """Number of clusters of items that are resampled; None if items are treated as independent."""
        first = next(iter(self.results.values()))
        return first.units if first.clusters_by else None

    @cached_property
    def numbers(self) -> list[str]:
        """Names of the scores shown for any system."""
        return list(dict.fromkeys(name for result in self.results.values() for name in result.shown))

    def part(self, name: str) -> Part:
        """Return the part of a metric: its format and its better direction."""
        return next(result.parts[name][1] for result in self.results.values() if name in result.parts)

    def columns(self, group: str = "") -> list[Column]:
        """Return a column for each score, with an arrow for its better direction."""
        return [Column(self.label(name), group=group, sign=ARROWS[self.part(name).better]) for name in self.numbers]

    def label(self, name: str) -> str:
        """Return the display name of a score."""
        return next(result.labels[name] for result in self.results.values() if name in result.parts)

    def verdict(self, name: str, system: str) -> str:
        """Return `best`, `tied` or `behind`; empty if not tested or if the metric has no better direction."""
        ranking = self.rankings.by_name.get(name) if self.rankings else None
        if ranking is None or not ranking.best or system not in ranking.systems:
            return ""
        return "best" if system in ranking.best else "tied" if system in ranking.tied else "behind"

    def plot(self) -> Figure:
        """Return a matplotlib figure of all scores as small multiples: filled dots are best, hollow ones tied."""
        from assay.results.figures import score_figure

        return score_figure(self)

    def cell(self, name: str, system: str) -> Cell:
        """Return the table cell of one score of one system."""
        result = self.results.get(system)
        if result is None or name not in result.scores:
            return Cell(DASH, remark="not computed")
        return self.marked(score_cell(result.scores[name], self.part(name)), name, system)

    def marked(self, cell: Cell, name: str, system: str) -> Cell:
        """Return the cell with its verdict: bold if best, marked if not significantly different from the best.

        Tables, reports, exports and pages get their marks here.
        """
        verdict = self.verdict(name, system)
        mark, remark = MARK if verdict == "tied" else "", VERDICTS.get(verdict, cell.remark)
        return replace(cell, strong=verdict == "best", mark=mark, verdict=verdict, remark=remark)


def notes_on(sets: Sequence[TableSection]) -> list[str]:
    """Return the notes below a table: meaning of bold and marks, test, directions, n, and what was not tested."""
    notes = []
    verdicts = {each.verdict(name, system) for each in sets for name in each.numbers for system in each.results}
    if "best" in verdicts:
        apart = "all others are significantly different from the best"
        others = apart if "behind" in verdicts else "all scores are equal"
        if "tied" in verdicts:
            others = f"{MARK} not significantly different from the best"
        notes.append(f"Bold: best; {others} ({procedures_of(sets)}).")
    ways = {each.part(name).better for each in sets for name in each.numbers}
    arrows = [f"{ARROWS[way]} {way} is better" for way in ("higher", "lower") if way in ways]
    counts = ", ".join(_count(each, len(sets) > 1) for each in sets)
    resamples = {result.ci for each in sets for result in each.results.values() if result.ci}
    brackets = [f"In brackets: 95 % confidence intervals, {max(resamples):,} bootstrap resamples."] if resamples else []
    notes.append(" ".join([f"{'; '.join([*arrows, f'n = {counts}'])}.", *brackets]))
    reasons: dict[str, dict[str, None]] = {}
    for each in sets:
        for name, why in each.left_out.items():
            if each.part(name).better is not None:
                reasons.setdefault(why, {})[each.label(name)] = None
    notes += [f"Not tested: {', '.join(names)} ({why})." for why, names in reasons.items()]
    for each in sets:
        first = next(iter(each.results.values()))
        what = "clusters" if first.clusters_by else "items"
        impossible = each.rankings.how.unattainable(first.units, what) if each.rankings else ""
        notes += [f"{each.name}: {impossible}" if len(sets) > 1 else impossible] if impossible else []
    return notes


def _count(section: TableSection, named: bool) -> str:
    """Return the number of items, with their clusters and the name of the section."""
    first = next(iter(section.results.values()))
    clusters = f" in {first.units:,} clusters by {first.clusters_by}" if first.clusters_by else ""
    return f"{section.n:,}{clusters}{f' ({section.name})' if named and section.name else ''}"


def procedures_of(sets: Sequence[TableSection]) -> str:
    """Return the test procedures of all sections in words."""
    words: dict[str, list[str]] = {}
    for each in sets:
        if each.rankings:
            words.setdefault(each.rankings.method, []).append(each.name)
    if len(words) == 1:
        return next(iter(words)) + (" for each set of items" if len(sets) > 1 else "")
    return "; ".join(f"{', '.join(names)}: {how}" for how, names in words.items())


def signatures_of(sets: Sequence[TableSection]) -> list[str]:
    """Return the version of assay and each distinct signature with its scores."""
    by_signature: dict[str, dict[str, None]] = {}
    for each in sets:
        for result in each.results.values():
            for name in each.numbers:
                if name in result.parts:
                    by_signature.setdefault(result.parts[name][0].signature, {})[each.label(name)] = None
    lines = (f"{', '.join(names)}: {signature}" for signature, names in by_signature.items())
    return [f"made by assay {VERSION}", *lines]
