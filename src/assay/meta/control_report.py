"""Requested and achieved control values of simplifications: whether outputs are as short, as similar and as plain as
they were wishes to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.inputs.simplification import COMPUTED, measured
from assay.stats.correlation import correlate
from assay.stats.validation import UndefinedStatistic


class Achieved(NamedTuple):
    """One control over all items."""

    control: str
    n: int
    requested: float
    achieved: float
    low: float
    high: float
    """Interval of the mean of the achieved values, from resampled items."""
    error: float
    """Mean absolute difference of requested and achieved values."""
    r: float | None
    """Pearson correlation over items; None if all items request the same value."""


def achieved(
    sources: Sequence[str], outputs: Sequence[str], requested: Sequence[Mapping[str, float]],
    ranks: Mapping[str, int], samples: int = 1000, seed: int = 0,
) -> list[Achieved]:  # fmt: skip
    """Return the controls that were requested with their achieved values; `wordrank` needs ranks."""
    values = [measured(source, output, ranks) for source, output in zip(sources, outputs, strict=True)]
    rows = []
    for name in COMPUTED:
        pairs = [(wishes[name], got[name]) for wishes, got in zip(requested, values, strict=True)
                 if name in wishes and name in got]  # fmt: skip
        if not pairs:
            continue
        wishes, got = np.array(pairs).T
        draws = np.random.default_rng(seed).integers(0, len(got), (samples, len(got)))
        low, high = np.quantile(got[draws].mean(axis=1), (0.025, 0.975))
        error = float(np.abs(wishes - got).mean())
        rows.append(
            Achieved(name, len(got), float(wishes.mean()), float(got.mean()), float(low), float(high), error,
                     _r(wishes, got))
        )  # fmt: skip
    return rows


def _r(wishes: Any, got: Any) -> float | None:
    if len(set(wishes.tolist())) < 2:
        return None
    try:
        return correlate(wishes, got, "pearson").r
    except UndefinedStatistic:
        return None
