"""How numbers might have come out with other items: what intervals are read from."""

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


def spread_of(result: Result, samples: int, seed: int) -> dict[str, Floats]:
    """Every number as often as there are samples, a little further apart where independent items are few.

    Bootstrap resamples; for numbers that repeated items would distort, draws of some of the items, scaled as the number
    itself grows with them; for self-BLEU, resamples of what its items contribute.
    """
    linear = [m for m in result.measurements if m.metric.interdependent]
    words = [m for m in result.measurements if m not in linear and m.metric.summands(m.rows) is None]
    plain = [m for m in result.measurements if m not in linear and m not in words]
    drawn = result.fold(track(bootstrap(result.n, samples, seed, result.codes), "resampling"), plain)
    drawn |= _of_some_items(result, [m for m in words if not m.metric.ordered], samples, seed)
    drawn |= _of_halves(result, [m for m in words if m.metric.ordered], samples, seed)
    drawn |= _of_contributions(result, linear, samples, seed)
    wider = expansion(result.units)
    shares = {
        name for name, (measurement, part) in result.parts.items() if measurement in words and part.bounds == (0, 1)
    }
    spread = {}
    for name, each in drawn.items():
        value, deviations = result.values[name], (each - result.values[name]) * wider
        moved = _on_the_odds(value, deviations) if name in shares else value + deviations
        spread[name] = np.clip(moved, *result.parts[name][1].bounds)
    return spread


def _on_the_odds(share: float, deviations: Floats) -> Floats:
    """A share and its deviations on the scale of log-odds: near 0 and 1 it can go far to one side only."""
    if not 0 < share < 1:
        return share + deviations
    with np.errstate(over="ignore"):
        odds = share / (1 - share) * np.exp(deviations / (share * (1 - share)))
    return np.where(np.isinf(odds), 1.0, odds / (1 + odds))


def _of_some_items(result: Result, words: Sequence[Measurement], samples: int, seed: int) -> dict[str, Floats]:
    drawn: dict[str, Floats] = {}
    for share in dict.fromkeys(m.metric.subsampled for m in words):
        blocks = track(subsamples(result.n, samples, seed, share, result.codes), "resampling")
        scale = subsample_scale(result.units, share)
        for name, values in result.fold(blocks, [m for m in words if m.metric.subsampled == share]).items():
            known = values[~np.isnan(values)]
            centre = known.mean() if len(known) else np.nan
            # Numbers of types grow with the text and ratios of them fall: their deviations do so with them.
            growth = abs(result.values[name] / centre) if centre else 1.0
            drawn[name] = result.values[name] + (values - centre) * scale * growth
    return drawn


def _of_halves(result: Result, ordered: Sequence[Measurement], samples: int, seed: int) -> dict[str, Floats]:
    """A half against the other half: where leaving out an item changes what is made of all later ones, a part is not
    only smaller than the whole, but put together otherwise."""
    pairs = (samples + 1) // 2
    one, other = (
        result.fold(track(halves(result.n, pairs, seed, side, result.codes), "resampling"), ordered)
        for side in (False, True)
    )
    apart = {name: (one[name] - other[name]) / 2 for name in one}
    return {name: result.values[name] + np.concatenate([gap, -gap])[:samples] for name, gap in apart.items()}


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
