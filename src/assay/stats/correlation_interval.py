"""Confidence intervals of correlations at every level, by resampling systems, inputs, both or texts.

Resampled correlations are transformed to Fisher's z and shifted so that their median is the estimate: they are lower
than the estimate because each resample adds noise again.
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
"""Smallest number of systems, inputs or texts that are resampled."""
FEWEST_MEANS = 5
"""Smallest number of systems for an interval of the system-level correlation, also if they are not resampled."""


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
) -> tuple[Interval, float]:
    """Return the 95 % confidence interval of a correlation (`estimate`) for other systems, inputs, both or texts, and
    the p of a correlation of 0 from the same resamples.

    If inputs are resampled at the system level, the means of the systems are shrunk first to remove the noise of the
    inputs, because each resample adds that noise again.
    """
    a, b = finite_pair(x, y, 3)
    few = [name for name in units_of(unit) if table.units(name) < FEWEST_UNITS]
    if few:
        number = table.units(few[0])
        raise UndefinedStatistic(
            f"{number} {few[0]} are too few for an interval over {few[0]}; at least {FEWEST_UNITS} are needed"
        )
    if level == "system" and table.units("systems") < FEWEST_MEANS:
        number = table.units("systems")
        raise UndefinedStatistic(
            f"{number} systems are too few for an interval of their correlation; at least {FEWEST_MEANS} are needed"
        )
    if level == "system" and unit in ("inputs", "texts"):
        resampled = _other_inputs(a, b, table, method, unit, samples, seed)
    else:
        blocks = resample_units(table, unit, samples, seed)
        resampled = np.concatenate([correlations(a, b, table, level, method, copies) for copies in blocks])
    counted = table.units("systems" if level == "system" else unit)
    if level == "system" and unit == "inputs" and np.all(resampled == resampled[0]):
        # no other inputs would change the order of these systems
        return Interval(estimate, estimate, samples, seed), 1.0 if estimate == 0 else 1 / samples
    wider = unit != "both" and (method == "pearson" or unit != "systems")  # where percentiles are too narrow
    interval = recentred(estimate, resampled, method, counted, wider=wider, seed=seed)
    return interval, recentred_p(estimate, resampled, method, counted, wider=wider)


def units_of(unit: Unit) -> tuple[Unit, ...]:
    return ("systems", "inputs") if unit == "both" else (unit,)


def recentred(
    estimate: float, resampled: ArrayLike, method: Method, units: int, *, wider: bool = True, seed: int = 0
) -> Interval:
    """Return the central 95 % of resampled correlations, shifted on Fisher's scale to have the estimate as median.

    `wider` expands it by the ratio of Student's t to the normal distribution, for the number of resampled units.
    """
    values: Values = np.asarray(resampled, dtype=np.float64)
    known = values[~np.isnan(values)]
    undefined = len(values) - len(known)
    if len(known) < MIN_RESAMPLES or undefined > len(values) / 2:
        raise UndefinedStatistic(f"{undefined} of {len(values)} resamples have no value, so there is no interval")
    z, centre, stretch = _on_fishers_scale(estimate, known, method, units, wider)
    tail = (1 - LEVEL) / 2
    low, middle, high = np.quantile(z, [tail, 0.5, 1 - tail])
    if high - low < 1e-9:
        raise UndefinedStatistic(f"all resamples are {estimate:.3f}, so there is no interval")
    ends = [math.tanh(centre + stretch * (end - middle)) for end in (low, high)]
    return Interval(min(ends[0], estimate), max(ends[1], estimate), len(values), seed, undefined)


def recentred_p(estimate: float, resampled: ArrayLike, method: Method, units: int, *, wider: bool = True) -> float:
    """Return the two-sided p of a correlation of 0 from the distribution of `recentred`.

    It is below .05 if and only if the 95 % interval excludes 0.
    """
    values: Values = np.asarray(resampled, dtype=np.float64)
    z, centre, stretch = _on_fishers_scale(estimate, values[~np.isnan(values)], method, units, wider)
    shifted = np.sort(centre + stretch * (z - np.median(z)))
    below = float(np.interp(0.0, shifted, np.linspace(0, 1, len(shifted)), left=0.0, right=1.0))
    return max(2 * min(below, 1 - below), 1 / len(shifted))


def _on_fishers_scale(
    estimate: float, known: Values, method: Method, units: int, wider: bool
) -> tuple[Values, float, float]:
    """Return resampled correlations and the estimate on Fisher's scale, and the factor that expands them."""
    most = largest_correlation(method, units)
    tail = (1 - LEVEL) / 2
    stretch = t_quantile(1 - tail, units - 2) / t_quantile(1 - tail, 1e6) if wider else 1.0
    return np.arctanh(np.clip(known, -most, most)), math.atanh(max(-most, min(most, estimate))), stretch


def largest_correlation(method: Method, units: int) -> float:
    """Return the largest correlation on Fisher's scale, which is infinite at 1: half a step below 1 for ranks."""
    if method == "pearson":
        return 1 - 1e-9
    return 1 - (6 / (units * (units**2 - 1)) if method == "spearman" else 2 / (units * (units - 1)))


def _other_inputs(a: Values, b: Values, table: Crossed, method: Method, unit: Unit, samples: int, seed: int) -> Values:
    """Return correlations of system means over resampled inputs or texts."""
    whole = Copies()
    observed = np.stack([system_means(column, table, whole)[0] for column in (a, b)])
    resampled = [
        np.stack([system_means(column, table, copies) for column in (a, b)])
        for copies in resample_units(table, unit, samples, seed)
    ]
    noise = np.concatenate(resampled, axis=1) - observed[:, None, :]
    quiet = without_noise(observed, noise)
    return of_system_means(quiet[0] + noise[0], quiet[1] + noise[1], table, whole, method)


def without_noise(means: Values, noise: Values) -> Values:
    """Return two columns of means, shrunk so that adding `noise` (2 x resamples x systems) restores their covariance.

    Noise that is common to all systems does not change a correlation and is left out.
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
