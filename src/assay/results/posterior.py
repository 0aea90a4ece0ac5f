"""Posterior probabilities that one of two systems is better, or that both are equivalent within a margin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.stats.interval import expansion
from assay.stats.resample import narrow_product

if TYPE_CHECKING:
    from assay.results.result import Result

DRAWS = 4000
"""Resamples from the posterior."""
Chances = tuple[float, float, float]
"""Probabilities that a is better, that both are equivalent within the margin, that b is better; they sum to one."""


def posterior(
    a: Result, b: Result, name: str, better: Literal["higher", "lower"] | None, margin: float | None, seed: int
) -> Chances | None:
    """Return posterior probabilities by the Bayesian bootstrap (Rubin, 1981) of the contributions of items.

    No distribution is assumed; deviations are widened for small samples as Student's t is. None if the metric has no
    contributions of items or no better direction.
    """
    if better is None or name not in a.contributions or name not in b.contributions:
        return None
    apart = b.contributions[name] - a.contributions[name]
    random = np.random.default_rng(seed)
    drawn = []
    for start in range(0, DRAWS, 500):
        weights = random.standard_exponential((min(500, DRAWS - start), len(apart)))
        drawn.append(narrow_product(weights, apart[:, None])[:, 0] / weights.sum(axis=1))
    middle, units = float(apart.mean()), len(apart)
    wider = expansion(units) * ((units + 1) / units) ** 0.5  # exponential weights vary less than resampled items
    differences = (middle + (np.concatenate(drawn) - middle) * wider) * (1 if better == "higher" else -1)
    beyond = margin or 0.0
    above, below = float((differences > beyond).mean()), float((differences < -beyond).mean())
    return below, 1 - above - below, above
