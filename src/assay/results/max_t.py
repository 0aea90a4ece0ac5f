"""Westfall and Young's max-T correction: all pairs of systems under the same permutations, corrected jointly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.results.comparable import not_comparable
from assay.results.compare import compared_row, scores_only
from assay.results.differences import PERMUTATION_TEST
from assay.results.permutation import LEAST, permuted_differences
from assay.results.pivots import pivots_of
from assay.results.rankings import PairDifference, Rankings, rank_systems, too_slow, why_not_tested
from assay.results.verdict import LEVEL, Procedure
from assay.stats.all_pairs import step_down, unadjusted_p
from assay.stats.paired import Difference, reconcile_interval
from assay.stats.pivot import Pivot, simultaneous
from assay.stats.resample import is_exhaustive

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.compare import CompareRequest, Pair
    from assay.results.comparison import Compared
    from assay.results.result import Result

Key = tuple[frozenset[str], str]
"""Two systems in any order, and a metric."""


class _Permuted(NamedTuple):
    """One metric of two systems before correction; observed and null differences in standard deviations of the null."""

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
    """A difference with p before and after correction."""

    p: float
    difference: PairDifference
    floor: bool
    """Whether no permutation was as extreme in any test: both p are upper bounds."""


@dataclass(frozen=True)
class MaxTPairs:
    """All pairs of systems, tested on every metric and corrected jointly."""

    tested: Mapping[Key, Corrected]
    untested: Mapping[Key, str]
    """The reasons why metrics of a pair were not tested."""
    how: Procedure
    differences: Mapping[tuple[str, str], Mapping[str, Difference]]
    """Pivots of confidence intervals, if intervals were requested."""

    def rankings(self, results: Sequence[Result]) -> Rankings:
        """Return the rankings on the metrics that were tested for all pairs."""
        left_out = why_not_tested(results)
        for (_, name), why in self.untested.items():
            left_out.setdefault(name, why)
        by_name = {}
        for name in (name for name in results[0].shown if name not in left_out):
            pairs = [each.difference for (_, other), each in self.tested.items() if other == name]
            by_name[name] = rank_systems(results, name, pairs)
        return Rankings(by_name, left_out, self.how)

    def rows(self, pair: Pair, differences: Mapping[str, Difference], request: CompareRequest) -> dict[str, Compared]:
        """Return the compared metrics of two systems, with p corrected over all pairs."""
        rows = {}
        for name in pair.names:
            key = frozenset((pair.a.system, pair.b.system)), name
            if name in pair.apart:
                rows[name] = scores_only(pair, name, request)
            elif corrected := self.tested.get(key):
                row = differences[name]._replace(p=corrected.p, floor=corrected.floor)
                ends = row.pivot.interval(1 - LEVEL) if row.pivot else None
                row = row.between(ends and reconcile_interval(ends, corrected.p, LEVEL))
                rows[name] = compared_row(pair, name, row, corrected.difference.p_adjusted, request)
            else:
                row = differences[name]
                row = row._replace(why=self.untested.get(key, row.why))
                rows[name] = compared_row(pair, name, row, float("nan"), request)
        return rows


def max_t_pairs(results: Sequence[Result], request: CompareRequest) -> MaxTPairs:
    """Test all pairs of results on the same items; correct over all metrics or per metric (`request.family`)."""
    samples, exact = request.samples or LEAST, is_exhaustive(results[0].units)
    pairs = list(combinations(results, 2))
    untested: dict[Key, str] = {}
    tasks = []
    for a, b in pairs:
        whys = _why_not(a, b, len(pairs))
        untested |= {(frozenset((a.system, b.system)), name): why for name, why in whys.items()}
        tasks.append((a, b, [name for name in a.shown if name in b.parts and name not in whys]))
    tested = []
    pivots = pivots_of(tasks, samples, request.seed) if request.intervals else [dict[str, Difference]()] * len(tasks)
    named = {(a.system, b.system): rows for (a, b), rows in zip(pairs, pivots, strict=True)}
    nulls = permuted_differences(tasks, samples, request.seed)
    for (a, b, names), rows, null in zip(tasks, pivots, nulls, strict=True):
        for name in names:
            pivot = rows[name].pivot if name in rows else None
            permuted = _permuted(a, b, name, null[name], pivot, exact)
            if np.isinf(permuted.null).all():
                untested[permuted.key] = "it is undefined under permutation"
            else:
                tested.append(permuted)
    families: dict[str, list[_Permuted]] = {}
    for permuted in tested:
        families.setdefault(permuted.name if request.family == "metric" else "", []).append(permuted)
    corrected: dict[Key, Corrected] = {}
    for members in families.values():
        corrected |= _corrected(members, exact)
    units = results[0].units
    words = f"{PERMUTATION_TEST}, {f'all {2**units:,}' if exact else f'{samples:,} random'} permutations"
    if request.cluster:
        words += f", clustered by {request.cluster} ({units} clusters)"
    most = max(map(len, families.values()), default=0)
    return MaxTPairs(corrected, untested, Procedure(words, "step-down", request.family, most, len(pairs)), named)


def _why_not(a: Result, b: Result, pairs: int) -> dict[str, str]:
    """Return the metrics on which the two cannot be tested, with the reason."""
    names = [name for name in a.shown if name in b.parts]
    reasons = not_comparable(a, b, names)
    for name in names:
        if np.isnan(a.values[name]) or np.isnan(b.values[name]):
            reasons.setdefault(name, a.parts[name][0].metric.undefined(a.parts[name][1].name))
        elif why := too_slow(a, name, pairs):
            reasons.setdefault(name, why)
    return reasons


def _permuted(a: Result, b: Result, name: str, null: Floats, pivot: Pivot | None, exact: bool) -> _Permuted:
    difference = float(b.values[name] - a.values[name])
    # The observed difference is one of the permutations: scaled by all of them, the test is exact for any number.
    both = null if exact else np.append(null, difference)
    spread = np.sqrt(np.nansum(both**2) / max(int((~np.isnan(both)).sum()), 1))
    scale = spread if spread > 0 else 1.0
    far = np.where(np.isnan(null), np.inf, np.abs(null) / scale)  # an undefined permutation counts as extreme
    return _Permuted(a.system, b.system, name, difference, abs(difference) / scale, far, pivot)


def _corrected(family: Sequence[_Permuted], exact: bool) -> dict[Key, Corrected]:
    """Return p corrected over a family, with simultaneous confidence intervals."""
    null = np.column_stack([each.null for each in family])
    observed = np.array([each.observed for each in family])
    adjusted, single = step_down(observed, null, exact=exact), unadjusted_p(observed, null, exact=exact)
    lowest = 0.0 if exact else 1.5 / (len(null) + 1)
    intervals = simultaneous([each.pivot for each in family], 1 - LEVEL)
    corrected = {}
    for each, alone, p, ends in zip(family, single.tolist(), adjusted.tolist(), intervals, strict=True):
        low, high = reconcile_interval(ends, p, LEVEL) if ends else (None, None)
        difference = PairDifference(each.a, each.b, each.difference, low, high, p)
        corrected[each.key] = Corrected(alone, difference, p < lowest)
    return corrected
