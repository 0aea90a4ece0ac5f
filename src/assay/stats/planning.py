"""What to buy next: more items, or more of what each item is seen through (annotators, seeds, decoding runs).

The mean difference of two systems is as uncertain as its sources of variance make it, each divided by how often it was
sampled. More of one source helps only with its own share.
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
    """Variances of a difference: of an item, of a source (one annotator, or one run of each system), and of what is
    left in a single look of a source at an item."""

    items: float
    sources: float
    rest: float
    sets: int = 1
    """Independent sets of sources: two where each system has runs of its own."""


@dataclass(frozen=True)
class Plan:
    """So many items, so many sources, and how many of these look at each item."""

    items: int
    sources: int
    each: int


@dataclass(frozen=True)
class Outlook:
    """What a plan shows: the standard error of the difference, what can be seen with it, the power for an effect."""

    name: str
    plan: Plan
    cost: float
    error: float
    df: float
    visible: float
    power: float | None


@dataclass(frozen=True)
class Wanted:
    """The effect that matters (None: only what would be visible is asked), the power, and the level of the test."""

    effect: float | None
    power: float = 0.8
    alpha: float = 0.05


def error_parts(noise: Noise, plan: Plan, before: Plan | None = None) -> tuple[float, float, float]:
    """The variance of the mean difference by source: items, sources, rest.

    What was looked at before stays as it is; new looks go first to the sources that have the fewest.
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
    """The standard error that a plan leads to, and its degrees of freedom by Satterthwaite's rule."""
    items, sources, rest = error_parts(noise, plan, before)
    variance = items + sources + rest
    if not variance > 0:
        raise UndefinedStatistic("the differences do not vary, so nothing can be planned from them")
    doubt = (items + rest) ** 2 / (plan.items - 1)
    if sources:
        doubt += (sources + rest) ** 2 / (noise.sets * max(plan.sources - 1, 1))
    df = max(1.0, variance**2 / doubt)
    error = math.sqrt(variance)
    visible = detectable_shift(df, wanted.power, wanted.alpha) * error
    seen = None if wanted.effect is None else power_at(abs(wanted.effect) / error, df, wanted.alpha)
    return Outlook(name, plan, cost, error, df, visible, seen)


def doubled(noise: Noise, now: Plan, wanted: Wanted, complete: bool) -> list[Outlook]:
    """The study as it is, and with twice as many of one thing: without prices, the answer to what is worth buying."""
    found = [outlook("now", noise, now, wanted), outlook("twice the items", noise, _items(now, 2), wanted)]
    if noise.sources or noise.rest:
        more = replace(now, sources=2 * now.sources, each=2 * now.each)
        found.append(outlook("twice the sources", noise, more, wanted, before=now))
        if not complete and 2 * now.each <= now.sources:
            found.append(outlook("twice the looks", noise, replace(now, each=2 * now.each), wanted))
    return found


def _items(plan: Plan, times: int) -> Plan:
    return replace(plan, items=times * plan.items)


def purchases(
    noise: Noise, now: Plan, wanted: Wanted, budget: float, prices: Mapping[str, float], complete: bool
) -> list[Outlook]:
    """The study as it is; with all the money spent on items, or on sources; and the best mixture.

    Prices are by unit (`item`, `source`, `judgement`); what has no price cannot be bought, and judgements without one
    are free. With `complete` every source looks at every item, as a run of a system does.
    """
    for unit, price in prices.items():
        if unit not in UNITS or not price >= 0:
            raise UndefinedStatistic(f"prices are numbers from 0 on of {', '.join(UNITS)}; got {unit}={price}")
    if not any(prices.get(unit, 0) > 0 for unit in UNITS):
        raise UndefinedStatistic("nothing has a price above 0, so a budget buys any number of it")
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
    found = [outlook("now", noise, now, wanted)]
    for name, group in groups.items():
        # few degrees of freedom cost power too, so the best few by variance are looked at closely
        near = sorted(group, key=lambda each: (each[0], each[1]))[:8]
        looked = [outlook(name, noise, plan, wanted, cost, now) for _, cost, plan in near if plan != now]
        if looked:
            found.append(min(looked, key=lambda each: (each.visible, each.cost)))
    return found


def _affordable(now: Plan, budget: float, prices: Mapping[str, float], complete: bool) -> list[tuple[Plan, float]]:
    """Plans within the budget: some choices of sources and looks, and all the items that the rest of the money buys."""
    item, source, judgement = prices.get("item"), prices.get("source"), prices.get("judgement", 0.0)
    per_source = (source or 0.0) + (judgement * now.items if complete else 0.0)
    most = 0 if source is None else int(budget / per_source) if per_source else 10 * now.sources
    found = []
    for added in _choices(most):
        sources = now.sources + added
        looks = [sources] if complete else _looks(now, sources, budget, judgement)
        for each in looks:
            spent = (source or 0.0) * added + judgement * now.items * (each - now.each)
            if spent > budget * (1 + 1e-12):
                continue
            dear = (item or 0.0) + judgement * each
            more = 0 if item is None else int((budget - spent) / dear + 1e-9) if dear else 10 * now.items
            for bought in {0, more}:
                found.append((Plan(now.items + bought, sources, each), spent + bought * dear))
    return found


def _looks(now: Plan, sources: int, budget: float, judgement: float) -> list[int]:
    most = int(budget / (judgement * now.items)) if judgement else 10 * now.each
    return [now.each + added for added in _choices(min(most, sources - now.each))]


def _choices(most: int) -> list[int]:
    """All whole numbers up to a few, then ever fewer of them."""
    if most <= CHOICES:
        return list(range(max(most, 0) + 1))
    return sorted({0, *np.unique(np.geomspace(1, most, CHOICES).astype(int)).tolist()})
