"""Tests of a difference against a margin: equivalence and non-inferiority."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.results.margin_bounds import margin_units
from assay.results.verdict import LEVEL

if TYPE_CHECKING:
    from assay.results.result import Result
    from assay.stats.paired import Difference

METHODS = {"mean": "betting", "contributions": "betting on contributions"}
"""Names of the intervals of margin tests, by kind of unit."""


class MarginTests(NamedTuple):
    """Tests against a margin, and the 90 % interval that they come from."""

    p_equal: float | None = None
    p_not_worse: float | None = None
    bounds: tuple[float, float] | None = None
    method: str | None = None


def margin_tests(
    a: Result, b: Result, name: str, row: Difference, margin: float | None, test: str, seed: int
) -> MarginTests:
    """Return p of the equivalence test (two one-sided tests) and of the non-inferiority test of b.

    Unless another test is requested, by bounds that hold at any number of items; metrics that cannot be split by item
    have only the bootstrap.

    Args:
        a: A result.
        b: Another one on the same items.
        name: A metric of both.
        row: Its difference, with the pivot of its interval.
        margin: The margin on the scale of the values; None for no test.
        test: The requested test.
        seed: Random seed of the order of items.
    """
    if margin is None or np.isnan(row.difference):
        return MarginTests()
    units = margin_units(a, b, name, seed) if test == "permutation" else None
    source = units or row.pivot
    if source is None:
        return MarginTests()
    above, below = source.p_at_most(-margin), source.p_at_least(margin)
    bounds = units.bounds(LEVEL, (-margin, margin)) if units else row.pivot and row.pivot.bounds(1 - 2 * LEVEL)
    method = METHODS[units.kind] if units else "t" if test == "t" else "bootstrap"
    lower = a.parts[name][1].better == "lower"
    return MarginTests(max(above, below), below if lower else above, bounds or None, method)
