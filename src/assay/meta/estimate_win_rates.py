"""How often annotators rate one system above another, from few judgements and proxy scores of all outputs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from assay.errors import UsageError
from assay.meta.estimate_differences import ROUNDING
from assay.records.types import Judgement
from assay.stats.interval import rate_interval
from assay.stats.prediction_powered import Judged, Population, estimate_means

FEWEST_PAIRS = 10
"""Inputs judged for both systems below which there is no win rate."""


class WinRate(TypedDict):
    """How often annotators rate the output of `a` above that of `b`, ties divided."""

    a: str
    b: str
    value: float
    low: float
    high: float
    items: int
    worth: float | None


def win_rates(
    names: Sequence[str], outputs: Sequence[tuple[str, str]], population: Population, rows: Sequence[Judgement]
) -> tuple[list[WinRate], list[str]]:
    """Return the win rates of all pairs. The proxies of a pair are the differences of the proxies and their signs.

    Args:
        names: Systems.
        outputs: Id and system of each row of the population.
        population: All outputs; probabilities and strata must be the same for all systems of an input.
        rows: Judgements.
    """
    place = {pair: row for row, pair in enumerate(outputs)}
    by_annotator = {(row.id, row.system, row.annotator): float(row.value) for row in rows}
    wins: list[WinRate] = []
    missing = []
    for a, b in combinations(names, 2):
        ids = [id for id in dict.fromkeys(id for id, _ in outputs) if (id, a) in place and (id, b) in place]
        number = {id: place for place, id in enumerate(ids)}
        won = [
            (number[id], float(np.sign(value - by_annotator[id, b, who]) + 1) / 2)
            for (id, system, who), value in by_annotator.items()
            if system == a and (id, b, who) in by_annotator
        ]
        items = len({item for item, _ in won})
        if items < FEWEST_PAIRS:
            missing.append(f"{a} and {b}")
            continue
        first, second = (np.array([place[id, name] for id in ids]) for name in (a, b))
        apart = population.proxies[first] - population.proxies[second]
        drawn = _common(population.probability, first, second, "--probability")
        stratum = _common(population.stratum, first, second, "--stratum")
        judged = Judged(np.array([item for item, _ in won], dtype=np.int64), np.array([value for _, value in won]))
        one, each = np.zeros(len(ids), dtype=np.int64), np.arange(len(ids))
        both = np.column_stack([apart, np.sign(apart)])
        mean = estimate_means(Population(both, one, each, drawn, stratum), judged).mean(0)
        plain = estimate_means(Population(both[:, :0], one, each, drawn, stratum), judged).mean(0)
        if plain.error <= ROUNDING:
            value, size, ratio = plain.value, float(items), None
        else:
            value, ratio = min(1.0, max(0.0, mean.value)), (mean.error / plain.error) ** 2
            size = plain.value * (1 - plain.value) / plain.error**2 / ratio
        low, high = rate_interval(value, size, mean.df)
        worth = None if ratio is None else items / ratio
        wins.append({"a": a, "b": b, "value": value, "low": low, "high": high, "items": items, "worth": worth})
    few = f"fewer than {FEWEST_PAIRS} inputs judged for both by one annotator"
    pairs = len(names) * (len(names) - 1) // 2
    notes = [f"no win rate for {len(missing)} of {pairs} pairs (first {missing[0]}): {few}"] if missing else []
    return wins, notes


def _common(column: Any, first: NDArray[np.int64], second: NDArray[np.int64], option: str) -> Any:
    """Return the values of inputs, which both of their outputs must have: win rates are about inputs."""
    if column is None:
        return None
    if (column[first] != column[second]).any():
        raise UsageError(
            f"--win-rates with {option}: the two outputs of an input have different values. Draw whole inputs."
        )
    return column[first]
