"""Differences between estimated means: all pairs of systems, with intervals and tests that hold together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from assay.stats.all_pairs import critical_value, step_down, tied_groups
from assay.stats.distributions import t_quantile, t_two_sided
from assay.stats.prediction_powered import Estimates
from assay.stats.simultaneous import null_of_contrasts

LEVEL = 0.05
SMALLEST = 1e-15
"""Smallest p whose t is looked up."""
ROUNDING = 1e-12
"""Standard error of equal judgements, relative to their mean: sums of equal numbers are rounded."""


def differences_of(
    names: Sequence[str], estimates: Estimates, equal: Sequence[int]
) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """Return all differences, with p and intervals that hold for all pairs together (max-T), and groups of systems
    without a significant one."""
    pairs = list(combinations(range(len(names)), 2))
    pairs = [pair for pair in pairs if not {*pair} & {*equal}]
    unit = np.eye(len(names))
    contrasts = [estimates.contrast(unit[a] - unit[b]) for a, b in pairs]
    raw = [t_two_sided(each.value / each.error, each.df) if each.error else 1.0 for each in contrasts]
    rows = np.array([unit[a] - unit[b] for a, b in pairs]).reshape(len(pairs), len(names))
    adjusted, reach = [1.0] * len(pairs), 0.0
    if pairs:
        df = min(each.df for each in contrasts)
        null = null_of_contrasts(estimates.covariance(), rows, df)
        # Each pair has its own degrees of freedom; its p is turned into the t of the common ones.
        observed = np.array([t_quantile(1 - max(p, SMALLEST) / 2, df) for p in raw])
        adjusted = [max(p, float(q)) for p, q in zip(raw, step_down(observed, null), strict=True)]
        reach = critical_value(null, LEVEL)
    rows_of_pairs = [
        {"a": names[a], "b": names[b], "difference": each.value, "low": each.interval()[0], "high": each.interval()[1],
         "simultaneous": {"low": each.value - reach * each.error, "high": each.value + reach * each.error},
         "p": p, "p_adjusted": q}
        for (a, b), each, p, q in zip(pairs, contrasts, raw, adjusted, strict=True)
    ]  # fmt: skip
    order = [names[number] for number in np.argsort(-estimates.value, kind="stable")]
    apart = dict.fromkeys(combinations(names, 2), False)
    apart |= {(names[a], names[b]): q < LEVEL for (a, b), q in zip(pairs, adjusted, strict=True)}
    return rows_of_pairs, tied_groups(order, apart)


def reach_together(estimates: Estimates, without: Sequence[int]) -> float:
    """Return the critical value of intervals of all means together, but for some systems."""
    units = np.eye(len(estimates.value))
    certain = [number for number in range(len(units)) if number not in without]
    if not certain:
        return 0.0
    df = min(estimates.mean(n).df for n in certain)
    return critical_value(null_of_contrasts(estimates.covariance(), units[certain], df), LEVEL)
