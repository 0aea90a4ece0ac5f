"""What intervals of differences are read from, or why there are none: for many pairs of systems at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.interval import too_alike, too_few
from assay.stats.pair_pivots import studentized_pairs
from assay.stats.paired import Difference
from assay.stats.pivot import Pivot, from_spread, standardised, studentized
from assay.stats.resample import Resamples, bootstrap
from assay.stats.stacked_columns import MANY_UNITS

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.result import Result

RESAMPLES = 1000
"""Of the bootstrap that gives the interval, unless another number is asked for."""
Key = tuple[int, str]
"""The place of a pair, and a number."""
Asking = tuple["Result", "Result", list[str]]
"""Two systems, and the numbers that are compared."""


def pivots_of(pairs: Sequence[Asking], samples: int, seed: int) -> list[dict[str, Difference]]:
    """Of every pair, each difference b - a with its pivot. What items contribute to all of them is resampled in one go:
    the draws are the same."""
    apart = {
        (place, name): (a.contributions[name], b.contributions[name])
        for place, (a, b, names) in enumerate(pairs)
        for name in names
        if name in a.contributions and name in b.contributions
    }
    pivots: dict[Key, Pivot | None] = {}
    for units in dict.fromkeys(len(each[0]) for each in apart.values()):
        alike = {key: each for key, each in apart.items() if len(each[0]) == units}
        pivots |= _of_contributions(alike, units, bootstrap(units, samples, seed))
    found = []
    for place, (a, b, names) in enumerate(pairs):
        rows = {}
        for name in names:
            key, difference = (place, name), b.values[name] - a.values[name]
            if key not in apart and not a.parts[name][0].metric.interdependent:
                pivots[key] = _from_words(a, b, name, samples, seed)
            gap = _gap(apart[key]) if key in apart else None
            why = no_interval(a, name, gap, pivots.get(key) is not None)
            effect = None if gap is None else standardised(gap)
            rows[name] = Difference(difference, pivot=None if why else pivots[key], effect=effect, why=why)
        found.append(rows)
    return found


def _gap(two: tuple[Floats, Floats]) -> Floats:
    return two[1] - two[0]


def _of_contributions(
    apart: Mapping[Key, tuple[Floats, Floats]], units: int, blocks: Iterable[Resamples]
) -> dict[Key, Pivot | None]:
    """From what the items of each system contribute; of very many items the differences are not held."""
    if units < MANY_UNITS:
        found = studentized(np.column_stack([_gap(two) for two in apart.values()]), (each.weights for each in blocks))
    else:
        columns = {id(column): column for two in apart.values() for column in two}
        places = {key: place for place, key in enumerate(columns)}
        asked = [(places[id(a)], places[id(b)]) for a, b in apart.values()]
        found = studentized_pairs(list(columns.values()), asked, blocks)
    return dict(zip(apart, found, strict=True))


def _from_words(a: Result, b: Result, name: str, samples: int, seed: int) -> Pivot | None:
    """Of numbers over words, whose systems are drawn together."""
    measurement = a.parts[name][0]
    if measurement.metric.summands(measurement.rows) is not None:
        return None
    spreads = [result.spread(samples, seed)[name] for result in (a, b)]
    return from_spread(b.values[name] - a.values[name], spreads[1] - spreads[0])


def no_interval(a: Result, name: str, apart: Floats | None, varies: bool) -> str | None:
    """Why there is none: too few items, too much alike, or nothing that varies."""
    what = "clusters" if a.cluster else "items"
    why = too_few(a.units, a.parts[name][0].metric.fewest, what)
    if why is None and apart is not None:
        why = too_alike(apart)
    return why or (None if varies else "no interval: nothing varies")
