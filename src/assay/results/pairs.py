"""All pairs of several systems: who is told apart from whom, which groups are left, and which places each may have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from assay.errors import AssayError
from assay.results.comparable import common_items, not_comparable
from assay.results.compare import compare
from assay.results.permutation import LEAST, swapped_gaps
from assay.results.pivots import pivots_of
from assay.results.result import Result
from assay.results.verdict import LEVEL, Family, Procedure, is_sure
from assay.stats.all_pairs import groups_of, places, step_down
from assay.stats.paired import agreeing
from assay.stats.pivot import Pivot, simultaneous
from assay.stats.resample import all_swaps

if TYPE_CHECKING:
    from assay.metrics.statistics import Floats
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


def compare_pairs(
    results: Sequence[Result],
    *,
    samples: int | None = None,
    seed: int = 0,
    cluster: str | None = None,
    family: Family = "all",
) -> Standings:
    """Every two of the results on the items that all have, corrected over all pairs of all numbers, or a family.

    `results` are two or more of `assay.score`, each with a name of its own; `samples` swaps are common to all pairs,
    and `seed`, `cluster` and `family` are as in `assay.compare`, which answers for two. `by_name` then has for every
    number the systems in order, the `groups` that cannot be told apart, the `places` each may have, who is `tied` with
    the `best`, and the `pairs` with simultaneous intervals.

    >>> texts = {"a": ["the cat sat on it"] * 12, "b": ["a cat sat on it"] * 12, "c": ["a dog"] * 12}
    >>> results = assay.score_all(texts, ["the cat sat on it"] * 12, metrics="rouge1")
    >>> assay.compare_pairs(list(results.values())).by_name["rouge1"].groups
    [['a'], ['b'], ['c']]
    """
    names = [result.system for result in results]
    if len(names) < 2 or len(set(names)) < len(names):
        raise AssayError("compare_pairs takes two or more results, each with a name of its own")
    if family not in get_args(Family):
        raise AssayError(f"no family called {family}; there are {', '.join(get_args(Family))}")
    if "," in (cluster or ""):
        raise AssayError(f"cluster={cluster}: all pairs take one kind of clusters; compare two systems at a time")
    if len(results) == 2:
        return standings_of_two(compare(*results, samples=samples, seed=seed, cluster=cluster, family=family))
    aligned = on_common_items(results, [], cluster)
    samples = samples or LEAST
    left_out = why_not_tested(aligned)
    tested = []
    for name in (name for name in aligned[0].shown if name not in left_out):
        found = _Tested.of(aligned, name, samples, seed)
        if np.isinf(found.null).all():
            left_out[name] = "it has no value where outputs are swapped"
        else:
            tested.append(found)
    exact = all_swaps(aligned[0].units)
    by_name, most = _corrected(tested, family, exact)
    units = aligned[0].units
    swaps = f"all {2**units}" if exact else f"{samples:,} random"
    words = f"paired permutation, {swaps} swaps"
    if cluster:
        words += f", by {cluster} ({units} clusters)"
    return Standings(by_name, left_out, Procedure(words, "step-down", family, most))


def standings_of_two(comparison: Comparison) -> Standings:
    """What a comparison of two systems says of who is ahead: the same verdicts, by the same test."""
    left_out = why_not_tested([comparison.a, comparison.b])
    by_name = {}
    for name, row in comparison.items():
        if name in left_out or row.p_adjusted is None or row.difference is None:
            left_out.setdefault(name, row.why or "it was not tested")
            continue
        a, b = _ranked([comparison.a, comparison.b], name)
        sign = 1.0 if a is comparison.a else -1.0
        ends = sorted(sign * end for end in (row.low, row.high) if end is not None)
        low, high = ends if len(ends) == 2 else (None, None)
        by_name[name] = _standing(
            [a, b], name, [PairGap(a.system, b.system, sign * row.difference, low, high, row.p_adjusted)]
        )
    return Standings(by_name, left_out, comparison.how)


def on_common_items(results: Sequence[Result], notes: list[str], cluster: str | None = None) -> list[Result]:
    """All on the items that all have, in one order; a note where items are left out."""
    base = results[0]
    for other in results[1:]:
        base = common_items(base, other, notes)[0]
    return [common_items(base, result, [])[1].clustered(cluster) for result in results]


def why_not_tested(results: Sequence[Result]) -> dict[str, str]:
    """The numbers of results on the same items on which nobody can be told apart, and why."""
    found = {}
    pairs = len(results) * (len(results) - 1) // 2
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
    measurement = results[0].parts[name][0]
    of_words = measurement.metric.summands(measurement.rows) is None and not measurement.metric.interdependent
    if pairs > MANY_PAIRS and of_words:
        return f"it counts words, which takes too long for {pairs} pairs; name fewer systems"
    return None


def _ranked(results: Sequence[Result], name: str) -> list[Result]:
    better = results[0].parts[name][1].better
    return sorted(results, key=lambda result: result.values[name], reverse=better != "lower")


class _Tested(NamedTuple):
    """All pairs on one number before they are corrected."""

    name: str
    ranked: list[Result]
    pairs: list[tuple[Result, Result]]
    observed: Floats
    null: Floats
    """Differences under every swap, one column a pair; both in standard deviations of the column."""
    pivots: list[Pivot | None]

    @classmethod
    def of(cls, results: Sequence[Result], name: str, samples: int, seed: int) -> _Tested:
        ranked = _ranked(results, name)
        pairs = list(combinations(ranked, 2))
        observed = np.array([b.values[name] - a.values[name] for a, b in pairs])
        null = np.column_stack([swapped_gaps(a, b, name, samples, seed) for a, b in pairs])
        # What was observed is one of the swaps: measured with all of them, the test is exact for any number of swaps.
        both = null if all_swaps(ranked[0].units) else np.vstack([null, observed])
        counts = np.maximum((~np.isnan(both)).sum(axis=0), 1)
        spread = np.sqrt(np.nansum(both**2, axis=0) / counts)
        scale = np.where(spread > 0, spread, 1.0)
        rows = pivots_of([(a, b, [name]) for a, b in pairs], samples, seed)
        far = np.where(np.isnan(null), np.inf, np.abs(null) / scale)  # a swap without a value speaks against a finding
        return cls(name, ranked, pairs, np.abs(observed) / scale, far, [row[name].pivot for row in rows])


def _corrected(tested: Sequence[_Tested], family: Family, exact: bool) -> tuple[dict[str, Standing], int]:
    """Standings by number, p corrected and intervals simultaneous over each family; and the size of the largest."""
    families: dict[object, list[tuple[int, int]]] = {}
    for which, each in enumerate(tested):
        for column, (a, b) in enumerate(each.pairs):
            keys = {"all": None, "metric": each.name, "pair": frozenset((a.system, b.system))}
            families.setdefault(keys[family], []).append((which, column))
    p: dict[tuple[int, int], float] = {}
    ends: dict[tuple[int, int], tuple[float, float] | None] = {}
    for members in families.values():
        observed = np.array([tested[which].observed[column] for which, column in members])
        null = np.column_stack([tested[which].null[:, column] for which, column in members])
        p |= dict(zip(members, step_down(observed, null, exact=exact).tolist(), strict=True))
        pivots = [tested[which].pivots[column] for which, column in members]
        ends |= dict(zip(members, simultaneous(pivots, 1 - LEVEL), strict=True))
    by_name = {}
    for which, each in enumerate(tested):
        gaps = []
        for column, (a, b) in enumerate(each.pairs):
            chance, end = p[which, column], ends[which, column]
            low, high = agreeing(end, chance, LEVEL) if end else (None, None)
            gap = float(b.values[each.name] - a.values[each.name])
            gaps.append(PairGap(a.system, b.system, gap, low, high, chance))
        by_name[each.name] = _standing(each.ranked, each.name, gaps)
    return by_name, max(map(len, families.values()), default=0)


def _standing(ranked: Sequence[Result], name: str, gaps: Iterable[PairGap]) -> Standing:
    gaps = list(gaps)
    systems = [result.system for result in ranked]
    apart = {(gap.a, gap.b): is_sure(gap.p_adjusted) for gap in gaps}
    values = [float(result.values[name]) for result in ranked]
    better = ranked[0].parts[name][1].better
    return Standing(systems, values, gaps, groups_of(systems, apart), places(systems, apart), better)
