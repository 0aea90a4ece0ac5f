"""Variance components of a difference (items, annotators, runs), and what would reduce its standard error most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.errors import AssayError
from assay.stats.components import components
from assay.stats.planning import Noise, Outlook, Plan, Wanted, doubled, error_parts, purchases
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SourceKind = Literal["annotator", "run"]
Runs = Literal["independent", "paired"]


@dataclass(frozen=True)
class Budget:
    """An amount to spend, and prices by unit: `item`, `annotator` or `run`, `judgement`."""

    amount: float
    prices: Mapping[str, float]


@dataclass(frozen=True)
class VarianceSources:
    """Variance components of one difference: standard deviations, shares of the error variance, and options."""

    kind: SourceKind
    plan: Plan
    sd_items: float
    sd_sources: float
    sd_rest: float
    share_items: float
    share_sources: float
    share_rest: float
    outlooks: list[Outlook]
    notes: list[str]


def study_sources(
    differences: Sequence[float],
    items: Sequence[tuple[str, str]],
    annotators: Sequence[str],
    wanted: Wanted,
    budget: Budget | None = None,
) -> VarianceSources:
    """Return variance sources of a study, from differences of two systems by one annotator on one item."""
    ids, names = (list(dict.fromkeys(each)) for each in (items, annotators))
    codes = {"item": [ids.index(each) for each in items], "annotator": [names.index(each) for each in annotators]}
    parts = components(np.asarray(differences, dtype=np.float64), codes)
    noise = Noise(parts.variance("item"), parts.variance("annotator"), parts.variance("residual"))
    each = max(1, round(len(differences) / len(ids)))
    plan = Plan(len(ids), len(names), min(each, len(names)))
    return _sources("annotator", noise, plan, wanted, budget, list(parts.notes))


def run_sources(a: Floats, b: Floats, runs: Runs, wanted: Wanted, budget: Budget | None = None) -> VarianceSources:
    """Return variance sources of runs, from scores of two systems as items x runs.

    Paired runs share a factor, e.g. the reference or the seed.
    """
    items, many = a.shape
    notes: list[str] = []
    by_item = b.mean(axis=1) - a.mean(axis=1)
    if many == 1:
        noise = Noise(float(by_item.var(ddof=1)), 0.0, 0.0)
    elif runs == "paired":
        paired = components((b - a).ravel(), _codes(items, many))
        noise = Noise(paired.variance("item"), paired.variance("run"), paired.variance("residual"))
        notes = list(paired.notes)
    else:
        parts = [components(table.ravel(), _codes(items, many)) for table in (a, b)]
        rest = sum(each.variance("residual") for each in parts)
        notes = [f"{name}: {note}" for name, each in zip("AB", parts, strict=True) for note in each.notes]
        notes = [note for note in notes if " run:" in note]
        between = float(by_item.var(ddof=1)) - rest / many
        noise = Noise(max(0.0, between), sum(each.variance("run") for each in parts), rest, sets=2)
    return _sources("run", noise, Plan(items, many, many), wanted, budget, notes)


def _codes(items: int, runs: int) -> dict[str, NDArray[np.int64]]:
    item, run = (index.ravel() for index in np.indices((items, runs)))
    return {"item": item, "run": run}


def _sources(
    kind: SourceKind, noise: Noise, plan: Plan, wanted: Wanted, budget: Budget | None, notes: list[str]
) -> VarianceSources:
    try:
        if budget is None:
            outlooks = doubled(noise, plan, wanted, complete=kind == "run")
        else:
            prices = {"source" if unit == kind else unit: price for unit, price in budget.prices.items()}
            if odd := [unit for unit in budget.prices if unit not in ("item", kind, "judgement")]:
                known = f"item, {kind}" + (", judgement" if kind == "annotator" else "")
                raise AssayError(f"--cost {odd[0]}: unknown unit. Use {known}.")
            outlooks = purchases(noise, plan, wanted, budget.amount, prices, complete=kind == "run")
    except UndefinedStatistic as why:
        raise AssayError(f"{why}. See --cost.") from None
    parts = error_parts(noise, plan)
    return VarianceSources(
        kind=kind,
        plan=plan,
        sd_items=noise.items**0.5,
        sd_sources=noise.sources**0.5,
        sd_rest=noise.rest**0.5,
        share_items=parts[0] / sum(parts),
        share_sources=parts[1] / sum(parts),
        share_rest=parts[2] / sum(parts),
        outlooks=outlooks,
        notes=notes,
    )
