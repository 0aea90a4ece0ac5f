"""Rankings of several systems: significant differences of all pairs, groups without any, and possible ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from assay.results.comparable import align, common_items, items_differ, not_comparable
from assay.results.result import Result
from assay.results.verdict import Procedure, is_significant
from assay.stats.all_pairs import rank_ranges, tied_groups

if TYPE_CHECKING:
    from assay.results.comparison import Comparison

MANY_PAIRS = 28
"""With more pairs, metrics over words are left out: they count all words again for each permutation of each pair."""


@dataclass(frozen=True)
class PairDifference:
    """Two systems on one metric. The difference is b - a; its interval is simultaneous over all pairs."""

    a: str
    b: str
    difference: float
    low: float | None
    high: float | None
    p_adjusted: float

    def reversed(self) -> PairDifference:
        """Return the difference a - b."""
        low, high = (None if end is None else -end for end in (self.high, self.low))
        return PairDifference(self.b, self.a, -self.difference, low, high, self.p_adjusted)


class Record(NamedTuple):
    """The number of other systems that are significantly worse, not significantly different, significantly better."""

    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Ranking:
    """Several systems on one metric, best first (highest first if the metric has no better direction)."""

    systems: list[str]
    values: list[float]
    pairs: list[PairDifference]
    groups: list[list[str]]
    """The largest groups of systems without a significant difference; a system may be in several."""
    rank_ranges: dict[str, tuple[int, int]]
    """The best and the worst possible rank of each system."""
    better: Literal["higher", "lower"] | None = "higher"

    @property
    def best(self) -> list[str]:
        """The systems with the best score; empty if the metric has no better direction."""
        if self.better is None:
            return []
        return [system for system, value in zip(self.systems, self.values, strict=True) if value == self.values[0]]

    @property
    def tied(self) -> list[str]:
        """The other systems that are not significantly different from the best."""
        best = self.best
        if not best:
            return []
        tied = {pair.b for pair in self.pairs if pair.a == best[0] and not is_significant(pair.p_adjusted)}
        return [system for system in self.systems if system in tied and system not in best]

    def record(self, system: str) -> Record:
        """Return the wins, ties and losses of a system against all others."""
        place = self.systems.index(system)
        significant = {frozenset((pair.a, pair.b)) for pair in self.pairs if is_significant(pair.p_adjusted)}
        wins = sum(frozenset((system, other)) in significant for other in self.systems[place + 1 :])
        losses = sum(frozenset((system, other)) in significant for other in self.systems[:place])
        return Record(wins, len(self.systems) - 1 - wins - losses, losses)


@dataclass(frozen=True)
class Rankings:
    """Rankings by metric."""

    by_name: dict[str, Ranking]
    left_out: dict[str, str]
    """Metrics that were not tested, with the reason."""
    how: Procedure
    """The test and its correction for multiple comparisons."""
    warnings: tuple[str, ...] = ()
    """Items that were left out or depend on each other, and differences that unseen items could make up for
    (`assay.compare_pairs`)."""

    @property
    def method(self) -> str:
        """The test procedure in words."""
        return self.how.words()

    def to_dict(self) -> dict[str, object]:
        """Return the part of `assay compare --json` about all pairs."""
        return {
            "method": self.method,
            "groups": {name: ranking.groups for name, ranking in self.by_name.items()},
            "places": {name: ranking.rank_ranges for name, ranking in self.by_name.items()},
            "records": {
                name: {system: ranking.record(system)._asdict() for system in ranking.systems}
                for name, ranking in self.by_name.items()
            },
            "left_out": self.left_out,
        }


def rankings_of(results: Sequence[Result], comparisons: Sequence[Comparison]) -> Rankings:
    """Return the rankings that follow from the comparisons of all pairs of results."""
    left_out = why_not_tested(results, many=False)
    by_name = {}
    for name in (name for name in results[0].shown if name not in left_out):
        rows = [(each, each[name]) for each in comparisons]
        untested = [row.why for _, row in rows if row.p_adjusted is None or row.difference is None]
        if untested:
            left_out[name] = next(filter(None, untested), "not tested")
            continue
        pairs = [
            PairDifference(
                each.a.system, each.b.system, row.difference or 0.0, row.low, row.high, row.p_adjusted or 0.0
            )
            for each, row in rows
        ]
        by_name[name] = rank_systems(results, name, pairs)
    return Rankings(by_name, left_out, max((each.how for each in comparisons), key=lambda how: how.tests))


def on_common_items(results: Sequence[Result], notes: list[str], cluster: str | None = None) -> list[Result]:
    """Return all results on their common items, in one order; append a note if items are left out."""
    base = results[0]
    for other in results[1:]:
        base = align(base, other, notes)[0]
    notes += items_differ(results, base.n)
    return [common_items(base, result, [])[1].clustered(cluster) for result in results]


def why_not_tested(results: Sequence[Result], many: bool = True) -> dict[str, str]:
    """Return the metrics that cannot be tested for all pairs, with the reason.

    Args:
        results: Results on the same items.
        many: Include metrics that take too long for this number of pairs.
    """
    reasons = {}
    pairs = len(results) * (len(results) - 1) // 2 if many else 1
    for name in dict.fromkeys(name for result in results for name in result.shown):
        if why := _why_not(results, name, pairs):
            reasons[name] = why
    return reasons


def _why_not(results: Sequence[Result], name: str, pairs: int) -> str | None:
    if any(name not in result.parts for result in results):
        return "some systems do not have it"
    if any(np.isnan(result.values[name]) for result in results):
        return "it is undefined for some system"
    for result in results[1:]:
        if why := not_comparable(results[0], result, [name]):
            return why[name]
    return too_slow(results[0], name, pairs)


def too_slow(result: Result, name: str, pairs: int) -> str | None:
    """Return why a metric is not tested on this number of pairs together; None if it is."""
    measurement = result.parts[name][0]
    of_words = measurement.metric.summands(measurement.rows) is None and not measurement.metric.interdependent
    if pairs > MANY_PAIRS and of_words:
        return f"metrics over words take too long for {pairs} pairs; compare fewer systems or use --family pair"
    return None


def rank_systems(results: Sequence[Result], name: str, pairs: Iterable[PairDifference]) -> Ranking:
    """Return the ranking of results on one metric, from the tested differences of all pairs in any order."""
    better = results[0].parts[name][1].better
    ranked = sorted(results, key=lambda result: result.values[name], reverse=better != "lower")
    systems = [result.system for result in ranked]
    place = {system: number for number, system in enumerate(systems)}
    ordered = sorted(
        (pair if place[pair.a] < place[pair.b] else pair.reversed() for pair in pairs),
        key=lambda pair: (place[pair.a], place[pair.b]),
    )
    apart = {(pair.a, pair.b): is_significant(pair.p_adjusted) for pair in ordered}
    values = [float(result.values[name]) for result in ranked]
    return Ranking(systems, values, ordered, tied_groups(systems, apart), rank_ranges(systems, apart), better)
