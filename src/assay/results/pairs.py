"""All pairs of several systems: who is told apart from whom, which groups are left, and which places each may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from assay.results.comparable import common_items, not_comparable
from assay.results.result import Result
from assay.results.verdict import Procedure, is_sure
from assay.stats.all_pairs import groups_of, places

if TYPE_CHECKING:
    from assay.results.comparison import Comparison

MANY_PAIRS = 28
"""With more, metrics over words, which count all words anew for every swap of every pair, are left out."""


@dataclass(frozen=True)
class PairGap:
    """Two systems on one number. The difference is b - a, its interval holds together with those of all other pairs."""

    a: str
    b: str
    difference: float
    low: float | None
    high: float | None
    p_adjusted: float

    def turned(self) -> PairGap:
        """The same with a and b changing places."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return PairGap(self.b, self.a, -self.difference, low, high, self.p_adjusted)


class Record(NamedTuple):
    """Of how many others a system is told apart as the better one, not at all, and as the worse one."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Standing:
    """Several systems on one number, the best first (the highest, where the number only describes)."""

    systems: list[str]
    values: list[float]
    pairs: list[PairGap]
    groups: list[list[str]]
    """The largest groups of which no two systems are told apart; a system may be in several."""
    places: dict[str, tuple[int, int]]
    """The best and the worst place that each system may have."""
    better: Literal["higher", "lower"] | None = "higher"

    @property
    def best(self) -> list[str]:
        """The system of the best value, and others of exactly that value; nobody where the number only describes."""
        if self.better is None:
            return []
        return [system for system, value in zip(self.systems, self.values, strict=True) if value == self.values[0]]

    @property
    def tied(self) -> list[str]:
        """Systems of lower values that are not told apart from the best."""
        best = self.best
        if not best:
            return []
        near = {gap.b for gap in self.pairs if gap.a == best[0] and not is_sure(gap.p_adjusted)}
        return [system for system in self.systems if system in near and system not in best]

    def record(self, system: str) -> Record:
        """Against all others."""
        place = self.systems.index(system)
        sure = {frozenset((gap.a, gap.b)) for gap in self.pairs if is_sure(gap.p_adjusted)}
        wins = sum(frozenset((system, other)) in sure for other in self.systems[place + 1 :])
        losses = sum(frozenset((system, other)) in sure for other in self.systems[:place])
        return Record(wins, len(self.systems) - 1 - wins - losses, losses)


@dataclass(frozen=True)
class Standings:
    """What all pairs say, by number; and what was left out, with the reason."""

    by_name: dict[str, Standing]
    left_out: dict[str, str]
    how: Procedure
    """The test, and over how many such tests p was corrected."""

    @property
    def method(self) -> str:
        """How pairs were told apart, in words."""
        return self.how.words()

    def to_dict(self) -> dict[str, object]:
        """As `assay compare --json` prints it."""
        return {
            "method": self.method,
            "groups": {name: standing.groups for name, standing in self.by_name.items()},
            "places": {name: standing.places for name, standing in self.by_name.items()},
            "records": {
                name: {system: standing.record(system)._asdict() for system in standing.systems}
                for name, standing in self.by_name.items()
            },
            "left_out": self.left_out,
        }


def standings_of(results: Sequence[Result], comparisons: Sequence[Comparison]) -> Standings:
    """What comparisons of every two of the results say of who is ahead: the same verdicts, by the same test."""
    left_out = why_not_tested(results, many=False)
    by_name = {}
    for name in (name for name in results[0].shown if name not in left_out):
        rows = [(each, each[name]) for each in comparisons]
        untested = [row.why for _, row in rows if row.p_adjusted is None or row.difference is None]
        if untested:
            left_out[name] = next(filter(None, untested), "it was not tested")
            continue
        gaps = [
            PairGap(each.a.system, each.b.system, row.difference or 0.0, row.low, row.high, row.p_adjusted or 0.0)
            for each, row in rows
        ]
        by_name[name] = standing(results, name, gaps)
    return Standings(by_name, left_out, max((each.how for each in comparisons), key=lambda how: how.tests))


def on_common_items(results: Sequence[Result], notes: list[str], cluster: str | None = None) -> list[Result]:
    """All on the items that all have, in one order; a note where items are left out."""
    base = results[0]
    for other in results[1:]:
        base = common_items(base, other, notes)[0]
    return [common_items(base, result, [])[1].clustered(cluster) for result in results]


def why_not_tested(results: Sequence[Result], many: bool = True) -> dict[str, str]:
    """The numbers of results on the same items on which not all can be told apart, and why; with `many` also those that
    take too long where pairs are many."""
    found = {}
    pairs = len(results) * (len(results) - 1) // 2 if many else 1
    for name in dict.fromkeys(name for result in results for name in result.shown):
        if why := _why_not(results, name, pairs):
            found[name] = why
    return found


def _why_not(results: Sequence[Result], name: str, pairs: int) -> str | None:
    if any(name not in result.parts for result in results):
        return "not all systems have it"
    if any(np.isnan(result.values[name]) for result in results):
        return "it has no value for some system"
    for result in results[1:]:
        if why := not_comparable(results[0], result, [name]):
            return why[name]
    return too_slow(results[0], name, pairs)


def too_slow(result: Result, name: str, pairs: int) -> str | None:
    """Why a number is not tested on so many pairs together."""
    measurement = result.parts[name][0]
    of_words = measurement.metric.summands(measurement.rows) is None and not measurement.metric.interdependent
    if pairs > MANY_PAIRS and of_words:
        return f"it counts words, which takes too long for {pairs} pairs; name fewer systems, or take --family pair"
    return None


def standing(results: Sequence[Result], name: str, gaps: Iterable[PairGap]) -> Standing:
    """The results on one number in their order, with what is known of every two of them, whichever way round."""
    better = results[0].parts[name][1].better
    ranked = sorted(results, key=lambda result: result.values[name], reverse=better != "lower")
    systems = [result.system for result in ranked]
    place = {system: number for number, system in enumerate(systems)}
    ordered = sorted(
        (gap if place[gap.a] < place[gap.b] else gap.turned() for gap in gaps),
        key=lambda gap: (place[gap.a], place[gap.b]),
    )
    apart = {(gap.a, gap.b): is_sure(gap.p_adjusted) for gap in ordered}
    values = [float(result.values[name]) for result in ranked]
    return Standing(systems, values, ordered, groups_of(systems, apart), places(systems, apart), better)
