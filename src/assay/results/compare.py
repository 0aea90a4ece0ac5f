"""Systems on the same items: differences with intervals, p-values, and warnings where they mislead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import AssayError
from assay.metrics.statistics import Floats, concat
from assay.results.comparable import common_items, misgivings
from assay.results.comparison import Compared, Comparison
from assay.results.measurement import Measurement
from assay.results.result import Result
from assay.stats.adjust import benjamini_hochberg, holm
from assay.stats.interval import FEWEST_DRAWS, check_resampling
from assay.stats.paired import Difference, from_bootstrap, from_permutation, items_needed
from assay.stats.resample import all_swaps, swaps
from assay.stats.significance import TestResult, paired_t, sign_test, wilcoxon
from assay.stats.undefined import UndefinedStatistic

Test = Literal["bootstrap", "permutation", "t", "wilcoxon", "sign"]
PER_ITEM: dict[str, Callable[[Floats, Floats], TestResult]] = {"t": paired_t, "wilcoxon": wilcoxon, "sign": sign_test}
"""Tests on the values of single items; they exist only for metrics that have such values."""

FEW = 20
"""Independent items (or clusters) below which a bootstrap rejects far too often what is true."""

Correction = Literal["holm", "bh"]
CORRECTIONS: dict[str, Callable[[ArrayLike], Floats]] = {"holm": holm, "bh": benjamini_hochberg}


def compare(
    a: Result,
    b: Result,
    *,
    test: Test = "bootstrap",
    samples: int = 1000,
    seed: int = 0,
    cluster: str | None = None,
    correction: Correction = "holm",
) -> Comparison:
    """Compare two results on the items both have, with the same draws for both and for every metric.

    `a` and `b` are results of `assay.score` or `assay.load_run`; the difference is b - a. `test` is one of bootstrap,
    permutation, t, wilcoxon and sign, with as many `samples` (resamples or random swaps) from `seed` on. `cluster`
    names a property (`parent`, a tag) whose items are not independent and are drawn together. `correction` over all
    metrics is Holm's (`holm`) or Benjamini and Hochberg's (`bh`).

    >>> a = assay.score(["the cat sat"] * 3, ["the cat sat"] * 3, metrics="rouge1")
    >>> b = assay.score(["a dog ran"] * 3, ["the cat sat"] * 3, metrics="rouge1")
    >>> assay.compare(a, b)["rouge1"].difference
    -1.0
    """
    options = {"test": test, "samples": samples, "seed": seed, "cluster": cluster, "correction": correction}
    return compare_all(a, [b], **options)[0]  # type: ignore[arg-type]


def compare_all(
    baseline: Result,
    others: Sequence[Result],
    *,
    test: Test = "bootstrap",
    samples: int = 1000,
    seed: int = 0,
    cluster: str | None = None,
    correction: Correction = "holm",
) -> list[Comparison]:
    """Compare each of several results with one; p adjusted over all metrics of all comparisons together.

    `baseline` is the result that `others` are compared with; `test`, `samples`, `seed`, `cluster` and `correction`
    as in `assay.compare`.

    >>> outputs = {"a": ["the cat sat"] * 3, "b": ["a cat sat"] * 3, "c": ["a dog ran"] * 3}
    >>> results = assay.score_all(outputs, ["the cat sat"] * 3, metrics="rouge1")
    >>> for comparison in assay.compare_all(results["a"], [results["b"], results["c"]]):
    ...     print(comparison.b.system, round(comparison["rouge1"].difference, 2))
    b -0.33
    c -1.0
    """
    for given, known in ((test, get_args(Test)), (correction, get_args(Correction))):
        if given not in known:
            raise AssayError(f"no test or correction called {given}; there are {', '.join(known)}")
    for each in (baseline, *others):
        if not isinstance(each, Result):
            raise AssayError(f"compare takes results of assay.score, not a {type(each).__name__}")
    if samples < FEWEST_DRAWS:
        raise AssayError(f"samples={samples}: a comparison takes at least {FEWEST_DRAWS} resamples, 1000 are usual")
    check_resampling(samples, seed)
    if cluster and test in PER_ITEM:
        raise AssayError(f"the {test} test takes items as independent; with --cluster use bootstrap or permutation")
    tested = [_tested(baseline, other, test, samples, seed, cluster) for other in others]
    p_values = [np.nan if row.p is None else row.p for each in tested for row in each.differences.values()]
    adjusted = iter(CORRECTIONS[correction](p_values).tolist())
    comparisons = []
    for a, b, differences, whys, warnings, method in tested:
        rows = {
            name: _row(a, name, a.values[name], b.values[name], row, next(adjusted), whys.get(name))
            for name, row in differences.items()
        }
        comparisons.append(Comparison(a, b, rows, warnings, method))
    return comparisons


class Tested(NamedTuple):
    """Two systems on their common items, with p as it would be if nothing else were tested."""

    a: Result
    b: Result
    differences: dict[str, Difference]
    whys: dict[str, str]
    warnings: list[str]
    method: str


def _tested(a: Result, b: Result, test: Test, samples: int, seed: int, cluster: str | None) -> Tested:
    warnings: list[str] = []
    a, b = common_items(a, b, warnings)
    a, b = a.clustered(cluster), b.clustered(cluster)
    names = [name for name in a.shown if name in b.parts]
    if not names:
        raise AssayError(f"{a.system} and {b.system} have no metric in common; score both with the same --metrics")
    warnings += misgivings(a, b, names)
    spread_a, spread_b = a.spread(samples, seed), b.spread(samples, seed)
    differences = {
        name: from_bootstrap(a.values[name], b.values[name], spread_a[name], spread_b[name]) for name in names
    }
    method = f"paired bootstrap, {samples} resamples"
    whys: dict[str, str] = {}
    if test == "bootstrap" and a.units < FEW:
        test = "permutation"
        what = "clusters" if cluster else "items"
        warnings.append(
            f"{a.units} {what} are too few for a bootstrap: p is by permutation, and intervals are too narrow"
        )
    if a.units < 2:  # one draw is like the other
        differences = {name: row._replace(low=None, high=None) for name, row in differences.items()}
    if test == "permutation":
        p_values = _permutation(a, b, names, samples, seed)
        differences = {name: row._replace(p=p_values[name]) for name, row in differences.items()}
        count = f"all {2**a.units} swaps" if all_swaps(a.units) else f"{samples} random swaps"
        method = f"paired permutation, {count}"
    elif test in PER_ITEM:
        differences, whys, method = _per_item(a, b, differences, test)
    if cluster:
        method += f", by {cluster} ({a.units} clusters)"
    return Tested(a, b, differences, whys, warnings, method)


def _per_item(
    a: Result, b: Result, differences: dict[str, Difference], test: str
) -> tuple[dict[str, Difference], dict[str, str], str]:
    """p from the values of single items; a reason where there are none."""
    tested: dict[str, Difference] = {}
    whys: dict[str, str] = {}
    methods: dict[str, None] = {}
    for name, row in differences.items():
        try:
            if name not in a.per_example.columns:
                raise UndefinedStatistic("it has no value for a single item; use bootstrap or permutation")
            columns = (result.per_example[name].to_numpy() for result in (b, a))
            done = PER_ITEM[test](*columns)
            tested[name] = row._replace(p=done.p)
            methods[done.method] = None
        except UndefinedStatistic as reason:
            tested[name] = row._replace(p=None)
            whys[name] = f"no {test} test: {reason}"
    return tested, whys, " / ".join(methods) or test


def _row(
    a: Result, name: str, value_a: float, value_b: float, row: Difference, adjusted: float, why: str | None
) -> Compared:
    measurement, part = a.parts[name]
    missing = np.isnan(row.difference)
    needed = None
    if row.error is not None and not measurement.metric.size_dependent and not missing:
        needed = items_needed(row.difference, row.error, a.n)
    return Compared(
        a=None if np.isnan(value_a) else float(value_a),
        b=None if np.isnan(value_b) else float(value_b),
        difference=None if missing else row.difference,
        low=row.low,
        high=row.high,
        p=row.p,
        p_adjusted=None if np.isnan(adjusted) else adjusted,
        n=a.n,
        items_needed=needed,
        why=measurement.metric.undefined(part.name) if missing else why,
    )


def _permutation(a: Result, b: Result, names: list[str], samples: int, seed: int) -> dict[str, float | None]:
    """Fold the rows of both systems, put one after the other, over random swaps."""
    both = _stack(a, b, names)
    swapped_a = both.fold(first for first, _ in swaps(a.n, samples, seed, a.codes))
    swapped_b = both.fold(second for _, second in swaps(a.n, samples, seed, a.codes))  # the same swaps again
    exact = all_swaps(a.units)
    return {
        name: from_permutation(a.values[name], b.values[name], swapped_a[name], swapped_b[name], exact=exact)
        for name in names
    }


def _stack(a: Result, b: Result, names: list[str]) -> Result:
    stacked: list[Measurement] = []
    for mine in dict.fromkeys(a.parts[name][0] for name in names):
        theirs = next(b.parts[name][0] for name in names if a.parts[name][0] is mine)
        stacked.append(replace(mine, rows=concat([mine.rows, theirs.rows])))
    return replace(a, measurements=tuple(stacked))
