"""The paired permutation test: how often swapping two systems' outputs, item by item, gives as large a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from assay.metrics.statistics import concat
from assay.results.contributions import unit_sums
from assay.stats.big_blocks import BIG, StackedColumns, wide_blocks
from assay.stats.paired import count_extreme
from assay.stats.resample import Swaps, all_swaps, swap_blocks

if TYPE_CHECKING:
    from assay.metrics.base import Metric, Values
    from assay.metrics.statistics import Floats, Rows
    from assay.results.result import Result

LEAST = 1000
"""So many swaps are always drawn."""
ENOUGH = 100
"""With so many swaps as extreme as what was observed, p is known to a tenth of itself, and drawing stops."""
MOST_OF_WORDS = 5000
"""Swaps of metrics over words, each of which counts all words again."""

Gaps: TypeAlias = "Callable[[Swaps], Values]"
Sums: TypeAlias = "dict[int, Floats | None]"
"""By the id of a measurement, what `unit_sums` gave: the same array for every pair."""


class Swapped(NamedTuple):
    """How many swaps were drawn, and how many differences were at least as large as the one observed."""

    extreme: int
    drawn: int
    exact: bool


@dataclass
class _Tested:
    """One metric of two systems while swaps are drawn."""

    names: dict[str, str]
    """The names of the numbers, and of the parts they are."""
    gaps: Gaps
    most: int
    heavy: bool = False
    """Whether it holds the words of both systems: not to be kept beside those of other pairs."""
    sums: tuple[Floats, ...] = ()
    """What is moved between the two, where that is sums."""
    extreme: Counter[str] = field(default_factory=Counter)
    drawn: Counter[str] = field(default_factory=Counter)

    def take(self, swaps: Swaps, observed: dict[str, float]) -> None:
        values = self.gaps(swaps)
        for name, part in self.names.items():
            known = values[part][~np.isnan(values[part])]
            self.extreme[name] += count_extreme(known, observed[name])
            self.drawn[name] += len(known)

    def known_well(self, drawn: int) -> bool:
        return drawn >= LEAST and min(self.extreme[name] for name in self.names) >= ENOUGH


def swap_systems(
    a: Result, b: Result, names: Iterable[str], samples: int | None, most: int, seed: int
) -> dict[str, Swapped]:
    """The count for each number. `samples` swaps are drawn for each; None draws until p is known well, `most` at most.

    The swap that changes nothing gives the observed difference for every metric, so p is never below one over the
    number of swaps.
    """
    observed = {name: b.values[name] - a.values[name] for name in names}
    groups: dict[int, list[_Tested]] = {}
    for units, tested in _to_test(a, b, observed, samples, most):
        groups.setdefault(units, []).append(tested)
    found: dict[str, Swapped] = {}
    for units, group in groups.items():
        active, drawn = group, 0
        for swaps in _blocks(swap_blocks(units, max(each.most for each in group), seed), units, group):
            for each in active:
                each.take(swaps, observed)
            swaps.release()
            drawn += len(swaps)
            active = [each for each in active if drawn < each.most and (samples or not each.known_well(drawn))]
            if not active:
                break
        exact = all_swaps(units)
        found |= {name: Swapped(each.extreme[name], each.drawn[name], exact) for each in group for name in each.names}
    return found


def swapped_gaps(
    pairs: Sequence[tuple[Result, Result, Sequence[str]]], samples: int, seed: int
) -> list[dict[str, Floats]]:
    """For two systems and their numbers, each: the difference b - a of every number under every swap.

    The swaps are the same for all, and each block of them is used by all before the next is drawn.
    """
    found: list[dict[str, list[Floats]]] = [{name: [] for name in names} for _, _, names in pairs]
    groups: dict[int, list[tuple[int, _Tested]]] = {}
    sums: Sums = {}

    def take(units: int, group: Sequence[tuple[int, _Tested]]) -> None:
        for swaps in _blocks(_wide(units, samples, seed), units, [tested for _, tested in group]):
            for place, tested in group:
                values = tested.gaps(swaps)
                for name, part in tested.names.items():
                    found[place][name].append(values[part])
            swaps.release()

    for place, (a, b, names) in enumerate(pairs):
        for units, tested in _to_test(a, b, names, samples, samples, sums):
            if tested.heavy:
                take(units, [(place, tested)])
            else:
                groups.setdefault(units, []).append((place, tested))
    for units, group in groups.items():
        take(units, group)
    return [{name: np.concatenate(gaps) for name, gaps in each.items()} for each in found]


def _wide(units: int, samples: int, seed: int) -> Iterator[Swaps]:
    """Swaps all of which are drawn: of very many units more at a time. Where drawing may stop, blocks stay as they are:
    after which of them it does is part of p."""
    blocks = swap_blocks(units, samples, seed)
    return wide_blocks(blocks) if units >= BIG else blocks


def _blocks(blocks: Iterator[Swaps], units: int, group: Sequence[_Tested]) -> Iterator[Swaps]:
    """The swaps; of very many units with what each moves of every system, found for all systems at once."""
    tables = list({id(table): table for each in group for table in each.sums}.values())
    if units < BIG or not tables:
        yield from blocks
        return
    stacked = StackedColumns(tables)
    for swaps in blocks:
        for table, moved in zip(tables, stacked.sums(swaps.block), strict=True):
            swaps.know(table, moved)
        yield swaps


def _to_test(
    a: Result, b: Result, names: Iterable[str], samples: int | None, most: int, known: Sums | None = None
) -> Iterator[tuple[int, _Tested]]:
    """Each metric of these numbers, and the number of units that it may swap. `known`: sums that pairs share."""
    known = {} if known is None else known
    by_measurement: dict[int, list[str]] = {}
    for name in names:
        by_measurement.setdefault(id(a.parts[name][0]), []).append(name)
    joined: dict[tuple[int, int], Rows] = {}  # metrics over the same words count them together
    for group in by_measurement.values():
        mine, theirs = a.parts[group[0]][0], b.parts[group[0]][0]
        parts = {name: a.parts[name][1].name for name in group}
        for result, measurement in ((a, mine), (b, theirs)):
            if id(measurement) not in known:
                known[id(measurement)] = unit_sums(result, measurement)
        sums = known[id(mine)], known[id(theirs)]
        limit = samples or max(LEAST, most)
        if sums[0] is not None and sums[1] is not None and not mine.metric.own_sums:
            totals = sums[0].sum(axis=0), sums[1].sum(axis=0)
            gaps = partial(_of_sums, mine.metric, theirs.metric, sums[0], sums[1], totals)
            yield len(sums[0]), _Tested(parts, gaps, limit, sums=(sums[0], sums[1]))
        elif mine.metric.interdependent:
            moved = {parts[n]: b.contributions[n] - a.contributions[n] for n in group if _both_have(a, b, n)}
            units = len(next(iter(moved.values()))) if moved else 1
            yield units, _Tested(parts, partial(_of_contributions, moved, list(parts.values())), limit)
        else:
            key = id(mine.rows), id(theirs.rows)
            if key not in joined:
                joined[key] = concat([mine.rows, theirs.rows])
            of_words = partial(_of_words, mine.metric, joined[key], a)
            yield a.units, _Tested(parts, of_words, samples or max(LEAST, min(most, MOST_OF_WORDS)), heavy=True)


def _both_have(a: Result, b: Result, name: str) -> bool:
    return name in a.contributions and name in b.contributions


def _of_sums(
    metric_a: Metric, metric_b: Metric, a: Floats, b: Floats, totals: tuple[Floats, Floats], swaps: Swaps
) -> Values:
    """Swapping a unit moves its row from one sum to the other."""
    moved = swaps.moved_between(a, b)
    of_a, of_b = metric_a.values(totals[0] + moved), metric_b.values(totals[1] - moved)
    return {part: of_b[part] - of_a[part] for part in of_a if part in of_b}


def _of_contributions(moved: dict[str, Floats], parts: list[str], swaps: Swaps) -> Values:
    """Items that depend on each other are not moved; what they contribute changes its side."""
    nothing = np.full(len(swaps), np.nan)
    gaps = {part: units.mean() - 2 * swaps.moved(units[:, None])[:, 0] / len(units) for part, units in moved.items()}
    return {part: gaps.get(part, nothing) for part in parts}


def _of_words(metric: Metric, both: Rows, of: Result, swaps: Swaps) -> Values:
    """The words of both systems, put one after the other, are counted for each side."""
    first, second = (metric.fold(both, draws) for draws in swaps.draws(of.n, of.codes))
    return {part: second[part] - first[part] for part in first}
