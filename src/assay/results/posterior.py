"""The Bayesian reading of a difference: how likely each side is better, or the two equal within a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.stats.interval import expansion
from assay.stats.resample import narrow_product

if TYPE_CHECKING:
    from assay.results.result import Result

DRAWS = 4000
Chances = tuple[float, float, float]
"""That a is better, that the two are equal within the margin, that b is better; they add up to one."""


def posterior(
    a: Result, b: Result, name: str, better: Literal["higher", "lower"] | None, margin: float | None, seed: int
) -> Chances | None:
    """From the Bayesian bootstrap (Rubin, 1981) of what the items contribute to the difference: no shape is assumed,
    and all that is known of other items is that they are like these. Deviations are widened as Student's t is wider
    than what few items show of themselves. None where contributions cannot be told, or the number only describes."""
    if better is None or name not in a.contributions or name not in b.contributions:
        return None
    apart = b.contributions[name] - a.contributions[name]
    random = np.random.default_rng(seed)
    drawn = []
    for start in range(0, DRAWS, 500):
        weights = random.standard_exponential((min(500, DRAWS - start), len(apart)))
        drawn.append(narrow_product(weights, apart[:, None])[:, 0] / weights.sum(axis=1))
    middle, units = float(apart.mean()), len(apart)
    wider = expansion(units) * ((units + 1) / units) ** 0.5  # exponential weights spread less than items drawn anew
    gaps = (middle + (np.concatenate(drawn) - middle) * wider) * (1 if better == "higher" else -1)
    beyond = margin or 0.0
    above, below = float((gaps > beyond).mean()), float((gaps < -beyond).mean())
    return below, 1 - above - below, above
