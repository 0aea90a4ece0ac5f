"""Westfall and Young's max-T correction: all tests of a permutation test, corrected jointly.

Pairs of systems on the same items use the same permutations. Pairs on different items (subsets, challenge sets) are
permuted independently: for disjoint items their differences are independent, and for overlapping ones independence
makes the largest difference larger on average, so the correction is conservative (Šidák's inequality).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.results.comparable import not_comparable
from assay.results.differences import PERMUTATION_TEST
from assay.results.margins import within_range
from assay.results.pair import compared_row, scores_only
from assay.results.permutation import LEAST, permuted_differences
from assay.results.pivots import pivots_of
from assay.results.rankings import PairDifference, Rankings, rank_systems, too_slow, why_not_tested
from assay.results.skewed_differences import skewness_p
from assay.results.verdict import CRITICAL, LEVEL, Procedure
from assay.stats.all_pairs import critical_value, distance_of, smallest_p, step_down, unadjusted_p
from assay.stats.paired import Difference, reconcile_interval
from assay.stats.pivot import Pivot, simultaneous
from assay.stats.resample import is_exhaustive

if TYPE_CHECKING:
    from assay.metrics import Part
    from assay.metrics.engine.statistics import Floats
    from assay.results.compare import CompareRequest
    from assay.results.comparison import Compared
    from assay.results.pair import Pair
    from assay.results.result import Result

Two = tuple["Result", "Result"]
Key = tuple[int, str]
"""The position of a pair, and a metric."""


class _Permuted(NamedTuple):
    """One metric of two systems before correction; observed and null differences in standard deviations of the null."""

    key: Key
    difference: PairDifference
    """Without its interval; p is not adjusted yet."""
    observed: float
    null: Floats
    exact: bool
    """Whether the null differences are those of all permutations."""
    pivot: Pivot | None
    part: Part


class Corrected(NamedTuple):
    """A difference with p before and after correction."""

    p: float
    difference: PairDifference
    floor: bool
    """Whether no permutation was as extreme in any test: both p are upper bounds."""
    smallest: float
    """The smallest p that any assignment of these outputs to the two systems gives."""
    critical: float
    """The size in standard errors from which a difference is significant in its family, alone."""


@dataclass(frozen=True)
class PermutedSet:
    """The tests of pairs of systems on one set of items, before correction."""

    pairs: Sequence[Two]
    tested: Sequence[_Permuted]
    untested: Mapping[Key, str]
    """The reasons why metrics of a pair were not tested."""
    differences: Sequence[Mapping[str, Difference]]
    """Pivots of confidence intervals, if intervals were requested."""
    words: str
    exact: bool
    """Whether all permutations were enumerated."""


@dataclass(frozen=True)
class MaxTPairs:
    """Pairs of systems on one set of items, tested on every metric and corrected jointly."""

    of: PermutedSet
    tested: Mapping[Key, Corrected]
    how: Procedure

    def rankings(self, results: Sequence[Result]) -> Rankings:
        """Return the rankings on the metrics that were tested for all pairs of these results."""
        left_out = why_not_tested(results)
        for (_, name), why in self.of.untested.items():
            left_out.setdefault(name, why)
        by_name = {}
        for name in (name for name in results[0].shown if name not in left_out):
            pairs = [each.difference for (_, other), each in self.tested.items() if other == name]
            by_name[name] = rank_systems(results, name, pairs)
        return Rankings(by_name, left_out, self.how)

    def rows(
        self, number: int, pair: Pair, differences: Mapping[str, Difference], request: CompareRequest
    ) -> dict[str, Compared]:
        """Return the compared metrics of the pair at this position, in either order of its systems."""
        rows = {}
        for name in pair.names:
            if name in pair.apart:
                rows[name] = scores_only(pair, name, request)
            elif each := self.tested.get((number, name)):
                row = differences[name]._replace(p=each.p, floor=each.floor, smallest_p=each.smallest)
                ends = row.pivot.interval(1 - LEVEL) if row.pivot else None
                row = row.between(ends and reconcile_interval(ends, each.p, LEVEL))
                rows[name] = compared_row(pair, name, row, each.difference.p_adjusted, request, each.critical)
            else:
                row = differences[name]
                row = row._replace(why=self.of.untested.get((number, name), row.why))
                rows[name] = compared_row(pair, name, row, float("nan"), request)
        return rows


def permuted_set(pairs: Sequence[Two], request: CompareRequest, seed: int | None = None) -> PermutedSet:
    """Permute pairs of results on the same items.

    Args:
        pairs: Two results each, all on the same items and clusters.
        request: How they are compared.
        seed: Random seed of the permutations (default: that of the request).
    """
    seed = request.seed if seed is None else seed
    units = pairs[0][0].units
    samples, exact = request.samples or LEAST, is_exhaustive(units)
    untested: dict[Key, str] = {}
    tasks = []
    for number, (a, b) in enumerate(pairs):
        whys = _why_not(a, b, len(pairs))
        untested |= {(number, name): why for name, why in whys.items()}
        tasks.append((a, b, [name for name in a.shown if name in b.parts and name not in whys]))
    pivots = pivots_of(tasks, samples, request.seed) if request.intervals else [dict[str, Difference]()] * len(tasks)
    tested = []
    nulls = permuted_differences(tasks, samples, seed)
    for number, ((a, b, names), rows, null) in enumerate(zip(tasks, pivots, nulls, strict=True)):
        for name in names:
            permuted = _permuted((number, name), a, b, null[name], rows[name].pivot if name in rows else None, exact)
            if np.isinf(permuted.null).all():
                untested[permuted.key] = "it is undefined under permutation"
            else:
                tested.append(permuted)
    words = f"{PERMUTATION_TEST}, {f'all {2**units:,}' if exact else f'{samples:,} random'} permutations"
    if pairs[0][0].clusters_by:
        words += f", clustered by {pairs[0][0].clusters_by} ({units} clusters)"
    return PermutedSet(pairs, tested, untested, pivots, words, exact)


def correct_jointly(sets: Sequence[PermutedSet], request: CompareRequest, pairs: int | None = None) -> list[MaxTPairs]:
    """Correct the tests of several sets of items as one family, or per metric or pair (`request.family`).

    Args:
        sets: Permuted pairs of systems, by set of items.
        request: How they are compared.
        pairs: Number of pairs of systems that are tested together (default: those of the largest set).
    """
    families: dict[object, list[tuple[int, _Permuted]]] = {}
    for place, one in enumerate(sets):
        for each in one.tested:
            families.setdefault(request.family_of(*each.key), []).append((place, each))
    tested: list[dict[Key, Corrected]] = [{} for _ in sets]
    smallest: dict[object, float] = {}
    for family, members in families.items():
        exact = len(sets) == 1 and sets[0].exact
        rows = _common_rows(members, len(sets) > 1, request)
        smallest[family] = smallest_p(rows.max(axis=1), exact)
        permuted = [each for _, each in members]
        for (place, each), corrected in zip(members, _corrected(permuted, rows, exact), strict=True):
            tested[place][each.key] = corrected
    most = max(map(len, families.values()), default=0)
    number = pairs or max((len(one.pairs) for one in sets), default=1)
    best = min(smallest.values(), default=0.0)
    hows = [Procedure(one.words, "max-t", request.family, most, number, len(sets), best) for one in sets]
    return [MaxTPairs(*each) for each in zip(sets, tested, hows, strict=True)]


def _common_rows(members: Sequence[tuple[int, _Permuted]], several: bool, request: CompareRequest) -> Floats:
    """Return the null differences, a column for each test; those of several sets get the same number of rows.

    Where a set is so small that all its permutations were enumerated, rows are drawn from them, the same for all its
    tests.
    """
    if not several:
        return np.column_stack([each.null for _, each in members])
    samples = request.samples or LEAST
    columns = []
    for place, each in members:
        drawn = np.random.default_rng([request.seed, place]).integers(0, len(each.null), samples)
        columns.append(each.null[drawn] if each.exact else each.null)
    return np.column_stack(columns)


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


def _permuted(key: Key, a: Result, b: Result, null: Floats, pivot: Pivot | None, exact: bool) -> _Permuted:
    difference = float(b.values[key[1]] - a.values[key[1]])
    # The observed difference is one of the permutations: scaled by all of them, the test is exact for any number.
    both = null if exact else np.append(null, difference)
    spread = np.sqrt(np.nansum(both**2) / max(int((~np.isnan(both)).sum()), 1))
    scale = spread if spread > 0 else 1.0
    far = np.where(np.isnan(null), np.inf, np.abs(null) / scale)  # an undefined permutation counts as extreme
    two = PairDifference(a.system, b.system, difference, None, None, float("nan"))
    observed, skewed = abs(difference) / scale, skewness_p(a, b, key[1])
    if skewed is not None:  # a smaller distance, so that the correction for several tests applies to this p too
        observed = min(observed, distance_of(skewed, far, exact))
    return _Permuted(key, two, observed, far, exact, pivot, a.parts[key[1]][1])


def _corrected(family: Sequence[_Permuted], rows: Floats, exact: bool) -> list[Corrected]:
    """Return p corrected over a family, with simultaneous confidence intervals."""
    observed = np.array([each.observed for each in family])
    adjusted = step_down(observed, rows, exact=exact)
    critical = critical_value(rows, LEVEL) if len(family) > 1 else CRITICAL
    lowest = 0.0 if exact else 1.5 / (len(rows) + 1)
    intervals = simultaneous([each.pivot for each in family], 1 - LEVEL)
    corrected = []
    for each, joint, ends in zip(family, adjusted.tolist(), intervals, strict=True):
        alone = float(unadjusted_p(np.array([each.observed]), each.null[:, None], exact=each.exact)[0])
        p = max(joint, alone)  # a sample of enumerated permutations may have fewer extreme ones
        low, high = within_range(*reconcile_interval(ends, p, LEVEL), each.part) if ends else (None, None)
        difference = replace(each.difference, low=low, high=high, p_adjusted=p)
        best = smallest_p(each.null, exact=each.exact)
        corrected.append(Corrected(alone, difference, p < lowest and not each.exact, best, critical))
    return corrected
