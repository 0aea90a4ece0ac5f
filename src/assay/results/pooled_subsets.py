"""Differences of two systems on subsets, drawn towards their mean by partial pooling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.results.verdict import LEVEL
from assay.stats.distributions import normal_quantile
from assay.stats.pooling import partial_pooling

if TYPE_CHECKING:
    from assay.metrics.engine.statistics import Floats
    from assay.results.comparison import Compared, Comparison

FEWEST = 5
"""Degrees of freedom, over all small subsets, from which the variance within them is estimated."""


class PooledDifference(NamedTuple):
    """The difference on one subset as observed, and partially pooled with its 95 % interval."""

    row: Compared
    pooled: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """Return the object that `--json` prints."""
        return {"difference": self.pooled, "low": self.low, "high": self.high}


def pooled_differences(comparisons: Mapping[str, Comparison]) -> dict[str, dict[str, PooledDifference]]:
    """Return the partially pooled differences by metric and subset, of metrics with three subsets or more.

    A subset that is too small for an interval of its own has the standard error that the variance within all such
    subsets gives for its number of items: the variance of a few items alone may be small at random.

    Args:
        comparisons: The comparison of the same two systems on each subset.
    """
    pooled = {}
    for name in dict.fromkeys(name for each in comparisons.values() for name in each):
        rows = {subset: each[name] for subset, each in comparisons.items() if name in each}
        errors = _errors(name, {subset: comparisons[subset] for subset in rows})
        known = {
            subset: (row, row.difference, error)
            for subset, row in rows.items()
            if row.difference is not None and (error := errors.get(subset))
        }
        made = partial_pooling([each[1] for each in known.values()], [each[2] for each in known.values()])
        if made is None:
            continue
        reach = normal_quantile(1 - LEVEL / 2) * made.errors
        pooled[name] = {
            subset: PooledDifference(row, middle, middle - each, middle + each)
            for (subset, (row, _, _)), middle, each in zip(
                known.items(), made.estimates.tolist(), reach.tolist(), strict=True
            )
        }
    return pooled


def _errors(name: str, comparisons: Mapping[str, Comparison]) -> dict[str, float]:
    """Return the standard error of each subset's difference that is known."""
    errors = {subset: each[name].error for subset, each in comparisons.items()}
    units = {subset: _units(name, each) for subset, each in comparisons.items()}
    return known_errors(errors, units)


def known_errors(errors: Mapping[str, float | None], units: Mapping[str, Floats | None]) -> dict[str, float]:
    """Return standard errors, also of small subsets: by the variance within all of them and their number of units.

    Args:
        errors: The standard error of each subset; None if it is too small for one of its own.
        units: Values of the items or clusters of each subset whose mean has that error; None if there are none.
    """
    known = {subset: error for subset, error in errors.items() if error}
    small = {subset: own for subset, own in units.items() if own is not None and not errors[subset]}
    freedom = sum(len(own) - 1 for own in small.values())
    if freedom < FEWEST:
        return known
    squares = sum(float(((own - own.mean()) ** 2).sum()) for own in small.values())
    return known | {subset: float(np.sqrt(squares / freedom / len(own))) for subset, own in small.items()}


def _units(name: str, comparison: Comparison) -> Floats | None:
    """Return the differences of items or clusters of a subset; None for metrics that are not split by item."""
    a, b = (each.contributions.get(name) for each in (comparison.a, comparison.b))
    return b - a if a is not None and b is not None and len(a) == len(b) == comparison.a.units else None
