"""What a pair of systems, or a study, can show with the items it has, and what it would take to show more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.errors import AssayError, UsageError
from assay.meta.frames import join_scores, read_runs
from assay.meta.sources import Budget, Runs, Sources, run_sources, study_sources
from assay.stats.planning import Wanted
from assay.stats.power import JudgementPlan, detectable_effect, items_needed, judgements_needed, power_of
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from assay.records import Judgement

Effect = float | Mapping[str, float] | None
"""The difference that matters: one number in the units of the files, or by metric in the points that tables show."""


@dataclass(frozen=True)
class PowerRow:
    """One metric: the observed difference, what could be seen, and the items that an effect needs.

    Where no effect is asked for it is the observed difference. Differences that drew attention are larger than the
    truth on average, so the items that follow from them are too few.
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
    """What tables multiply by; the numbers here are those of the files."""
    sources: Sources | None = field(default=None, compare=False)


def of_scores(
    a: Any,
    b: Any,
    effect: Effect,
    power: float,
    alpha: float,
    columns: Sequence[str] = (),
    allow_missing: bool = False,
    budget: Budget | None = None,
) -> tuple[list[PowerRow], list[str]]:
    """From two files of per-example scores: each metric's differences, paired by id, and what was left out."""
    if isinstance(a, str | Path) and isinstance(b, str | Path) and Path(a).resolve() == Path(b).resolve():
        raise AssayError(f"{a} is both A and B; give the --per-example files of two systems")
    data = join_scores(a, b, allow_missing, two_systems=True)
    rows, notes = [], list(data.notes)
    for name in data.metrics:
        plain = name.removesuffix(" (scores)")
        if (columns and plain not in columns) or plain not in data.frame.columns or plain == name:
            continue
        both = data.frame.drop_nulls([plain, name])
        if len(both) < len(data.frame):
            alone = len(data.frame) - len(both)
            notes.append(f"{plain}: {alone} of {len(data.frame)} items lack a score in A or B and were left out")
        first, second = (both[column].to_numpy()[:, None] for column in (plain, name))
        rows.append(_compared(plain, first, second, "paired", effect, power, alpha, budget))
    if not rows:
        wanted = f" called {', '.join(columns)}" if columns else ""
        raise AssayError(f"{a} and {b} have no common column of numbers{wanted}; give two --per-example files")
    _refuse_unknown(effect, rows)
    return rows, notes


def of_runs(
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
    """From per-example scores of several runs of two systems: seeds, decoding runs, or (paired) references."""
    if len(a) != len(b):
        raise AssayError(f"A has {len(a)} runs and B {len(b)}; give as many files of either")
    tables, notes = read_runs([*a, *b], columns, allow_missing)
    rows = [
        _compared(name, table[:, : len(a)], table[:, len(a) :], runs, effect, power, alpha, budget)
        for name, table in tables.items()
    ]
    _refuse_unknown(effect, rows)
    return rows, notes


def _compared(
    name: str, a: Any, b: Any, runs: Runs, effect: Effect, power: float, alpha: float, budget: Budget | None
) -> PowerRow:
    """One metric from items x runs of either system; more than one run, or a budget, asks where doubt comes from."""
    scale = _scale(name, np.concatenate([a, b]))
    asked = effect.get(name) if isinstance(effect, Mapping) else effect
    if asked is not None and isinstance(effect, Mapping):
        asked /= scale
    row = power_row(name, b.mean(axis=1) - a.mean(axis=1), asked, power, alpha, scale)
    if (a.shape[1] == 1 and budget is None) or row.why:
        return row
    try:
        return replace(row, sources=run_sources(a, b, runs, Wanted(row.effect, power, alpha), budget))
    except UndefinedStatistic as why:
        return replace(row, why=str(why))


def _refuse_unknown(effect: Effect, rows: Sequence[PowerRow]) -> None:
    scales = {row.scale for row in rows}
    if isinstance(effect, float | int) and len(scales) > 1:
        each = ",".join(f"{row.metric}=…" for row in rows[:3])
        raise UsageError(f"--effect {effect:g}: these metrics are on different scales; say it by metric, {each}")
    known = [row.metric for row in rows]
    if isinstance(effect, Mapping) and (odd := [name for name in effect if name not in known]):
        raise AssayError(f"--effect: the files have no column '{odd[0]}'; they have {', '.join(known[:30])}")


def _scale(name: str, values: Any) -> float:
    """How tables show a metric of that name, if the values can be those of ours."""
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


def power_row(metric: str, gaps: Any, effect: float | None, power: float, alpha: float, scale: float = 1.0) -> PowerRow:
    """The row of one metric from its paired differences; the effect defaults to the observed one."""
    values = np.asarray(gaps, dtype=np.float64)
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
    """Two systems in a human study: noise of items and of judges, and the judgements per item that are needed."""

    items: int
    judgements: int
    difference: float
    sd_items: float
    sd_judges: float
    row: PowerRow
    plan: JudgementPlan
    sources: Sources | None = None
    why_no_sources: str = ""


def of_judgements(
    judgements: Sequence[Judgement],
    systems: tuple[str, str],
    criterion: str,
    effect: float | None,
    power: float,
    alpha: float,
    budget: Budget | None = None,
) -> StudyPower:
    """Differences of two systems by the same judge on the same item, split into noise of items and of judges.

    Power is that of these judges on other items; `sources` also counts what other judges would say.
    """
    values: dict[tuple[str, str, str], dict[str, float]] = {}
    for j in judgements:
        if j.criterion == criterion and j.system in systems:
            if isinstance(j.value, str):
                raise AssayError(f"{j.id} of {j.system}: '{j.value}' is not a number")
            values.setdefault((j.id, j.unit, j.annotator), {})[j.system] = float(j.value)
    gaps: dict[tuple[str, str], list[float]] = {}
    judged: list[tuple[float, tuple[str, str], str]] = []
    for (item, unit, judge), pair in values.items():
        if len(pair) == 2:
            judged.append((pair[systems[0]] - pair[systems[1]], (item, unit), judge))
            gaps.setdefault((item, unit), []).append(judged[-1][0])
    if len(gaps) < 2:
        raise AssayError(f"fewer than two items where one judge rated both {systems[0]} and {systems[1]} ({criterion})")
    means = [float(np.mean(each)) for each in gaps.values()]
    total = sum(len(each) for each in gaps.values())
    within = sum(float(np.sum((np.array(each) - np.mean(each)) ** 2)) for each in gaps.values())
    if total == len(gaps):
        raise AssayError("every item has one judge, so the noise of judges cannot be told from that of items")
    judges = within / (total - len(gaps))
    # the variance of item means holds the judges' share as well
    share = float(np.mean([1 / len(each) for each in gaps.values()]))
    between = max(0.0, float(np.var(means, ddof=1)) - judges * share)
    row = power_row(criterion, means, effect, power, alpha)
    if not row.effect:
        raise AssayError("the observed difference is 0; say which difference matters with --effect")
    plan = judgements_needed(row.effect, between**0.5, judges**0.5, len(gaps), power, alpha)
    sources, why = None, ""
    try:
        each, items, people = zip(*judged, strict=True)
        sources = study_sources(each, items, people, Wanted(row.effect, power, alpha), budget)
    except UndefinedStatistic as reason:
        why = str(reason)
    return StudyPower(len(gaps), total, float(np.mean(means)), between**0.5, judges**0.5, row, plan, sources, why)
