"""Statistical power of a paired comparison or a human study, and the number of items it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import AssayError, UsageError
from assay.meta.joined_scores import join_scores, read_runs
from assay.meta.variance_sources import Budget, Runs, VarianceSources, run_sources, study_sources
from assay.stats.planning import Wanted
from assay.stats.power import JudgementPlan, detectable_effect, items_needed, judgements_needed, power_of
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from assay.records import Judgement

Effect = float | Mapping[str, float] | None
"""Effect size: one number in the units of the files, or by metric on the scale of tables."""


@dataclass(frozen=True)
class PowerRow:
    """One metric: observed difference, power, detectable difference, and number of items needed.

    Without a given effect, the observed difference is used. Observed differences that drew attention overestimate the
    true one on average, so the number of items is optimistic.
    """

    metric: str
    n: int | None
    difference: float | None
    sd: float
    effect: float | None
    power: float | None
    detectable: float | None
    items_needed: int | None
    more_items: int | None
    why: str = ""
    effect_from: Literal["asked for", "observed"] = "asked for"
    scale: float = 1.0
    """Factor of table values; the values here are those of the files."""
    sources: VarianceSources | None = field(default=None, compare=False)


def power_from_scores(
    a: Any,
    b: Any,
    effect: Effect,
    power: float,
    alpha: float,
    columns: Sequence[str] = (),
    allow_missing: bool = False,
    budget: Budget | None = None,
) -> tuple[list[PowerRow], list[str]]:
    """Compute power from two files of per-example scores, paired by id.

    Args:
        a: Scores of one system.
        b: Scores of another system.
        effect: Effect size (default: the observed difference).
        power: Target power.
        alpha: Significance level.
        columns: Metrics (default: all common ones).
        allow_missing: Use the items that both have.
        budget: An amount to spend and prices.

    Returns:
        One row per metric, and notes about items that were left out.

    Raises:
        AssayError: The files are the same, or have no common metric.
    """
    if isinstance(a, str | Path) and isinstance(b, str | Path) and Path(a).resolve() == Path(b).resolve():
        raise AssayError(f"{a} is both A and B. Give the --per-example files of two systems.")
    data = join_scores(a, b, allow_missing, two_systems=True)
    rows, notes = [], list(data.notes)
    for name in data.metrics:
        plain = name.removesuffix(" (scores)")
        if (columns and plain not in columns) or plain not in data.frame.columns or plain == name:
            continue
        both = data.frame.drop_nulls([plain, name])
        if len(both) < len(data.frame):
            alone = len(data.frame) - len(both)
            notes.append(f"{plain}: {alone} of {len(data.frame)} items without a score in A or B are left out.")
        first, second = (both[column].to_numpy()[:, None] for column in (plain, name))
        rows.append(_compared(plain, first, second, "paired", effect, power, alpha, budget))
    if not rows:
        wanted = f" called {', '.join(columns)}" if columns else ""
        raise AssayError(f"{a} and {b} have no common numeric column{wanted}. Give two --per-example files.")
    check_effect(effect, rows)
    return rows, notes


def power_from_runs(
    a: Sequence[Any],
    b: Sequence[Any],
    effect: Effect,
    power: float,
    alpha: float,
    columns: Sequence[str] = (),
    allow_missing: bool = False,
    budget: Budget | None = None,
    runs: Runs = "independent",
) -> tuple[list[PowerRow], list[str]]:
    """Compute power from per-example scores of several runs of two systems.

    Runs differ in seed or decoding (`independent`), or share a factor such as the reference (`paired`). Other
    arguments are as in `power_from_scores`.
    """
    if len(a) != len(b):
        raise AssayError(f"A has {len(a)} runs and B has {len(b)}. Give the same number of files for both.")
    tables, notes = read_runs([*a, *b], columns, allow_missing)
    rows = [
        _compared(name, table[:, : len(a)], table[:, len(a) :], runs, effect, power, alpha, budget)
        for name, table in tables.items()
    ]
    check_effect(effect, rows)
    return rows, notes


def _compared(
    name: str, a: Any, b: Any, runs: Runs, effect: Effect, power: float, alpha: float, budget: Budget | None
) -> PowerRow:
    """Return the row of one metric from items x runs; several runs or a budget add variance sources."""
    scale = _scale(name, np.concatenate([a, b]))
    size = effect.get(name) if isinstance(effect, Mapping) else effect
    if size is not None and isinstance(effect, Mapping):
        size /= scale
    row = power_row(name, b.mean(axis=1) - a.mean(axis=1), size, power, alpha, scale)
    if (a.shape[1] == 1 and budget is None) or row.why:
        return row
    try:
        return replace(row, sources=run_sources(a, b, runs, Wanted(row.effect, power, alpha), budget))
    except UndefinedStatistic as why:
        return replace(row, why=str(why))


def check_effect(effect: Effect, rows: Sequence[PowerRow]) -> None:
    """Raise an error for effects of unknown metrics, and for one number on different scales."""
    scales = {row.scale for row in rows}
    if isinstance(effect, float | int) and len(scales) > 1:
        each = ",".join(f"{row.metric}=…" for row in rows[:3])
        raise UsageError(f"--effect {effect:g}: these metrics have different scales. Give it by metric: {each}.")
    known = [row.metric for row in rows]
    if isinstance(effect, Mapping) and (odd := [name for name in effect if name not in known]):
        raise AssayError(f"--effect {odd[0]}: no such column. Columns: {', '.join(known[:30])}.")


def _scale(name: str, values: Any) -> float:
    """Return the table scale of the metric of this name, if the values are within its bounds."""
    from assay.metrics import resolve

    try:
        part = next((part for request in resolve([name]) for part in request.metric.parts() if part.name == name), None)
    except AssayError:
        return 1.0
    if part is None or not values.size:
        return 1.0
    low, high = part.bounds
    inside = (low is None or float(values.min()) >= low) and (high is None or float(values.max()) <= high)
    return part.scale if inside else 1.0


def power_row(
    metric: str, differences: Any, effect: float | None, power: float, alpha: float, scale: float = 1.0
) -> PowerRow:
    """Return the row of one metric from its paired differences (default effect: the observed difference)."""
    values = np.asarray(differences, dtype=np.float64)
    basis: Literal["asked for", "observed"] = "observed" if effect is None else "asked for"
    if not len(values) or not np.isfinite(values).all():
        why = "some scores are infinite" if len(values) else "no item has a score in both files"
        return PowerRow(metric, len(values), None, 0.0, effect, None, None, None, None, why, basis, scale)
    difference = float(values.mean())
    sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    wanted = difference if effect is None else effect
    try:
        needed = items_needed(wanted, sd, power, alpha)
        return PowerRow(
            metric=metric,
            n=len(values),
            difference=difference,
            sd=sd,
            effect=wanted,
            power=power_of(wanted, sd, len(values), alpha),
            detectable=detectable_effect(sd, len(values), power, alpha),
            items_needed=needed,
            more_items=max(0, needed - len(values)),
            effect_from=basis,
            scale=scale,
        )
    except UndefinedStatistic as why:
        return PowerRow(metric, len(values), difference, sd, wanted, None, None, None, None, str(why), basis, scale)


@dataclass(frozen=True)
class StudyPower:
    """Two systems in a human study: variation of items and of annotators, and the judgements per item needed."""

    items: int
    judgements: int
    difference: float
    sd_items: float
    sd_judges: float
    row: PowerRow
    plan: JudgementPlan
    sources: VarianceSources | None = None
    why_no_sources: str = ""


def power_from_judgements(
    judgements: Sequence[Judgement],
    systems: tuple[str, str],
    criterion: str,
    effect: float | None,
    power: float,
    alpha: float,
    budget: Budget | None = None,
) -> StudyPower:
    """Compute power from differences of two systems by the same annotator on the same item.

    Power generalises to other items with these annotators; `sources` also includes variation between annotators.

    Raises:
        AssayError: Values are not numbers, or there are too few items or annotators.
    """
    values: dict[tuple[str, str, str], dict[str, float]] = {}
    for j in judgements:
        if j.criterion == criterion and j.system in systems:
            if isinstance(j.value, str):
                raise AssayError(f"{j.id} of {j.system}: '{j.value}' is not a number.")
            values.setdefault((j.id, j.unit, j.annotator), {})[j.system] = float(j.value)
    by_item: dict[tuple[str, str], list[float]] = {}
    judged: list[tuple[float, tuple[str, str], str]] = []
    for (item, unit, judge), pair in values.items():
        if len(pair) == 2:
            judged.append((pair[systems[0]] - pair[systems[1]], (item, unit), judge))
            by_item.setdefault((item, unit), []).append(judged[-1][0])
    if len(by_item) < 2:
        raise AssayError(
            f"Fewer than two items with {systems[0]} and {systems[1]} rated by one annotator ({criterion})."
        )
    means = [float(np.mean(each)) for each in by_item.values()]
    total = sum(len(each) for each in by_item.values())
    within = sum(float(np.sum((np.array(each) - np.mean(each)) ** 2)) for each in by_item.values())
    if total == len(by_item):
        raise AssayError("Every item has one annotator: variation of annotators and items cannot be separated.")
    judges = within / (total - len(by_item))
    # the variance of item means includes a share of the variance between annotators
    share = float(np.mean([1 / len(each) for each in by_item.values()]))
    between = max(0.0, float(np.var(means, ddof=1)) - judges * share)
    row = power_row(criterion, means, effect, power, alpha)
    if not row.effect:
        raise AssayError("The observed difference is 0. Give an effect size with --effect.")
    plan = judgements_needed(row.effect, between**0.5, judges**0.5, len(by_item), power, alpha)
    sources, why = None, ""
    try:
        each, items, annotators = zip(*judged, strict=True)
        sources = study_sources(each, items, annotators, Wanted(row.effect, power, alpha), budget)
    except UndefinedStatistic as reason:
        why = str(reason)
    return StudyPower(len(by_item), total, float(np.mean(means)), between**0.5, judges**0.5, row, plan, sources, why)
