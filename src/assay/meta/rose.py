"""ROSE: outputs judged 0 or 1 for semantics, grammaticality and the changed phenomenon; correct if all three are 1
(Wang et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.errors import AssayError
from assay.metrics.human.rose import CRITERIA
from assay.records.types import Example, Judgement
from assay.show.numbers import fixed, probability
from assay.show.tables import Cell, Column, Content, Table
from assay.stats.interval import wilson_interval
from assay.stats.significance import sign_test
from assay.stats.validation import UndefinedStatistic

BRIEF = {"sem": "semantics", "semantic": "semantics", "grammar": "grammaticality", "gram": "grammaticality",
         "phen": "phenomenon"}  # fmt: skip


class Verdict(NamedTuple):
    """The three judgements of one output."""

    id: str
    system: str
    semantics: int
    grammaticality: int
    phenomenon: int

    @property
    def rose(self) -> int:
        """1 if all three judgements are 1."""
        return self.semantics * self.grammaticality * self.phenomenon


@dataclass(frozen=True)
class Rates:
    """The rates of one set of outputs, each with a Wilson interval, from 0 to 1."""

    name: str
    n: int
    counts: Mapping[str, int]

    def share(self, what: str) -> float:
        return self.counts[what] / self.n

    def interval(self, what: str) -> tuple[float, float]:
        return wilson_interval(self.counts[what], self.n)


@dataclass(frozen=True)
class Rose:
    """The rates of all sets, the differences to the original items, and warnings."""

    rates: tuple[Rates, ...]
    drops: tuple[tuple[str, int, float, float | None], ...]
    """Set, pairs, ROSE of the challenge items minus that of the originals, and p of the exact sign (McNemar) test."""
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the object that `assay challenge drs rose --json` prints."""
        return {
            "sets": {
                each.name: {"n": each.n}
                | {
                    what: {"value": each.share(what), **dict(zip(("low", "high"), each.interval(what), strict=True))}
                    for what in (*CRITERIA, "rose")
                }
                for each in self.rates
            },
            "drops": {name: {"pairs": n, "difference": change, "p": p} for name, n, change, p in self.drops},
            "warnings": list(self.warnings),
        }

    def table(self) -> Table:
        """Return a row for each set, with the differences to the original items as notes."""
        rows: list[list[Content]] = []
        for each in self.rates:
            cells: list[Content] = []
            for what in (*CRITERIA, "rose"):
                low, high = each.interval(what)
                text = f"{each.share(what):.1%} [{low:.1%}, {high:.1%}]".replace("%", "")
                cells.append(Cell(text, each.share(what), low, high))
            rows.append([each.name, each.n, *cells])
        columns = [Column("set", "left", fold=True), Column("n"), Column("Sem."), Column("Gram."), Column("Phen."),
                   Column("ROSE")]  # fmt: skip
        notes = [
            f"{name}: ROSE {_signed(100 * change)} against the original items, {n} pairs "
            f"(exact sign test, p = {probability(p)})."
            for name, n, change, p in self.drops
        ]
        return Table(columns, rows, "ROSE in percent [95 % CI]", [*notes, *(f"! {w}" for w in self.warnings)])


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{fixed(value, 1, zero=True)}"


def verdicts_of(judgements: Sequence[Judgement]) -> list[Verdict]:
    """Return one verdict per output.

    Raises:
        AssayError: A value is not 0 or 1, a criterion is missing, or judgements of an output contradict each other.
    """
    by_output: dict[tuple[str, str], dict[str, int]] = {}
    for judgement in judgements:
        criterion = BRIEF.get(judgement.criterion.lower(), judgement.criterion.lower())
        where = f"id {judgement.id} system {judgement.system}"
        if criterion not in CRITERIA:
            continue
        if judgement.value not in (0, 1):
            raise AssayError(f"{where}: {criterion} is {judgement.value}. ROSE requires 0 or 1.")
        values = by_output.setdefault((judgement.id, judgement.system), {})
        if values.get(criterion, judgement.value) != judgement.value:
            raise AssayError(f"{where}: {criterion} is judged both 0 and 1. Keep one judgement, or use the majority.")
        values[criterion] = int(judgement.value)
    verdicts = []
    for (id, system), values in by_output.items():
        if missing := [criterion for criterion in CRITERIA if criterion not in values]:
            raise AssayError(f"id {id} system {system}: {', '.join(missing)} not judged. ROSE requires all three.")
        verdicts.append(Verdict(id, system, *(values[criterion] for criterion in CRITERIA)))
    if not verdicts:
        raise AssayError(f"No judgement has one of the criteria {', '.join(CRITERIA)}.")
    return verdicts


def rose(judgements: Sequence[Judgement], examples: Sequence[Example] = ()) -> Rose:
    """Return the rates of every system, or of every system and challenge if the examples are tagged with one.

    Args:
        judgements: Judgements of semantics, grammaticality and phenomenon, 0 or 1 each.
        examples: Challenge items linked to their original items.
    """
    verdicts = verdicts_of(judgements)
    known = {example.id: example for example in examples}
    annotators = len({judgement.annotator for judgement in judgements})
    sets: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        sets.setdefault(_set(verdict, known), []).append(verdict)
    rates = tuple(_rates(name, members) for name, members in sets.items())
    warnings = [
        f"id {one.id} system {one.system}: semantics is 1 and phenomenon is 0, which is implausible. Check the "
        "judgement."
        for one in verdicts
        if one.semantics and not one.phenomenon
    ]
    if annotators == 1:
        warnings.append("One annotator only: inter-annotator agreement is unknown.")
    return Rose(rates, tuple(_drops(sets, verdicts, known)), tuple(warnings))


def _set(verdict: Verdict, known: Mapping[str, Example]) -> str:
    example = known.get(verdict.id)
    kind = example.tags.get("phenomenon") or example.tags.get("challenge") if example and example.parent else None
    return f"{verdict.system} · {kind}" if kind else verdict.system


def _rates(name: str, members: Sequence[Verdict]) -> Rates:
    counts = {what: sum(getattr(one, what) for one in members) for what in (*CRITERIA, "rose")}
    return Rates(name, len(members), counts)


def _drops(
    sets: Mapping[str, Sequence[Verdict]], verdicts: Sequence[Verdict], known: Mapping[str, Example]
) -> list[tuple[str, int, float, float | None]]:
    """Return the differences between challenge items and their original items, if both were judged."""
    by_output = {(one.id, one.system): one for one in verdicts}
    drops: list[tuple[str, int, float, float | None]] = []
    for name, members in sets.items():
        pairs = []
        for one in members:
            parent = known[one.id].parent if one.id in known else None
            original = by_output.get((parent or "", one.system))
            if original is not None:
                pairs.append((original.rose, one.rose))
        if pairs:
            old, new = zip(*pairs, strict=True)
            try:
                p: float | None = sign_test(old, new).p
            except UndefinedStatistic:
                p = None
            drops.append((name, len(pairs), (sum(new) - sum(old)) / len(pairs), p))
    return drops
