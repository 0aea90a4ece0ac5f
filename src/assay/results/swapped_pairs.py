"""Every two of several systems under the same swaps, corrected together by the largest difference of each swap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.results.comparable import not_comparable
from assay.results.compare import row_of, values_only
from assay.results.pairs import PairGap, Standings, standing, too_slow, why_not_tested
from assay.results.permutation import LEAST, swapped_gaps
from assay.results.pivots import pivots_of
from assay.results.verdict import LEVEL, Procedure
from assay.stats.all_pairs import each_alone, step_down
from assay.stats.paired import Difference, agreeing
from assay.stats.pivot import Pivot, simultaneous
from assay.stats.resample import is_exhaustive

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.compare import Asked, Pair
    from assay.results.comparison import Compared
    from assay.results.result import Result

Key = tuple[frozenset[str], str]
"""Two systems, whichever comes first, and a number."""


class _Swapped(NamedTuple):
    """One number of two systems before it is corrected; observed and null in standard deviations of all swaps."""

    a: str
    b: str
    name: str
    difference: float
    observed: float
    null: Floats
    pivot: Pivot | None

    @property
    def key(self) -> Key:
        return frozenset((self.a, self.b)), self.name


class Corrected(NamedTuple):
    """How sure a difference is, alone and among all that are corrected together."""

    p: float
    gap: PairGap
    floor: bool
    """Whether no swap came as far in any of them: p is at most what it says, corrected or not."""


@dataclass(frozen=True)
class SwappedPairs:
    """Every number of every two systems that could be tested, and why the others could not."""

    found: Mapping[Key, Corrected]
    untested: Mapping[Key, str]
    how: Procedure
    differences: Mapping[tuple[str, str], Mapping[str, Difference]]
    """What intervals are read from, where they were asked for."""

    def standings(self, results: Sequence[Result]) -> Standings:
        """Of the numbers that all pairs were tested on."""
        left_out = why_not_tested(results)
        for (_, name), why in self.untested.items():
            left_out.setdefault(name, why)
        by_name = {}
        for name in (name for name in results[0].shown if name not in left_out):
            gaps = [each.gap for (_, other), each in self.found.items() if other == name]
            by_name[name] = standing(results, name, gaps)
        return Standings(by_name, left_out, self.how)

    def rows(self, pair: Pair, differences: Mapping[str, Difference], asked: Asked) -> dict[str, Compared]:
        """What is said of two systems: their differences as they are alone, p as it is among all."""
        rows = {}
        for name in pair.names:
            key = frozenset((pair.a.system, pair.b.system)), name
            if name in pair.apart:
                rows[name] = values_only(pair, name, asked)
            elif found := self.found.get(key):
                row = differences[name]._replace(p=found.p, floor=found.floor)
                ends = row.pivot.interval(1 - LEVEL) if row.pivot else None
                row = row.between(ends and agreeing(ends, found.p, LEVEL))
                rows[name] = row_of(pair, name, row, found.gap.p_adjusted, asked)
            else:
                row = differences[name]
                row = row._replace(why=self.untested.get(key, row.why))
                rows[name] = row_of(pair, name, row, float("nan"), asked)
        return rows


def swap_pairs(results: Sequence[Result], asked: Asked) -> SwappedPairs:
    """All pairs of results on the same items, corrected over all numbers or over each (`asked.family`)."""
    samples, exact = asked.samples or LEAST, is_exhaustive(results[0].units)
    pairs = list(combinations(results, 2))
    untested: dict[Key, str] = {}
    asking = []
    for a, b in pairs:
        whys = _why_not(a, b, len(pairs))
        untested |= {(frozenset((a.system, b.system)), name): why for name, why in whys.items()}
        asking.append((a, b, [name for name in a.shown if name in b.parts and name not in whys]))
    tested = []
    pivots = pivots_of(asking, samples, asked.seed) if asked.intervals else [dict[str, Difference]()] * len(asking)
    named = {(a.system, b.system): rows for (a, b), rows in zip(pairs, pivots, strict=True)}
    nulls = swapped_gaps(asking, samples, asked.seed)
    for (a, b, names), rows, null in zip(asking, pivots, nulls, strict=True):
        for name in names:
            pivot = rows[name].pivot if name in rows else None
            swapped = _swapped(a, b, name, null[name], pivot, exact)
            if np.isinf(swapped.null).all():
                untested[swapped.key] = "it has no value where outputs are swapped"
            else:
                tested.append(swapped)
    families: dict[str, list[_Swapped]] = {}
    for swapped in tested:
        families.setdefault(swapped.name if asked.family == "metric" else "", []).append(swapped)
    found: dict[Key, Corrected] = {}
    for members in families.values():
        found |= _corrected(members, exact)
    units = results[0].units
    words = f"paired permutation, {f'all {2**units}' if exact else f'{samples:,} random'} swaps"
    if asked.cluster:
        words += f", by {asked.cluster} ({units} clusters)"
    most = max(map(len, families.values()), default=0)
    return SwappedPairs(found, untested, Procedure(words, "step-down", asked.family, most, len(pairs)), named)


def _why_not(a: Result, b: Result, pairs: int) -> dict[str, str]:
    """The numbers on which the two cannot be told apart."""
    names = [name for name in a.shown if name in b.parts]
    found = not_comparable(a, b, names)
    for name in names:
        if np.isnan(a.values[name]) or np.isnan(b.values[name]):
            found.setdefault(name, a.parts[name][0].metric.undefined(a.parts[name][1].name))
        elif why := too_slow(a, name, pairs):
            found.setdefault(name, why)
    return found


def _swapped(a: Result, b: Result, name: str, null: Floats, pivot: Pivot | None, exact: bool) -> _Swapped:
    difference = float(b.values[name] - a.values[name])
    # What was observed is one of the swaps: measured with all of them, the test is exact for any number of swaps.
    both = null if exact else np.append(null, difference)
    spread = np.sqrt(np.nansum(both**2) / max(int((~np.isnan(both)).sum()), 1))
    scale = spread if spread > 0 else 1.0
    far = np.where(np.isnan(null), np.inf, np.abs(null) / scale)  # a swap without a value speaks against a finding
    return _Swapped(a.system, b.system, name, difference, abs(difference) / scale, far, pivot)


def _corrected(family: Sequence[_Swapped], exact: bool) -> dict[Key, Corrected]:
    """p over the family, and intervals that hold for all of it together."""
    null = np.column_stack([each.null for each in family])
    observed = np.array([each.observed for each in family])
    adjusted, single = step_down(observed, null, exact=exact), each_alone(observed, null, exact=exact)
    lowest = 0.0 if exact else 1.5 / (len(null) + 1)
    intervals = simultaneous([each.pivot for each in family], 1 - LEVEL)
    found = {}
    for each, alone, p, ends in zip(family, single.tolist(), adjusted.tolist(), intervals, strict=True):
        low, high = agreeing(ends, p, LEVEL) if ends else (None, None)
        found[each.key] = Corrected(alone, PairGap(each.a, each.b, each.difference, low, high, p), p < lowest)
    return found
