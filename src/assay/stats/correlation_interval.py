"""Intervals of correlations at every level, by drawing systems, inputs, both or texts anew.

Draws are read on Fisher's scale and moved so that their middle is the estimate: resampled correlations are lower than
the estimate because every draw adds noise once more, which says nothing about where the estimate lies.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.correlation import Method
from assay.stats.crossed import (
    Copies,
    Crossed,
    Level,
    Unit,
    correlations,
    of_system_means,
    resample_units,
    system_means,
)
from assay.stats.distributions import t_quantile
from assay.stats.interval import LEVEL, MIN_RESAMPLES
from assay.stats.uncertainty import Interval
from assay.stats.validation import UndefinedStatistic, finite_pair

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Values = NDArray[np.float64]

FEWEST_UNITS = 8
"""Systems, inputs or texts from which on an interval over them is given."""
FEWEST_MEANS = 5
"""Systems from which on the correlation of their means has an interval, even if they stay."""


def correlation_interval(
    x: ArrayLike,
    y: ArrayLike,
    estimate: float,
    table: Crossed,
    level: Level = "global",
    method: Method = "pearson",
    unit: Unit = "texts",
    samples: int = 1000,
    seed: int = 0,
) -> Interval:
    """95 % interval of a correlation (`estimate`) for other systems, inputs, both or texts.

    For other inputs the systems stay as they are; their means are drawn towards what they would be without the noise
    of the inputs first, since every draw of inputs puts that noise on top again.
    """
    a, b = finite_pair(x, y, 3)
    few = [name for name in units_of(unit) if table.units(name) < FEWEST_UNITS]
    if few:
        number = table.units(few[0])
        raise UndefinedStatistic(
            f"{number} {few[0]} are too few for an interval over {few[0]}; {FEWEST_UNITS} at least"
        )
    if level == "system" and table.units("systems") < FEWEST_MEANS:
        number = table.units("systems")
        raise UndefinedStatistic(
            f"{number} systems are too few for an interval of their correlation; {FEWEST_MEANS} at least"
        )
    if level == "system" and unit in ("inputs", "texts"):
        drawn = _other_inputs(a, b, table, method, unit, samples, seed)
    else:
        blocks = resample_units(table, unit, samples, seed)
        drawn = np.concatenate([correlations(a, b, table, level, method, copies) for copies in blocks])
    counted = table.units("systems" if level == "system" else unit)
    if level == "system" and unit == "inputs" and np.all(drawn == drawn[0]):
        return Interval(estimate, estimate, samples, seed)  # no other inputs would change the order of these systems
    wider = unit != "both" and (method == "pearson" or unit != "systems")  # where plain draws are too narrow
    return recentred(estimate, drawn, method, counted, wider=wider, seed=seed)


def units_of(unit: Unit) -> tuple[Unit, ...]:
    return ("systems", "inputs") if unit == "both" else (unit,)


def recentred(
    estimate: float, drawn: ArrayLike, method: Method, units: int, *, wider: bool = True, seed: int = 0
) -> Interval:
    """The central 95 % of drawn correlations, moved on Fisher's scale until their median is the estimate.

    `wider` stretches it as Student's t is wider than the normal distribution, for the units that were drawn.
    """
    values: Values = np.asarray(drawn, dtype=np.float64)
    known = values[~np.isnan(values)]
    undefined = len(values) - len(known)
    if len(known) < MIN_RESAMPLES or undefined > len(values) / 2:
        raise UndefinedStatistic(f"{undefined} of {len(values)} resamples have no value, so there is no interval")
    most = _most(method, units)
    z = np.arctanh(np.clip(known, -most, most))
    tail = (1 - LEVEL) / 2
    low, middle, high = np.quantile(z, [tail, 0.5, 1 - tail])
    if high - low < 1e-9:
        raise UndefinedStatistic(f"every resample gives {estimate:.3f}, so resampling cannot say how sure that is")
    stretch = t_quantile(1 - tail, units - 2) / t_quantile(1 - tail, 1e6) if wider else 1.0
    centre = math.atanh(max(-most, min(most, estimate)))
    ends = [math.tanh(centre + stretch * (end - middle)) for end in (low, high)]
    return Interval(min(ends[0], estimate), max(ends[1], estimate), len(values), seed, undefined)


def _most(method: Method, units: int) -> float:
    """What a perfect order counts as, so that Fisher's scale has an end: half a step below 1 for ranks."""
    if method == "pearson":
        return 1 - 1e-9
    return 1 - (6 / (units * (units**2 - 1)) if method == "spearman" else 2 / (units * (units - 1)))


def _other_inputs(a: Values, b: Values, table: Crossed, method: Method, unit: Unit, samples: int, seed: int) -> Values:
    """Correlations of system means over other inputs."""
    whole = Copies()
    observed = np.stack([system_means(column, table, whole)[0] for column in (a, b)])
    moved = [
        np.stack([system_means(column, table, copies) for column in (a, b)])
        for copies in resample_units(table, unit, samples, seed)
    ]
    noise = np.concatenate(moved, axis=1) - observed[:, None, :]
    quiet = without_noise(observed, noise)
    return of_system_means(quiet[0] + noise[0], quiet[1] + noise[1], table, whole, method)


def without_noise(means: Values, noise: Values) -> Values:
    """Two columns of means, shrunk so that adding `noise` (2 x draws x systems) gives back their covariance.

    What moves all systems alike moves no correlation and is left out of the noise.
    """
    systems = means.shape[1]
    apart = noise - np.nanmean(noise, axis=2, keepdims=True)
    apart = np.nan_to_num(apart)
    added = np.einsum("adi,bdi->ab", apart, apart) / (noise.shape[1] * (systems - 1))
    away = means - means.mean(axis=1, keepdims=True)
    spread, axes = np.linalg.eigh(away @ away.T / (systems - 1))
    spread = np.maximum(spread, 1e-12 * max(float(spread.max()), 1e-300))
    root, inverse = (axes * np.sqrt(spread)) @ axes.T, (axes / np.sqrt(spread)) @ axes.T
    share, turns = np.linalg.eigh(inverse @ added @ inverse)
    shrink = root @ ((turns * np.sqrt(np.clip(1 - share, 0.0, 1.0))) @ turns.T) @ inverse
    return np.asarray(shrink @ away)
