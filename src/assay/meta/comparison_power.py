"""Power of `assay compare`: the difference that it tests, by its test and correction, from two scored systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError
from assay.meta.power import Effect, PowerRow, check_effect
from assay.results.comparable import small_sample
from assay.results.compare import CompareRequest, compare_systems
from assay.stats.joint_power import MOST_UNITS, JointTests, smallest
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.results.comparison import Comparison
    from assay.results.result import Result

PLANNED = ("permutation", "bootstrap", "t")
"""Tests of the difference itself; rank tests have another one."""


@dataclass(frozen=True)
class PowerRequest:
    """What a comparison is planned for: the options of `assay analyze power` with two systems."""

    effect: Effect = None
    """True difference on the scale of tables, one number or by metric (default: the observed differences)."""
    power: float = 0.8
    alpha: float = 0.05
    items: int | None = None
    """Number of items of the planned comparison (default: those of the results)."""
    metrics: tuple[str, ...] = ()
    """Metrics that are tested together (default: all)."""
    compare: CompareRequest = field(default_factory=CompareRequest)
    """Test, correction, clusters and seed of the planned comparison."""

    def check(self) -> None:
        """Raise AssayError for options that are out of range or cannot be planned."""
        if not 0 < self.alpha < 1 or not self.alpha < self.power < 1:
            raise AssayError(f"power: alpha={self.alpha:g} and power={self.power:g}: use 0 < alpha < power < 1.")
        if self.items is not None and self.items < 2:
            raise AssayError(f"items={self.items}: use at least 2 items.")
        if self.compare.test not in PLANNED:
            raise AssayError(f"power of the {self.compare.test} test is not computed. Use {', '.join(PLANNED)}.")
        if self.compare.corrected == "bh":
            raise AssayError("power after Benjamini-Hochberg correction is not computed. Use max-t or holm.")
        if "," in (self.compare.cluster or ""):
            raise AssayError(f"cluster={self.compare.cluster}: power takes one cluster field.")


@dataclass(frozen=True)
class ComparisonPower:
    """The power of a comparison of two systems."""

    rows: list[PowerRow]
    comparison: Comparison
    """The comparison of the present outputs; differences are its differences."""
    notes: list[str]


def power(
    a: Result,
    b: Result,
    *,
    effect: Effect = None,
    power: float = 0.8,
    alpha: float = 0.05,
    items: int | None = None,
    metrics: Sequence[str] = (),
    cluster: str | None = None,
    seed: int = 0,
) -> ComparisonPower:
    """Compute the power of `assay.compare(a, b)`, after its correction over all metrics.

    Args:
        a: A result of `assay.score` or `assay.load_run`.
        b: Another one on the same items.
        effect: True difference to detect, on the scale of tables, one number or by metric (default: the observed
            differences, which are too large on average).
        power: Target power.
        alpha: Significance level.
        items: Number of items of the planned comparison (default: those of the results).
        metrics: Metrics that are tested together (default: all).
        cluster: Field whose items are not independent.
        seed: Random seed (default: 0).

    Returns:
        One row per metric: difference, power, detectable difference and number of items needed.

    Raises:
        AssayError: The results share no item or no metric, or an argument is out of range.

    Example:
        >>> outputs = {"a": ["the cat sat", "a dog", "no"] * 8, "b": ["a cat sat", "the dog", "so"] * 8}
        >>> results = assay.score_all(outputs, ["the cat sat", "a dog", "no"] * 8, metrics="rouge1")
        >>> assay.power(results["a"], results["b"]).rows[0].power
        1.0
    """
    compared = CompareRequest(cluster=cluster, seed=seed)
    return plan_comparison(a, b, PowerRequest(effect, power, alpha, items, tuple(metrics), compared))


def plan_comparison(a: Result, b: Result, request: PowerRequest) -> ComparisonPower:
    """Compute the power of comparing two results, for a frozen request."""
    request.check()
    if odd := [name for name in request.metrics if name not in a.parts or name not in b.parts]:
        raise AssayError(f"{odd[0]}: not a metric of both systems. Metrics: {', '.join(a.shown)}.")
    if request.metrics:
        a, b = a.only(*request.metrics), b.only(*request.metrics)
    comparison = compare_systems([(a, b)], request.compare)[0]
    names = [name for name in comparison if not request.metrics or name in request.metrics]
    planned = [name for name in comparison if _why_not(comparison, name) is None]
    tests = _tests(comparison, planned, request)
    effects = {name: _effect(comparison, name, request.effect) for name in comparison}
    rows = [
        _planned(comparison, planned, name, tests[name], effects, request)
        if name in planned
        else _unplanned(comparison, name, effects[name], request)
        for name in names
    ]
    check_effect(request.effect, rows)
    small = small_sample(comparison.a.units, bool(comparison.a.clusters_by))
    notes = [warning for warning in comparison.warnings if warning != small]
    return ComparisonPower(rows, comparison, notes)


def _why_not(comparison: Comparison, name: str) -> str | None:
    """Return why the power of a metric cannot be computed; None if it can."""
    row = comparison[name]
    if row.difference is None or row.p_adjusted is None:
        return row.why or "it is not tested"
    return None if row.error else row.why or "the values do not vary"


def _tests(comparison: Comparison, names: Sequence[str], request: PowerRequest) -> dict[str, JointTests]:
    """Return the family of tests of each metric, with the correlation of its differences over items."""
    joint = request.compare.corrected == "max-t"
    families = [[name] for name in names] if request.compare.family == "metric" else [list(names)]
    tests: dict[str, JointTests] = {}
    for family in families:
        units = _contributions(comparison, family)
        for_skewness = request.compare.test == "permutation"
        shared = JointTests(_correlation(units), request.alpha, joint, request.compare.seed, units, for_skewness)
        tests |= dict.fromkeys(family, shared)
    return tests


def _contributions(comparison: Comparison, names: Sequence[str]) -> NDArray[np.float64]:
    """Return what each item (or cluster) contributes to the differences; NaN for metrics over words."""
    a, b = comparison.a.contributions, comparison.b.contributions
    columns = np.full((comparison.a.units, len(names)), np.nan)
    for place, name in enumerate(names):
        if name in a and name in b and len(a[name]) == len(columns):
            columns[:, place] = b[name] - a[name]
    return columns


def _correlation(units: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return correlations of the contributions of items; metrics without them count as unrelated."""
    with np.errstate(invalid="ignore"):
        correlation = np.atleast_2d(np.corrcoef(units, rowvar=False))
    correlation = np.where(np.isnan(correlation), 0.0, correlation)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _effect(comparison: Comparison, name: str, effect: Effect) -> float | None:
    """Return the true difference of a metric in its own units: the given one, else the observed one."""
    size = effect if isinstance(effect, float | int) or effect is None else effect.get(name)
    return comparison[name].difference if size is None else size / comparison.a.parts[name][1].scale


def _planned(
    comparison: Comparison,
    names: Sequence[str],
    name: str,
    tests: JointTests,
    effects: dict[str, float | None],
    request: PowerRequest,
) -> PowerRow:
    row, result = comparison[name], comparison.a
    family = list(names) if len(tests.correlation) > 1 else [name]
    place, items = family.index(name), request.items or result.n
    errors = np.array([comparison[each].error or 1.0 for each in family])
    wanted = np.array([effects[each] or 0.0 for each in family])
    per_item = result.units / result.n

    def at(number: float, effect: float | None = None) -> float:
        sizes = wanted.copy()
        sizes[place] = wanted[place] if effect is None else effect
        units = max(2.0, number * per_item)
        return float(tests.powers(sizes / errors * np.sqrt(units / result.units), units)[place])

    error, sized = float(errors[place]), result.parts[name][0].metric.sized(result.parts[name][1])
    why, needed = "", None
    if sized and items != result.n:
        return _unplanned(comparison, name, effects[name], request, "it depends on the number of items")
    detectable = smallest(lambda size: at(items, size) >= request.power, 3 * error, 1e9 * error)
    if sized:
        why = "its value depends on the number of items, so no number of items is planned"
    elif not wanted[place]:
        why = "a difference of exactly 0 cannot be detected with any number of items"
    else:
        try:
            needed = int(np.ceil(smallest(lambda number: at(number) >= request.power, result.n, MOST_UNITS)))
        except UndefinedStatistic:
            why = f"more than {MOST_UNITS:,} items are needed"
    basis = "asked for" if request.effect is not None and effects[name] != row.difference else "observed"
    return PowerRow(
        metric=name,
        n=items,
        difference=row.difference,
        sd=error * float(np.sqrt(result.n)),
        effect=effects[name],
        power=at(items),
        detectable=detectable,
        items_needed=needed,
        more_items=None if needed is None else max(0, needed - items),
        why=why,
        effect_from=basis,  # type: ignore[arg-type]
        scale=result.parts[name][1].scale,
    )


def _unplanned(
    comparison: Comparison, name: str, effect: float | None, request: PowerRequest, why: str | None = None
) -> PowerRow:
    why = why or _why_not(comparison, name) or ""
    scale, n = comparison.a.parts[name][1].scale, request.items or comparison.a.n
    return PowerRow(name, n, comparison[name].difference, 0.0, effect, None, None, None, None, why, scale=scale)
