"""The paired permutation test: how often swapping two systems' outputs, item by item, gives as large a difference."""

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
"""So many swaps are always drawn."""
ENOUGH = 100
"""With so many swaps as extreme as what was observed, p is known to a tenth of itself, and drawing stops."""
MOST_OF_WORDS = 5000
"""Swaps of metrics over words, each of which counts all words again."""

Gaps: TypeAlias = "Callable[[Permutations], Values]"
Asking: TypeAlias = "tuple[Result, Result, Sequence[str]]"
"""Two systems, and the numbers that are compared."""
Sums: TypeAlias = "dict[int, tuple[Floats, Floats] | None]"
"""By the id of a measurement, what `unit_sums` gave, the same array for every pair, and the sum of its rows."""


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
    """What is added up for either system, where that is how the metric is made."""
    observed: dict[str, float] = field(default_factory=dict)
    extreme: dict[str, int] = field(default_factory=dict)
    drawn: dict[str, int] = field(default_factory=dict)

    def take(self, swaps: Permutations) -> None:
        values = self.gaps(swaps)
        for name, part in self.names.items():
            known = values[part][~np.isnan(values[part])]
            self.extreme[name] = self.extreme.get(name, 0) + count_extreme(known, self.observed[name])
            self.drawn[name] = self.drawn.get(name, 0) + len(known)

    def known_well(self, drawn: int) -> bool:
        return drawn >= LEAST and min(self.extreme.values()) >= ENOUGH


def swap_systems(pairs: Sequence[Asking], samples: int | None, most: int, seed: int) -> list[dict[str, Swapped]]:
    """Of every two systems the count for each of their numbers. `samples` swaps are drawn for each; None draws until p
    is known well, `most` at most.

    The swap that changes nothing gives the observed difference for every metric, so p is never below one over the
    number of swaps. The swaps are the same for all pairs, so that a system's rows are moved once however many others it
    is compared with.
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
    found = []
    while of_pairs:
        groups = of_pairs.pop(0)
        counts: dict[str, Swapped] = {}
        for units, group in groups.items():
            heavy = [each for each in group if each.heavy]
            _draw(units, heavy, max(each.most for each in group), samples, seed)
            counts |= {
                name: Swapped(each.extreme[name], each.drawn[name], is_exhaustive(units))
                for each in group
                for name in each.names
            }
        found.append(counts)
    return found


def _draw(units: int, tested: Sequence[_Tested], most: int, samples: int | None, seed: int) -> None:
    """Swap until every test has what it wants."""
    active, drawn = tested, 0
    for swaps in _blocks(permutation_blocks(units, most, seed), units, tested) if tested else ():
        for _, group in groupby(active, key=lambda each: each.names):
            some = list(group)
            swaps.move_together([rows for each in some for rows in each.sums])
            for each in some:
                each.take(swaps)
            if units < MANY_UNITS:
                swaps.release()  # what was moved of one metric's rows is of no use to the next
        swaps.release()
        drawn += len(swaps)
        active = [each for each in active if drawn < each.most and (samples or not each.known_well(drawn))]
        if not active:
            break


def swapped_gaps(pairs: Sequence[Asking], samples: int, seed: int) -> list[dict[str, Floats]]:
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


def _wide(units: int, samples: int, seed: int) -> Iterator[Permutations]:
    """Swaps all of which are drawn: of very many units more at a time. Where drawing may stop, blocks stay as they are:
    after which of them it does is part of p."""
    blocks = permutation_blocks(units, samples, seed)
    return wide_blocks(blocks) if units >= MANY_UNITS else blocks


def _blocks(blocks: Iterator[Permutations], units: int, group: Sequence[_Tested]) -> Iterator[Permutations]:
    """The swaps; of very many units with what each moves of every system, found for all systems at once."""
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
    """Each metric of these numbers, and the number of units that it may swap. `known`: sums that pairs share."""
    by_measurement: dict[int, list[str]] = {}
    for name in names:
        by_measurement.setdefault(id(a.parts[name][0]), []).append(name)
    joined: dict[tuple[int, int], _BothWords] = {}  # metrics over the same words count them together
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
            gaps = partial(_of_words, mine.metric, joined[key], a)
            yield a.units, _Tested(parts, gaps, samples or max(LEAST, min(most, MOST_OF_WORDS)), heavy=True)


def _both_have(a: Result, b: Result, name: str) -> bool:
    return name in a.contributions and name in b.contributions


def _of_sums(
    metric_a: Metric, metric_b: Metric, a: Floats, b: Floats, totals: tuple[Floats, Floats], swaps: Permutations
) -> Values:
    """Swapping a unit moves its row from one sum to the other."""
    moved = swaps.moved_between(a, b)
    if metric_a == metric_b:  # both at once: half the calls
        count, width = moved.shape
        sums = np.empty((width, 2 * count)).T  # each column in one piece, as what is moved
        np.add(totals[0], moved, out=sums[:count])
        np.subtract(totals[1], moved, out=sums[count:])
        return {part: values[count:] - values[:count] for part, values in metric_a.values(sums).items()}
    of_a, of_b = metric_a.values(totals[0] + moved), metric_b.values(totals[1] - moved)
    return {part: of_b[part] - of_a[part] for part in of_a if part in of_b}


def _of_contributions(moved: dict[str, Floats], parts: list[str], swaps: Permutations) -> Values:
    """Items that depend on each other are not moved; what they contribute changes its side."""
    nothing = np.full(len(swaps), np.nan)
    gaps = {part: units.mean() - 2 * swaps.moved(units[:, None])[:, 0] / len(units) for part, units in moved.items()}
    return {part: gaps.get(part, nothing) for part in parts}


@dataclass
class _BothWords:
    """The rows of both systems, put one after the other once they are asked for: they take room."""

    a: Rows
    b: Rows

    @cached_property
    def rows(self) -> Rows:
        return concat([self.a, self.b])


def _of_words(metric: Metric, both: _BothWords, of: Result, swaps: Permutations) -> Values:
    """The words of both systems are counted for each side."""
    first, second = (metric.fold(both.rows, resamples) for resamples in swaps.resamples(of.n, of.codes))
    return {part: second[part] - first[part] for part in first}
