"""The quality check: a non-inferiority test of a new system against a baseline, with a margin per metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import UsageError
from assay.metrics.engine.signatures import same_choices
from assay.metrics.engine.statistics import Dense
from assay.results.comparable import SIGNATURES, not_comparable
from assay.results.compare import compare
from assay.results.margin_bounds import MarginUnits, assumed_of_clusters, margin_units
from assay.results.metric_check import gated, sequential_check
from assay.results.quality_check import MetricCheck, MissingItems, QualityCheck
from assay.results.sequential import PRICE, Order, sequential_cluster
from assay.results.verdict import LEVEL
from assay.show.numbers import size
from assay.stats.betting import items_without_loss

if TYPE_CHECKING:
    from assay.results.comparison import Comparison
    from assay.results.result import Result

Allowance = int | str
"""A number of items, or a percentage such as `2%`."""


def check(
    new: Result,
    baseline: Result,
    margin: Mapping[str, float],
    *,
    samples: int | None = None,
    seed: int = 0,
    cluster: str | None = None,
    lenient: bool = False,
    allow_missing: Allowance = 0,
    sequential: Order | None = None,
) -> QualityCheck:
    """Test whether a new system is not worse than a baseline by a margin or more, metric by metric.

    `samples`, `seed` and `cluster` are as in `assay.compare`. `assay.assert_not_worse` is the same for a test suite.

    Args:
        new: The result of the new system, of `assay.score` or `assay.load_run`.
        baseline: The result of the baseline.
        margin: Margins by metric, on the scale of tables: `{"rouge1": 1, "chrf": 0.5}` is one point of ROUGE-1.
        lenient: Let inconclusive metrics pass (default: they do not pass).
        allow_missing: Number of items of the baseline that the new system may lack, or a percentage like `"2%"`
            (default: 0).
        sequential: Order of items, `arrival` or `random`, to look and stop after every item (see
            `assay.compare_sequential`); items that are not yet scored are not missing. Default: one test of all items.

    Returns:
        The outcome of each metric; `outcome` is the verdict: `passed`, `failed` or `undecided`.

    Raises:
        AssayError: A metric with a margin is missing, or has no better direction, or the margin is out of range.

    Example:
        >>> texts = ["the cat sat on it", "a dog ran"] * 50
        >>> baseline = assay.score(texts, texts, metrics="rouge1")
        >>> assay.check(baseline, baseline, {"rouge1": 5}).passed
        True
    """
    if not margin:
        raise UsageError("check: give a margin for one or more metrics, e.g. {'chrf': 0.5}.")
    for name in margin:
        for result in (new, baseline):
            if name not in result.parts:
                known = ", ".join(result.shown)
                raise UsageError(f"margin of {name}: {result.system} does not have this metric. Use one of {known}.")
        if baseline.parts[name][1].better is None:
            raise UsageError(f"margin of {name}: this metric has no better direction. Choose another metric.")
    missing = missing_items(new, baseline, len(baseline.index) if sequential else allow_missing)
    kept = [_only(result, margin) for result in (baseline, new)]
    if sequential:
        cluster = sequential_cluster(kept[0], kept[1], cluster)
    comparison = compare(*kept, samples=samples, seed=seed, cluster=cluster, margin=margin)
    apart = dict(_apart(comparison, margin))
    if sequential:
        numbers = {name: sequential_check(comparison, name, apart.get(name), sequential, seed) for name in margin}
    else:
        numbers = {name: gated(comparison, name, apart.get(name)) for name in margin}
    return QualityCheck(comparison, numbers, lenient, missing, tuple(_remarks(comparison, numbers, seed, sequential)))


def assert_not_worse(
    new: Result,
    baseline: Result,
    margin: Mapping[str, float],
    *,
    seed: int = 0,
    lenient: bool = False,
    allow_missing: Allowance = 0,
) -> None:
    """Assert in a test suite that `assay.check` passes.

    `new`, `baseline`, `margin`, `seed`, `lenient` and `allow_missing` are as in `assay.check`.

    Raises:
        AssertionError: The check does not pass; the message has its table.

    Example:
        >>> texts = ["the cat sat on it", "a dog ran"] * 50
        >>> baseline = assay.score(texts, texts, metrics="rouge1")
        >>> assay.assert_not_worse(baseline, baseline, {"rouge1": 5})
    """
    checked = check(new, baseline, margin, seed=seed, lenient=lenient, allow_missing=allow_missing)
    if not checked.passed:
        verdict = "failed" if checked.outcome == "failed" else "is inconclusive"
        raise AssertionError(f"quality check {verdict}\n{checked!r}")


def missing_items(new: Result, baseline: Result, allowance: Allowance = 0) -> MissingItems:
    """Return the items of the baseline that the new system lacks.

    Raises:
        UsageError: The allowance is neither a number of items nor a percentage.
    """
    ids = baseline.index.ids
    known = set(new.index.ids)
    return MissingItems(tuple(id for id in ids if id not in known), len(ids), allowed_items(allowance, len(ids)))


def allowed_items(allowance: Allowance, items: int) -> int:
    """Return the number of items that may be missing; a percentage is rounded down."""
    text = str(allowance).strip()
    try:
        share = float(text.removesuffix("%")) / 100 if text.endswith("%") else None
        count = int(share * items + 1e-9) if share is not None else int(text)
    except (ValueError, OverflowError):
        count = -1
    if count < 0 or count > items:
        raise UsageError(f"allow-missing {allowance}: give a number of items, or a percentage like 2%.")
    return count


def _only(result: Result, margin: Mapping[str, float]) -> Result:
    """Return the result with only the metrics that have a margin, to save time."""
    wanted = {id(result.parts[name][0]) for name in margin}
    return replace(result, measurements=tuple(each for each in result.measurements if id(each) in wanted))


def _apart(comparison: Comparison, names: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield the metrics that are not comparable. Other package versions are: a check is meant to test them."""
    a, b = comparison.a, comparison.b
    first, second = a.signatures_here, b.signatures_here
    for name, why in not_comparable(a, b, names).items():
        mine, theirs = first[id(a.parts[name][0])], second[id(b.parts[name][0])]
        if why != SIGNATURES or not (same_choices(mine, theirs) and same_choices(theirs, mine)):
            yield name, why


def _remarks(
    comparison: Comparison, numbers: Mapping[str, MetricCheck], seed: int, sequential: str | None
) -> Iterator[str]:
    """Yield what a verdict alone does not show: identical scores, assumptions, and items that no result can use."""
    a, b = comparison.a, comparison.b
    if _identical(a, b):
        yield f"{b.system} and {a.system} have identical scores on all {a.n:,} items. Is the new file the right one?"
    if sequential:
        yield f"Valid after every look, order of items: {sequential}. {PRICE}"
    yield from assumed_of_clusters(a)
    if sequential:
        return
    for name, each in numbers.items():
        units = margin_units(a, b, name, seed)
        if units is None:
            if each.bounds is not None:
                yield f"{name}: approximate interval (bootstrap): it depends on all outputs together."
            continue
        if units.assumed:
            yield units.assumed
        if each.outcome == "undecided":
            yield from _too_few(a, name, each, units)


def _too_few(a: Result, name: str, each: MetricCheck, units: MarginUnits) -> Iterator[str]:
    """Yield the number of units without any change that a margin requires, if there are fewer."""
    part = a.parts[name][1]
    unevenness = float(units.weights.max() / units.weights.mean())
    limit = (units.down if part.better == "higher" else units.up) * unevenness
    needed = items_without_loss(each.row.margin or 0.0, limit, LEVEL)
    if len(units.values) < needed:
        what = "clusters" if a.clusters_by else "items"
        yield (
            f"{name}: a margin of {size(each.row.margin, part)} requires at least {ceil(needed):,} {what} "
            f"(here {len(units.values):,}), even if no output changes: fewer may miss rare failures."
        )


def _identical(a: Result, b: Result) -> bool:
    """Return whether all statistics of both results are equal."""
    for name, (mine, _) in a.parts.items():
        theirs = b.parts[name][0] if name in b.parts else None
        if theirs is None or not isinstance(mine.rows, Dense) or not isinstance(theirs.rows, Dense):
            return False
        if not np.array_equal(mine.rows.values, theirs.rows.values):
            return False
    return True
