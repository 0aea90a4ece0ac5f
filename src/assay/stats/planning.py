"""Planning of a study: more items, or more sources (annotators, seeds, decoding runs), within a budget.

The variance of a mean difference is the sum of its variance components, each divided by the number of samples of its
source. More samples of one source reduce only its own component.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.stats.power import detectable_shift, power_at
from assay.stats.validation import UndefinedStatistic

if TYPE_CHECKING:
    from collections.abc import Mapping

UNITS = ("item", "source", "judgement")
CHOICES = 40


@dataclass(frozen=True)
class Noise:
    """Variance components of a difference: items, sources (an annotator, or a run of each system) and the residual of
    one judgement of an item by a source."""

    items: float
    sources: float
    rest: float
    sets: int = 1
    """Number of independent sets of sources: two if each system has its own runs."""


@dataclass(frozen=True)
class Plan:
    """The number of items, of sources, and of sources per item."""

    items: int
    sources: int
    each: int


@dataclass(frozen=True)
class Outlook:
    """The precision of a plan."""

    name: str
    plan: Plan
    cost: float
    error: float
    """Standard error of the difference."""
    df: float
    visible: float
    """Smallest detectable difference."""
    power: float | None
    """Power for the wanted effect."""


@dataclass(frozen=True)
class Wanted:
    """The effect to detect (None: only the smallest detectable one is computed), the power, and the level."""

    effect: float | None
    power: float = 0.8
    alpha: float = 0.05


def error_parts(noise: Noise, plan: Plan, before: Plan | None = None) -> tuple[float, float, float]:
    """Return the variance of the mean difference by component: items, sources, residual.

    Existing judgements are kept; new ones go first to the sources with the fewest.
    """
    looks = plan.items * plan.each
    uneven = 1 / plan.sources
    if before is not None and plan.sources > before.sources:
        done, added = before.items * before.each, plan.sources - before.sources
        if done / before.sources > looks / plan.sources:
            uneven = (done**2 / before.sources + (looks - done) ** 2 / added) / looks**2
    return noise.items / plan.items, noise.sources * uneven, noise.rest / looks


def outlook(
    name: str, noise: Noise, plan: Plan, wanted: Wanted, cost: float = 0.0, before: Plan | None = None
) -> Outlook:
    """Return the precision of a plan, with Satterthwaite's degrees of freedom."""
    items, sources, rest = error_parts(noise, plan, before)
    variance = items + sources + rest
    if not variance > 0:
        raise UndefinedStatistic("the differences do not vary, so a study cannot be planned from them")
    terms = (items + rest) ** 2 / (plan.items - 1)
    if sources:
        terms += (sources + rest) ** 2 / (noise.sets * max(plan.sources - 1, 1))
    df = max(1.0, variance**2 / terms)
    error = math.sqrt(variance)
    visible = detectable_shift(df, wanted.power, wanted.alpha) * error
    power = None if wanted.effect is None else power_at(abs(wanted.effect) / error, df, wanted.alpha)
    return Outlook(name, plan, cost, error, df, visible, power)


def doubled(noise: Noise, now: Plan, wanted: Wanted, complete: bool) -> list[Outlook]:
    """Return the precision of the study as it is, and with twice the items, sources or judgements per item."""
    outlooks = [outlook("now", noise, now, wanted), outlook("twice the items", noise, _items(now, 2), wanted)]
    if noise.sources or noise.rest:
        more = replace(now, sources=2 * now.sources, each=2 * now.each)
        outlooks.append(outlook("twice the sources", noise, more, wanted, before=now))
        if not complete and 2 * now.each <= now.sources:
            outlooks.append(outlook("twice the looks", noise, replace(now, each=2 * now.each), wanted))
    return outlooks


def _items(plan: Plan, times: int) -> Plan:
    return replace(plan, items=times * plan.items)


def purchases(
    noise: Noise, now: Plan, wanted: Wanted, budget: float, prices: Mapping[str, float], complete: bool
) -> list[Outlook]:
    """Return the precision of the study as it is, with the budget spent on items or on sources, and the best mixture.

    Args:
        noise: Variance components.
        now: The current study.
        wanted: Effect, power and level.
        budget: Amount to spend.
        prices: Price by unit (`item`, `source`, `judgement`). Units without a price cannot be bought, except
            judgements, which are free.
        complete: Whether every source judges every item, as a run of a system does.
    """
    for unit, price in prices.items():
        if unit not in UNITS or not price >= 0:
            raise UndefinedStatistic(f"{unit}={price} is not a price; give {', '.join(UNITS)} a number from 0")
    if not any(prices.get(unit, 0) > 0 for unit in UNITS):
        raise UndefinedStatistic("no price is above 0; give at least one")
    plans = list(_affordable(now, budget, prices, complete))
    scored = [(sum(error_parts(noise, plan, now)), cost, plan) for plan, cost in plans]
    groups = {
        "items": [each for each in scored if each[2].sources == now.sources and each[2].each == now.each],
        "sources": [each for each in scored if each[2].items == now.items and each[2].sources > now.sources],
        "looks": [
            each for each in scored if (each[2].items, each[2].sources) == (now.items, now.sources)
        ],
        "best": scored,
    }  # fmt: skip
    outlooks = [outlook("now", noise, now, wanted)]
    for name, group in groups.items():
        # power also depends on the degrees of freedom, so several plans with the smallest variance are compared
        best = sorted(group, key=lambda each: (each[0], each[1]))[:8]
        candidates = [outlook(name, noise, plan, wanted, cost, now) for _, cost, plan in best if plan != now]
        if candidates:
            outlooks.append(min(candidates, key=lambda each: (each.visible, each.cost)))
    return outlooks


def _affordable(now: Plan, budget: float, prices: Mapping[str, float], complete: bool) -> list[tuple[Plan, float]]:
    """Return plans within the budget: choices of sources and judgements per item, and items for the remainder."""
    item, source, judgement = prices.get("item"), prices.get("source"), prices.get("judgement", 0.0)
    per_source = (source or 0.0) + (judgement * now.items if complete else 0.0)
    most = 0 if source is None else int(budget / per_source) if per_source else 10 * now.sources
    plans = []
    for added in _choices(most):
        sources = now.sources + added
        looks = [sources] if complete else _looks(now, sources, budget, judgement)
        for each in looks:
            spent = (source or 0.0) * added + judgement * now.items * (each - now.each)
            if spent > budget * (1 + 1e-12):
                continue
            per_item = (item or 0.0) + judgement * each
            more = 0 if item is None else int((budget - spent) / per_item + 1e-9) if per_item else 10 * now.items
            for bought in {0, more}:
                plans.append((Plan(now.items + bought, sources, each), spent + bought * per_item))
    return plans


def _looks(now: Plan, sources: int, budget: float, judgement: float) -> list[int]:
    most = int(budget / (judgement * now.items)) if judgement else 10 * now.each
    return [now.each + added for added in _choices(min(most, sources - now.each))]


def _choices(most: int) -> list[int]:
    """Return all integers up to 40; beyond, 40 integers with increasing distances."""
    if most <= CHOICES:
        return list(range(max(most, 0) + 1))
    return sorted({0, *np.unique(np.geomspace(1, most, CHOICES).astype(int)).tolist()})
