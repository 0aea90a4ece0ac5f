"""Where the doubt about a difference comes from (items, annotators, runs), and what would lessen it most."""

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
    """Money to spend and what each unit costs: `item`, `annotator` or `run`, `judgement`."""

    amount: float
    prices: Mapping[str, float]


@dataclass(frozen=True)
class Sources:
    """The sources of doubt of one difference: deviations, shares of the squared standard error, and what to buy."""

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
    gaps: Sequence[float],
    items: Sequence[tuple[str, str]],
    annotators: Sequence[str],
    wanted: Wanted,
    budget: Budget | None = None,
) -> Sources:
    """From differences of two systems by the same annotator on the same item."""
    ids, people = (list(dict.fromkeys(each)) for each in (items, annotators))
    codes = {"item": [ids.index(each) for each in items], "annotator": [people.index(each) for each in annotators]}
    found = components(np.asarray(gaps, dtype=np.float64), codes)
    noise = Noise(found.variance("item"), found.variance("annotator"), found.variance("residual"))
    each = max(1, round(len(gaps) / len(ids)))
    plan = Plan(len(ids), len(people), min(each, len(people)))
    return _sources("annotator", noise, plan, wanted, budget, list(found.notes))


def run_sources(a: Floats, b: Floats, runs: Runs, wanted: Wanted, budget: Budget | None = None) -> Sources:
    """From scores of two systems, items x runs; paired runs (the same reference, the same seed) belong together."""
    items, many = a.shape
    notes: list[str] = []
    gap = b.mean(axis=1) - a.mean(axis=1)
    if many == 1:
        noise = Noise(float(gap.var(ddof=1)), 0.0, 0.0)
    elif runs == "paired":
        found = components((b - a).ravel(), _codes(items, many))
        noise = Noise(found.variance("item"), found.variance("run"), found.variance("residual"))
        notes = list(found.notes)
    else:
        parts = [components(table.ravel(), _codes(items, many)) for table in (a, b)]
        rest = sum(each.variance("residual") for each in parts)
        notes = [f"{name}: {note}" for name, each in zip("AB", parts, strict=True) for note in each.notes]
        notes = [note for note in notes if " run:" in note]
        between = float(gap.var(ddof=1)) - rest / many
        noise = Noise(max(0.0, between), sum(each.variance("run") for each in parts), rest, sets=2)
    return _sources("run", noise, Plan(items, many, many), wanted, budget, notes)


def _codes(items: int, runs: int) -> dict[str, NDArray[np.int64]]:
    item, run = (index.ravel() for index in np.indices((items, runs)))
    return {"item": item, "run": run}


def _sources(
    kind: SourceKind, noise: Noise, plan: Plan, wanted: Wanted, budget: Budget | None, notes: list[str]
) -> Sources:
    try:
        if budget is None:
            outlooks = doubled(noise, plan, wanted, complete=kind == "run")
        else:
            prices = {"source" if unit == kind else unit: price for unit, price in budget.prices.items()}
            if odd := [unit for unit in budget.prices if unit not in ("item", kind, "judgement")]:
                known = f"item, {kind}" + (", judgement" if kind == "annotator" else "")
                raise AssayError(f"--cost: nothing here is bought by the {odd[0]}; give {known}")
            outlooks = purchases(noise, plan, wanted, budget.amount, prices, complete=kind == "run")
    except UndefinedStatistic as why:
        raise AssayError(f"{why}; see --cost") from None
    parts = error_parts(noise, plan)
    return Sources(
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
