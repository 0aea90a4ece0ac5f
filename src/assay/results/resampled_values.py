"""Resampled values of scores, from which confidence intervals are computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.progress import track
from assay.stats.interval import expansion
from assay.stats.resample import bootstrap, halves, subsample_scale, subsamples

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.measurement import Measurement
    from assay.results.result import Result


def resampled_values(result: Result, samples: int, seed: int) -> dict[str, Floats]:
    """Return resampled values of every metric, slightly expanded if independent items are few.

    Most metrics use bootstrap resamples. Metrics that repeated items would distort use subsamples without replacement,
    scaled by the growth of the metric with the number of items. Self-BLEU resamples the contributions of items.
    """
    linear = [m for m in result.measurements if m.metric.interdependent]
    words = [m for m in result.measurements if m not in linear and m.metric.summands(m.rows) is None]
    plain = [m for m in result.measurements if m not in linear and m not in words]
    drawn = result.fold(track(bootstrap(result.n, samples, seed, result.codes), "resampling"), plain)
    drawn |= _subsampled(result, [m for m in words if not m.metric.ordered], samples, seed)
    drawn |= _of_halves(result, [m for m in words if m.metric.ordered], samples, seed)
    drawn |= _of_contributions(result, linear, samples, seed)
    wider = expansion(result.units)
    shares = {
        name for name, (measurement, part) in result.parts.items() if measurement in words and part.bounds == (0, 1)
    }
    values = {}
    for name, each in drawn.items():
        value, deviations = result.values[name], (each - result.values[name]) * wider
        moved = _add_on_log_odds(value, deviations) if name in shares else value + deviations
        values[name] = np.clip(moved, *result.parts[name][1].bounds)
    return values


def _add_on_log_odds(share: float, deviations: Floats) -> Floats:
    """Return a share plus deviations on the log-odds scale: near 0 and 1 deviations are one-sided."""
    if not 0 < share < 1:
        return share + deviations
    with np.errstate(over="ignore"):
        odds = share / (1 - share) * np.exp(deviations / (share * (1 - share)))
    return np.where(np.isinf(odds), 1.0, odds / (1 + odds))


def _subsampled(result: Result, words: Sequence[Measurement], samples: int, seed: int) -> dict[str, Floats]:
    drawn: dict[str, Floats] = {}
    for share in dict.fromkeys(m.metric.subsampled for m in words):
        blocks = track(subsamples(result.n, samples, seed, share, result.codes), "resampling")
        scale = subsample_scale(result.units, share)
        for name, values in result.fold(blocks, [m for m in words if m.metric.subsampled == share]).items():
            known = values[~np.isnan(values)]
            centre = known.mean() if len(known) else np.nan
            # Numbers of types grow with the text and their ratios fall; deviations scale accordingly.
            growth = abs(result.values[name] / centre) if centre else 1.0
            drawn[name] = result.values[name] + (values - centre) * scale * growth
    return drawn


def _of_halves(result: Result, ordered: Sequence[Measurement], samples: int, seed: int) -> dict[str, Floats]:
    """Compare random halves with each other: in ordered metrics, leaving out an item changes all later ones, so a
    subsample is not just a smaller sample."""
    pairs = (samples + 1) // 2
    one, other = (
        result.fold(track(halves(result.n, pairs, seed, side, result.codes), "resampling"), ordered)
        for side in (False, True)
    )
    apart = {name: (one[name] - other[name]) / 2 for name in one}
    return {name: result.values[name] + np.concatenate([half, -half])[:samples] for name, half in apart.items()}


def _of_contributions(result: Result, linear: Sequence[Measurement], samples: int, seed: int) -> dict[str, Floats]:
    drawn: dict[str, Floats] = {}
    for name in (name for name, (measurement, _) in result.parts.items() if measurement in linear):
        units = result.contributions.get(name)
        if units is None:
            drawn[name] = np.full(samples, np.nan)
            continue
        blocks = bootstrap(len(units), samples, seed)
        drawn[name] = np.concatenate([resamples.sums(units[:, None])[:, 0] / len(units) for resamples in blocks])
    return drawn
