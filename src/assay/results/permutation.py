"""The paired permutation test: the share of random swaps of two systems' outputs that give as large a difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from assay.metrics.engine.statistics import concat
from assay.results.contributions import unit_sums
from assay.stats.paired import count_extreme
from assay.stats.resample import Permutations, is_exhaustive, permutation_blocks
from assay.stats.stacked_columns import MANY_UNITS, StackedColumns, wide_blocks

if TYPE_CHECKING:
    from assay.metrics.engine.base import Metric, Values
    from assay.metrics.engine.statistics import Floats, Rows
    from assay.results.result import Result

LEAST = 1000
"""Minimum number of random permutations."""
ENOUGH = 100
"""With this number of extreme permutations the relative error of p is about a tenth, and drawing stops."""
MOST_OF_WORDS = 5000
"""Maximum number of permutations for metrics over words, which count all words again for each."""

PermutedDifferences: TypeAlias = "Callable[[Permutations], Values]"
PairMetrics: TypeAlias = "tuple[Result, Result, Sequence[str]]"
"""Two systems, and the metrics that are compared."""
Sums: TypeAlias = "dict[int, tuple[Floats, Floats] | None]"
"""By the id of a measurement: its `unit_sums`, the same array for every pair, and their total."""


class PermutationCount(NamedTuple):
    """The number of permutations drawn, and of those with a difference at least as large as the observed one."""

    extreme: int
    drawn: int
    exact: bool
    largest: int = 0
    """The number of permutations that give the largest difference of all."""


@dataclass
class _Tested:
    """One metric of two systems while permutations are drawn."""

    names: dict[str, str]
    """Names of the scores, and of the metric's parts behind them."""
    differences: PermutedDifferences
    most: int
    heavy: bool = False
    """Whether it keeps the words of both systems in memory, so that pairs are tested one after the other."""
    sums: tuple[Floats, ...] = ()
    """Summed statistics of both systems, for metrics computed from sums."""
    observed: dict[str, float] = field(default_factory=dict)
    extreme: dict[str, int] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)
    largest: dict[str, tuple[float, int]] = field(default_factory=dict)
    """The largest absolute difference, and the number of permutations that give it."""

    def take(self, swaps: Permutations) -> None:
        """Count a block of permutations."""
        values = self.differences(swaps)
        for name, part in self.names.items():
            known = values[part][~np.isnan(values[part])]
            self.extreme[name] = self.extreme.get(name, 0) + count_extreme(known, self.observed[name])
            self.drawn[name] = self.drawn.get(name, 0) + len(known)
            before, times = self.largest.get(name, (0.0, 0))
            now = max(before, float(np.abs(known).max(initial=0.0)))
            self.largest[name] = now, count_extreme(known, now) + (times if before >= now * (1 - 1e-9) else 0)

    def is_precise(self, drawn: int) -> bool:
        """Return whether p of every score is precise enough to stop."""
        return drawn >= LEAST and min(self.extreme.values()) >= ENOUGH


def permute_systems(
    pairs: Sequence[PairMetrics], samples: int | None, most: int, seed: int
) -> list[dict[str, PermutationCount]]:
    """Count extreme permutations for every pair and metric.

    The identity counts as a permutation, so p is at least one over their number. All pairs use the same permutations:
    the statistics of a system are summed once, however many others it is compared with.

    Args:
        pairs: Two systems and their metrics, each.
        samples: Number of permutations; None draws until p is precise.
        most: Maximum number of permutations if `samples` is None.
        seed: Random seed.
    """
    light: dict[int, list[_Tested]] = {}
    of_pairs: list[dict[int, list[_Tested]]] = []
    sums: Sums = {}
    for a, b, names in pairs:
        groups: dict[int, list[_Tested]] = {}
        for units, tested in _to_test(a, b, names, samples, most, sums):
            tested.observed = {name: b.values[name] - a.values[name] for name in tested.names}
            groups.setdefault(units, []).append(tested)
            if not tested.heavy:
                light.setdefault(units, []).append(tested)
        of_pairs.append(groups)
    for units, group in light.items():
        by_metric = sorted(group, key=lambda each: list(each.names))
        _draw(units, by_metric, max(each.most for each in group), samples, seed)
    by_pair = []
    while of_pairs:
        groups = of_pairs.pop(0)
        counts: dict[str, PermutationCount] = {}
        for units, group in groups.items():
            heavy = [each for each in group if each.heavy]
            _draw(units, heavy, max(each.most for each in group), samples, seed)
            counts |= {
                name: PermutationCount(
                    each.extreme[name], each.drawn[name], is_exhaustive(units), each.largest[name][1]
                )
                for each in group
                for name in each.names
            }
        by_pair.append(counts)
    return by_pair


def _draw(units: int, tested: Sequence[_Tested], most: int, samples: int | None, seed: int) -> None:
    """Draw permutations until every test has enough."""
    active, drawn = tested, 0
    for swaps in _blocks(permutation_blocks(units, most, seed), units, tested) if tested else ():
        for _, group in groupby(active, key=lambda each: each.names):
            some = list(group)
            swaps.move_together([rows for each in some for rows in each.sums])
            for each in some:
                each.take(swaps)
            if units < MANY_UNITS:
                swaps.release()  # sums of one metric are not reused by the next
        swaps.release()
        drawn += len(swaps)
        active = [each for each in active if drawn < each.most and (samples or not each.is_precise(drawn))]
        if not active:
            break


def permuted_differences(pairs: Sequence[PairMetrics], samples: int, seed: int) -> list[dict[str, Floats]]:
    """Return, for every pair and metric, the difference b - a under every permutation.

    All pairs use the same permutations, and all use a block of them before the next one is drawn.
    """
    blocks: list[dict[str, list[Floats]]] = [{name: [] for name in names} for _, _, names in pairs]
    groups: dict[int, list[tuple[int, _Tested]]] = {}
    sums: Sums = {}

    def take(units: int, group: Sequence[tuple[int, _Tested]]) -> None:
        for swaps in _blocks(_wide(units, samples, seed), units, [tested for _, tested in group]):
            for place, tested in group:
                values = tested.differences(swaps)
                for name, part in tested.names.items():
                    blocks[place][name].append(values[part])
            swaps.release()

    for place, (a, b, names) in enumerate(pairs):
        for units, tested in _to_test(a, b, names, samples, samples, sums):
            if tested.heavy:
                take(units, [(place, tested)])
            else:
                groups.setdefault(units, []).append((place, tested))
    for units, group in groups.items():
        take(units, group)
    return [{name: np.concatenate(values) for name, values in each.items()} for each in blocks]


def _wide(units: int, samples: int, seed: int) -> Iterator[Permutations]:
    """Return a fixed number of permutations, in wider blocks for very many units.

    Where drawing may stop early, blocks keep their size: the block after which it stops influences p.
    """
    blocks = permutation_blocks(units, samples, seed)
    return wide_blocks(blocks) if units >= MANY_UNITS else blocks


def _blocks(blocks: Iterator[Permutations], units: int, group: Sequence[_Tested]) -> Iterator[Permutations]:
    """Yield permutations; for very many units with the sums that they move, computed for all systems at once."""
    tables = list({id(table): table for each in group for table in each.sums}.values())
    if units < MANY_UNITS or not tables:
        yield from blocks
        return
    for swaps, sums in StackedColumns(tables).moved(blocks):
        for table, moved in zip(tables, sums, strict=True):
            swaps.know(table, moved)
        yield swaps


def _to_test(
    a: Result, b: Result, names: Iterable[str], samples: int | None, most: int, known: Sums
) -> Iterator[tuple[int, _Tested]]:
    """Yield the number of units and the test of each metric behind these scores.

    Args:
        a: A result.
        b: Another one on the same items.
        names: Scores to test.
        samples: Number of permutations, or None.
        most: Maximum number of permutations.
        known: Sums by measurement, shared between pairs and filled here.
    """
    by_measurement: dict[int, list[str]] = {}
    for name in names:
        by_measurement.setdefault(id(a.parts[name][0]), []).append(name)
    joined: dict[tuple[int, int], _BothWords] = {}  # metrics over the same words share their rows
    for group in by_measurement.values():
        mine, theirs = a.parts[group[0]][0], b.parts[group[0]][0]
        parts = {name: a.parts[name][1].name for name in group}
        for result, measurement in ((a, mine), (b, theirs)):
            if id(measurement) not in known:
                rows = unit_sums(result, measurement)
                known[id(measurement)] = None if rows is None else (rows, rows.sum(axis=0))
        of_mine, of_theirs = known[id(mine)], known[id(theirs)]
        limit = samples or max(LEAST, most)
        if of_mine is not None and of_theirs is not None and not mine.metric.own_sums:
            both, totals = zip(of_mine, of_theirs, strict=True)
            of_sums = partial(_of_sums, mine.metric, theirs.metric, *both, totals)
            yield len(both[0]), _Tested(parts, of_sums, limit, sums=both)
        elif mine.metric.interdependent:
            moved = {parts[n]: b.contributions[n] - a.contributions[n] for n in group if _both_have(a, b, n)}
            units = len(next(iter(moved.values()))) if moved else 1
            yield units, _Tested(parts, partial(_of_contributions, moved, list(parts.values())), limit)
        else:
            key = id(mine.rows), id(theirs.rows)
            if key not in joined:
                joined[key] = _BothWords(mine.rows, theirs.rows)
            of_words = partial(_of_words, mine.metric, joined[key], a)
            yield a.units, _Tested(parts, of_words, samples or max(LEAST, min(most, MOST_OF_WORDS)), heavy=True)


def _both_have(a: Result, b: Result, name: str) -> bool:
    return name in a.contributions and name in b.contributions


def _of_sums(
    metric_a: Metric, metric_b: Metric, a: Floats, b: Floats, totals: tuple[Floats, Floats], swaps: Permutations
) -> Values:
    """Return differences of metrics computed from sums: swapping a unit moves its row from one sum to the other."""
    moved = swaps.moved_between(a, b)
    if metric_a == metric_b:  # both in one call
        count, width = moved.shape
        sums = np.empty((width, 2 * count)).T  # contiguous columns, like `moved`
        np.add(totals[0], moved, out=sums[:count])
        np.subtract(totals[1], moved, out=sums[count:])
        return {part: values[count:] - values[:count] for part, values in metric_a.values(sums).items()}
    of_a, of_b = metric_a.values(totals[0] + moved), metric_b.values(totals[1] - moved)
    return {part: of_b[part] - of_a[part] for part in of_a if part in of_b}


def _of_contributions(moved: dict[str, Floats], parts: list[str], swaps: Permutations) -> Values:
    """Return differences of metrics whose items depend on each other: contributions are swapped, not items."""
    missing = np.full(len(swaps), np.nan)
    values = {part: units.mean() - 2 * swaps.moved(units[:, None])[:, 0] / len(units) for part, units in moved.items()}
    return {part: values.get(part, missing) for part in parts}


@dataclass
class _BothWords:
    """The rows of both systems, concatenated on first use to save memory."""

    a: Rows
    b: Rows

    @cached_property
    def rows(self) -> Rows:
        return concat([self.a, self.b])


def _of_words(metric: Metric, both: _BothWords, of: Result, swaps: Permutations) -> Values:
    """Return differences of metrics over words, counted again for each side."""
    first, second = (metric.fold(both.rows, draws) for draws in swaps.resamples(of.n, of.codes))
    return {part: second[part] - first[part] for part in first}
