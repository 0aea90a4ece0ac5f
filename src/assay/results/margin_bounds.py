"""Confidence bounds of a difference that hold at any number of items, for tests against a margin.

Each independent unit (item or cluster) has one value whose size is limited by the range of the metric. Rare failures
that no item shows are covered by the limit: with n items and none of them changed, a loss of 3 / n of the range can
still not be excluded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics.engine.base import MeanMetric
from assay.results.contributions import unit_sums
from assay.results.margins import range_of
from assay.results.verdict import LEVEL
from assay.stats.betting import betting_bounds, mean_rejected

if TYPE_CHECKING:
    from assay.metrics import Part
    from assay.metrics.engine.statistics import Floats
    from assay.results.result import Result

LEVELS = (0.001, 0.005, 0.01, 0.02, 0.03, 0.04, LEVEL, 0.1, 0.2, 0.5)
"""Levels at which margins are tested: p is the smallest of them that rejects, with all above it."""
CUSTOMARY = ((0.0, 1.0), (0.0, 100.0))
"""Ranges that scores without declared bounds are taken to have, if all their values are inside."""


class MarginUnits(NamedTuple):
    """One bounded value per independent unit; sum(values) / sum(weights) is the difference b - a."""

    values: Floats
    weights: Floats
    down: float
    """Largest possible fall, for a unit of weight 1."""
    up: float
    kind: Literal["mean", "contributions"]
    assumed: str | None = None
    """What is assumed about the range, if the metric declares none."""

    def bounds(self, level: float, at: tuple[float, ...]) -> tuple[float, float]:
        """Return bounds of the difference, each of which is wrong with probability at most `level`."""
        return betting_bounds(self.values, self.down, self.up, level, weights=self.weights, at=at)

    def p_at_most(self, value: float) -> float:
        """Return p of the hypothesis that the difference is at most `value`, rounded up to one of `LEVELS`."""
        return _p(self.values, self.weights, self.down, value)

    def p_at_least(self, value: float) -> float:
        """Return p of the hypothesis that the difference is at least `value`, rounded up to one of `LEVELS`."""
        return _p(-self.values, self.weights, self.up, -value)


def _p(values: Floats, weights: Floats, down: float, value: float) -> float:
    if value <= -down:
        return 1.0
    levels = np.array(LEVELS)
    rejected = mean_rejected(values, weights, down, np.full(len(levels), value), levels)
    accepted = np.flatnonzero(~rejected)
    first = int(accepted[-1]) + 1 if len(accepted) else 0
    if first == len(levels):
        return 1.0
    return min(LEVELS[first], LEVEL * (1 - 1e-9)) if LEVELS[first] <= LEVEL else LEVELS[first]  # p < .05 rejects at .05


def margin_units(a: Result, b: Result, name: str, seed: int = 0) -> MarginUnits | None:
    """Return the bounded differences b - a in random order; None for metrics that cannot be split by unit."""
    units = arrival_units(a, b, name) or _of_contributions(a, b, name)
    if units is None or len(units.values) != a.units:
        return None
    order = unit_order(a, seed)
    return units._replace(values=units.values[order], weights=units.weights[order])


def unit_order(result: Result, seed: int) -> NDArray[np.intp]:
    """Return a random order of units that depends on ids and seed, not on the order of a file."""
    ids = result.index.ids
    if result.codes is not None:
        smallest: dict[int, str] = {}
        for code, id in zip(result.codes.tolist(), ids, strict=True):
            smallest[code] = min(id, smallest.get(code, id))
        ids = [smallest[code] for code in range(len(smallest))]
    return np.argsort(np.array(ids), kind="stable")[np.random.default_rng(seed).permutation(len(ids))]


def assumed_of_clusters(result: Result) -> list[str]:
    """Return what bounds assume about clusters of unequal size: none that was not drawn is larger."""
    if result.codes is None:
        return []
    sizes = np.bincount(result.codes)
    least, most = int(sizes.min()), int(sizes.max())
    return [] if least == most else [f"Clusters have {least:,} to {most:,} items; none is assumed to be larger."]


def item_scores(result: Result, name: str) -> tuple[Floats, Floats] | None:
    """Return sums and counts of item scores by unit, if the metric is their mean; else None."""
    measurement, part = result.parts[name]
    metric = measurement.metric
    if not isinstance(metric, MeanMetric) or type(metric).values is not MeanMetric.values:
        return None
    sums = unit_sums(result, measurement)
    place = [each.name for each in metric.parts()].index(part.name)
    return None if sums is None else (sums[:, place], sums[:, -1])


def arrival_units(a: Result, b: Result, name: str, seed: int = 0) -> MarginUnits | None:
    """Return the differences of item scores in the order of items; None unless the metric is their mean and both
    systems have scores of the same items. The seed has no effect."""
    both = item_scores(a, name), item_scores(b, name)
    if both[0] is None or both[1] is None or not np.array_equal(both[0][1], both[1][1]):
        return None
    (old, weights), (new, _) = both[0], both[1]
    counted = weights > 0
    seen = np.concatenate([old[counted] / weights[counted], new[counted] / weights[counted]])
    width, assumed = _width(a.parts[name][1], seen, a.labels[name])
    return MarginUnits(new - old, weights, width, width, "mean", assumed)


def _of_contributions(a: Result, b: Result, name: str) -> MarginUnits | None:
    """Return the differences of contributions by leaving out, for scores of a corpus such as BLEU.

    A unit of usual size is taken to change the score by at most its range; larger changes that are seen extend it.
    """
    if name not in a.contributions or name not in b.contributions or a.parts[name][0].metric.interdependent:
        return None
    old, new = a.contributions[name], b.contributions[name]
    values = new - old
    values = values - values.mean() + (b.values[name] - a.values[name])
    sizes = np.ones(1) if a.codes is None else np.bincount(a.codes)
    width, assumed = _width(a.parts[name][1], np.concatenate([old, new]), a.labels[name])
    width *= float(sizes.max() / sizes.mean())
    down, up = max(width, -float(values.min())), max(width, float(values.max()))
    return MarginUnits(values, np.ones(len(values)), down, up, "contributions", assumed)


def _width(part: Part, seen: Floats, label: str) -> tuple[float, str | None]:
    """Return the largest change of a score, and what is assumed about it if the metric does not declare its range."""
    declared = range_of(part)
    if declared is not None and None not in part.bounds:
        return declared, None
    low, high = float(seen.min(initial=np.inf)), float(seen.max(initial=-np.inf))
    if part.bounds == (None, None):
        low, high = next((each for each in CUSTOMARY if each[0] <= low and high <= each[1]), (low, high))
    known = (
        part.bounds[0] if part.bounds[0] is not None else low,
        part.bounds[1] if part.bounds[1] is not None else high,
    )
    width = max(declared or 0.0, known[1] - known[0])
    return width, f"{label} has no fixed range: no item is assumed to change by more than {width * part.scale:.4g}."
