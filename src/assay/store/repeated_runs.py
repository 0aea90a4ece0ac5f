"""Systems with several seeds or prompts: mean score and standard deviation between runs."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

import numpy as np

from assay.records.types import Score
from assay.results.result import Result
from assay.show.numbers import scored
from assay.stats.interval import percentile
from assay.store.config_records import System

Groups = Mapping[str, Sequence[str]]
"""Names of groups and of their runs."""


class Mean(TypedDict):
    """A metric over runs: mean, its confidence interval, standard deviation between runs, number of runs."""

    mean: float
    sd: float | None
    runs: int
    low: float | None
    high: float | None


Means = dict[str, Mean]
"""Means by metric."""


def members(systems: Iterable[System]) -> dict[str, list[str]]:
    """Return the runs of every entry with several seeds or prompts."""
    groups_found: dict[str, list[str]] = {}
    for system in systems:
        if system.group:
            groups_found.setdefault(system.group, []).append(system.name)
    return groups_found


def grouped(groups: Groups, results: Mapping[str, Result]) -> dict[str, Means]:
    """Return the means of every group on one dataset."""
    groups_found = {
        group: means([results[name] for name in names if name in results]) for group, names in groups.items()
    }
    return {group: rows for group, rows in groups_found.items() if rows}


def means(runs: Sequence[Result]) -> Means:
    """Average each metric over runs; runs without it are left out and not counted.

    The confidence interval is from resampling items, the same resamples for all runs: it is about other items. The
    standard deviation between runs is about other seeds or prompts.
    """
    rows: Means = {}
    for name in runs[0].parts if runs else ():
        having = [run for run in runs if name in run.values and run.values[name] == run.values[name]]
        if not having:
            continue
        values = [run.values[name] for run in having]
        low, high = _interval(having, name)
        rows[name] = {
            "mean": statistics.fmean(values),
            "sd": statistics.stdev(values) if len(values) > 1 else None,
            "runs": len(values),
            "low": low,
            "high": high,
        }
    return rows


def _interval(runs: Sequence[Result], name: str) -> tuple[float | None, float | None]:
    first = runs[0]
    if not first.ci or any((run.ci, run.seed, run.n) != (first.ci, first.seed, first.n) for run in runs):
        return None, None
    if any(run.no_interval(name) for run in runs):
        return None, None
    drawn = np.mean([run.resampled(run.ci, run.seed)[name] for run in runs], axis=0)
    return percentile(drawn) or (None, None)


def group_scores(groups: Groups, results: Mapping[str, Result]) -> dict[str, dict[str, Score]]:
    """Return the groups of one dataset as rows of a table."""
    named: dict[str, dict[str, Score]] = {}
    for group, rows in grouped(groups, results).items():
        runs = max(row["runs"] for row in rows.values())
        some = next(results[name] for name in groups[group] if name in results)
        if runs > 1:
            named[f"{group} (mean of {runs})"] = {
                name: Score(
                    value=row["mean"], low=row["low"], high=row["high"], signature=some.parts[name][0].signature
                )
                for name, row in rows.items()
            }
    return named


def group_cell(name: str, row: Mean, some: Result) -> str:
    """Return a mean with its confidence interval and standard deviation between runs, as text."""
    part = some.parts[name][1]
    deviation = "" if row["sd"] is None else f" ± {row['sd'] * part.scale:.{part.digits}f}"
    return f"{some.labels[name]} {scored(Score(value=row['mean'], low=row['low'], high=row['high']), part)}{deviation}"
