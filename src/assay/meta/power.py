"""What a pair of systems, or a study, can show with the items it has, and what it would take to show more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import AssayError
from assay.meta.frames import join_scores
from assay.stats.power import JudgementPlan, detectable_effect, items_needed, judgements_needed, power_of
from assay.stats.undefined import UndefinedStatistic

if TYPE_CHECKING:
    from assay.records import Judgement


@dataclass(frozen=True)
class PowerRow:
    """One metric: the observed difference, what could be seen, and the items that the asked-for effect needs."""

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


def of_scores(
    a: Any,
    b: Any,
    effect: float | None,
    power: float,
    alpha: float,
    columns: Sequence[str] = (),
    allow_missing: bool = False,
) -> tuple[list[PowerRow], list[str]]:
    """From two files of per-example scores: each metric's differences, paired by id, and what was left out."""
    if isinstance(a, str | Path) and isinstance(b, str | Path) and Path(a).resolve() == Path(b).resolve():
        raise AssayError(f"{a} is both A and B; give the --per-example files of two systems")
    data = join_scores(a, b, allow_missing)
    rows, notes = [], list(data.notes)
    for name in data.metrics:
        plain = name.removesuffix(" (scores)")
        if (columns and plain not in columns) or plain not in data.frame.columns or plain == name:
            continue
        both = data.frame.drop_nulls([plain, name])
        if len(both) < len(data.frame):
            alone = len(data.frame) - len(both)
            notes.append(f"{plain}: {alone} of {len(data.frame)} items lack a score in A or B and were left out")
        gaps = both[name].to_numpy() - both[plain].to_numpy()
        rows.append(power_row(plain, gaps, effect, power, alpha))
    if not rows:
        wanted = f" called {', '.join(columns)}" if columns else ""
        raise AssayError(f"{a} and {b} have no common column of numbers{wanted}; give two --per-example files")
    return rows, notes


def power_row(metric: str, gaps: Any, effect: float | None, power: float, alpha: float) -> PowerRow:
    """The row of one metric from its paired differences; the effect defaults to the observed one."""
    values = np.asarray(gaps, dtype=np.float64)
    if not len(values) or not np.isfinite(values).all():
        why = "some scores are infinite" if len(values) else "no item has a score in both files"
        return PowerRow(metric, len(values), None, 0.0, effect, None, None, None, None, why)
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
        )
    except UndefinedStatistic as why:
        return PowerRow(metric, len(values), difference, sd, wanted, None, None, None, None, str(why))


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


def of_judgements(
    judgements: Sequence[Judgement],
    systems: tuple[str, str],
    criterion: str,
    effect: float | None,
    power: float,
    alpha: float,
) -> StudyPower:
    """Differences of two systems by the same judge on the same item, split into noise of items and of judges."""
    values: dict[tuple[str, str, str], dict[str, float]] = {}
    for j in judgements:
        if j.criterion == criterion and j.system in systems:
            if isinstance(j.value, str):
                raise AssayError(f"{j.id} of {j.system}: '{j.value}' is not a number")
            values.setdefault((j.id, j.unit, j.annotator), {})[j.system] = float(j.value)
    gaps: dict[tuple[str, str], list[float]] = {}
    for (item, unit, _), pair in values.items():
        if len(pair) == 2:
            gaps.setdefault((item, unit), []).append(pair[systems[0]] - pair[systems[1]])
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
    return StudyPower(len(gaps), total, float(np.mean(means)), between**0.5, judges**0.5, row, plan)
