"""From items to results: metrics chosen, measured, and kept in a run folder if there is one."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import polars

from assay.errors import AssayError
from assay.metrics import MetricRequest, resolve, resolve_suite
from assay.records.items import Items
from assay.results.index import index_of
from assay.results.notes import Notes
from assay.results.reference_digest import Judged
from assay.results.result import Result
from assay.runs.measure import Measured, measure, measure_together
from assay.runs.store import RunFolder
from assay.stats.interval import FEWEST_DRAWS

Metrics = str | Sequence[str] | None


def choose(metrics: Metrics, suite: str | None) -> list[MetricRequest]:
    """The metrics asked for; the default suite when nothing is."""
    if metrics is not None and suite is not None:
        raise AssayError("give metrics or a suite, not both")
    if metrics is None:
        return resolve_suite(suite or "default")
    requests = resolve(metrics if isinstance(metrics, str) else list(metrics))
    if not requests:
        raise AssayError("no metric named; `assay metrics` lists them all")
    return requests


def score_items(
    items: Items,
    requests: Sequence[MetricRequest],
    *,
    ci: int = 0,
    seed: int = 0,
    workers: int = 1,
    folder: RunFolder | None = None,
    command: list[str] | None = None,
) -> Result:
    """Score what is already joined; with a folder, store and reuse statistics."""
    _check(ci, workers)
    measured = measure(items, requests, workers=workers, cache=folder)
    result = _result(items, measured, index_of(items), ci, seed)
    if folder and measured.computed:
        folder.finish(result, ["assay", *sys.argv[1:]] if command is None else command)
    return result


def score_together(
    systems: Sequence[Items], requests: Sequence[MetricRequest], *, ci: int = 0, seed: int = 0, workers: int = 1
) -> list[Result]:
    """Score several systems that are already joined."""
    _check(ci, workers)
    measured = measure_together(systems, requests, workers=workers)
    results: list[Result] = []
    for items, own in zip(systems, measured, strict=True):
        same = bool(results) and items.examples == systems[0].examples
        results.append(_result(items, own, results[0].index if same else index_of(items), ci, seed))
    return results


def _check(ci: int, workers: int) -> None:
    if ci and ci < FEWEST_DRAWS:
        raise AssayError(f"ci={ci}: an interval takes at least {FEWEST_DRAWS} resamples, 1000 are usual; 0 for none")
    if workers < 1:
        raise AssayError(f"workers={workers}: at least one process is needed")


def _result(items: Items, measured: Measured, index: polars.DataFrame, ci: int, seed: int) -> Result:
    return Result(
        system=items.system,
        index=index,
        measurements=tuple(measured.computed),
        skipped=tuple(measured.skipped),
        failed=tuple(measured.failed),
        notes=Notes(items, [measurement.metric for measurement in measured.computed]),
        ci=ci,
        seed=seed,
        digest=Judged(items),
    )
