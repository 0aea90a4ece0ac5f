"""All pairs of several systems: who is told apart from whom, which groups are left, and which places each may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.errors import AssayError
from assay.results.comparable import common_items, not_comparable
from assay.results.permutation import LEAST, swapped_gaps
from assay.results.pivots import pivots_of
from assay.results.result import Result
from assay.results.verdict import LEVEL, is_sure
from assay.stats.all_pairs import groups_of, places, step_down
from assay.stats.paired import agreeing
from assay.stats.pivot import simultaneous
from assay.stats.resample import all_swaps

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


@dataclass(frozen=True)
class Standings:
    """What all pairs say, by number; and what was left out, with the reason."""

    by_name: dict[str, Standing]
    left_out: dict[str, str]
    method: str

    def to_dict(self) -> dict[str, object]:
        """As `assay compare --json` prints it."""
        return {
            "method": self.method,
            "groups": {name: standing.groups for name, standing in self.by_name.items()},
            "places": {name: standing.places for name, standing in self.by_name.items()},
            "left_out": self.left_out,
        }


def compare_pairs(
    results: Sequence[Result], *, samples: int = LEAST, seed: int = 0, cluster: str | None = None
) -> Standings:
    """Every two of the results on the items that all have, corrected over all pairs of each number.

    `results` are two or more of `assay.score`, each with a name of its own; `samples` swaps are common to all pairs,
    and `seed` and `cluster` are as in `assay.compare`. `by_name` then has for every number the systems in order, the
    `groups` that cannot be told apart, the `places` each may have, and the `pairs` with simultaneous intervals.

    >>> texts = {"a": ["the cat sat on it"] * 12, "b": ["a cat sat on it"] * 12, "c": ["a dog"] * 12}
    >>> results = assay.score_all(texts, ["the cat sat on it"] * 12, metrics="rouge1")
    >>> assay.compare_pairs(list(results.values())).by_name["rouge1"].groups
    [['a'], ['b'], ['c']]
    """
    names = [result.system for result in results]
    if len(names) < 2 or len(set(names)) < len(names):
        raise AssayError("compare_pairs takes two or more results, each with a name of its own")
    if "," in (cluster or ""):
        raise AssayError(f"cluster={cluster}: all pairs take one kind of clusters; compare two systems at a time")
    aligned = _aligned(results, cluster)
    first = aligned[0]
    by_name: dict[str, Standing] = {}
    left_out: dict[str, str] = {}
    number = len(names) * (len(names) - 1) // 2
    for name in first.shown:
        why = _why_not(aligned, name, number)
        if why:
            left_out[name] = why
        else:
            by_name[name] = _standing(aligned, name, samples, seed)
    swaps = f"all {2**first.units} swaps" if all_swaps(first.units) else f"{samples:,} random swaps"
    method = f"paired permutation, {swaps} common to {number} pairs, step-down maximum over the pairs of each metric"
    return Standings(by_name, left_out, method)


def _aligned(results: Sequence[Result], cluster: str | None) -> list[Result]:
    """All on the items that all have, in one order."""
    notes: list[str] = []
    base = results[0]
    for other in results[1:]:
        base = common_items(base, other, notes)[0]
    return [common_items(base, result, notes)[1].clustered(cluster) for result in results]


def _why_not(results: Sequence[Result], name: str, pairs: int) -> str | None:
    if any(name not in result.parts for result in results):
        return "not all systems have it"
    if any(np.isnan(result.values[name]) for result in results):
        return "it has no value for some system"
    for result in results[1:]:
        if why := not_comparable(results[0], result, [name]):
            return why[name]
    measurement = results[0].parts[name][0]
    if pairs > MANY_PAIRS and measurement.metric.summands(measurement.rows) is None:
        return f"it counts words, which takes too long for {pairs} pairs; name fewer systems"
    return None


def _standing(results: Sequence[Result], name: str, samples: int, seed: int) -> Standing:
    better = results[0].parts[name][1].better
    order = sorted(range(len(results)), key=lambda i: results[i].values[name], reverse=better != "lower")
    ranked = [results[i] for i in order]
    pairs = list(combinations(ranked, 2))
    observed = np.array([b.values[name] - a.values[name] for a, b in pairs])
    null = np.column_stack([swapped_gaps(a, b, name, samples, seed) for a, b in pairs])
    scale = np.where(null.std(axis=0) > 0, null.std(axis=0), 1.0)
    p = step_down(np.abs(observed) / scale, np.abs(null) / scale, exact=all_swaps(ranked[0].units))
    ends = _intervals(pairs, name, samples, seed)
    gaps = []
    for (a, b), gap, chance, end in zip(pairs, observed.tolist(), p.tolist(), ends, strict=True):
        low, high = agreeing(end, chance, LEVEL) if end else (None, None)
        gaps.append(PairGap(a.system, b.system, gap, low, high, chance))
    systems = [result.system for result in ranked]
    apart = {(gap.a, gap.b): is_sure(gap.p_adjusted) for gap in gaps}
    values = [float(result.values[name]) for result in ranked]
    return Standing(systems, values, gaps, groups_of(systems, apart), places(systems, apart))


def _intervals(
    pairs: Sequence[tuple[Result, Result]], name: str, samples: int, seed: int
) -> list[tuple[float, float] | None]:
    """That hold for all pairs together; none where the items do not allow for one."""
    rows = pivots_of([(a, b, [name]) for a, b in pairs], samples, seed)
    return simultaneous([row[name].pivot for row in rows], 1 - LEVEL)
