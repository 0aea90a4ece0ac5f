"""How large a study has to be, before it is paid for: power, agreement, cost, and which kind of question is cheapest.

The same made-up texts and people answer by rating scale, in pairs or by best and worst. The best and the worst system
are then compared by the mean difference of their scores, with an error that is robust against answers of one person and
of one item being alike; a study succeeds where p is below the level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import AssayError
from assay.stats.agreement import from_counts, krippendorff
from assay.stats.clusters import cluster_error
from assay.stats.distributions import t_quantile
from assay.stats.interval import share_interval
from assay.stats.validation import UndefinedStatistic
from assay.studies.crowd import Crowd, Texts, hand_out, perceive
from assay.studies.kinds import QUESTION_KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ALPHA_STUDIES = 20
"""Of how many simulated studies agreement is the mean."""
LARGEST = 100_000
ROUNDS = 30


@dataclass(frozen=True)
class Plan:
    """What is fixed besides texts and people."""

    per_item: int = 3
    most: int | None = None
    points: int = 5
    tie: float = 0.25
    """Texts that seem nearer to each other than this are called equal, in points."""
    level: float = 0.05
    power: float = 0.8
    pay_per_hour: float | None = None
    pay_per_task: float | None = None
    fee: float = 0.0


@dataclass(frozen=True)
class Forecast:
    """What to expect of a study that asks by one kind of question."""

    kind: str
    items: int
    power: float
    low: float
    high: float
    repeats: int
    agreement: float | None
    people: float
    given_up: float
    minutes: float
    cost: float | None
    items_needed: int | None
    """For the wanted power, by the size of the effect against its error; None where it is beyond reach."""
    minutes_needed: float | None


def forecast(kind: str, texts: Texts, crowd: Crowd, plan: Plan, repeats: int = 200, seed: int = 0) -> Forecast:
    """Run the study many times and count."""
    asked = QUESTION_KINDS.get(kind)
    if texts.systems < asked.fewest_systems:
        raise AssayError(f"{kind} needs at least {asked.fewest_systems} systems")
    if texts.items < 2:
        raise AssayError("a study needs at least two items")
    found, strengths, alphas = 0, [], []
    people = given_up = seconds = 0.0
    for repeat in range(repeats):
        draw = np.random.default_rng([seed, repeat])
        quality = texts.qualities(draw)
        one = asked.task_seconds(texts.systems, crowd)
        work = hand_out(crowd, texts.items, plan.per_item, plan.most, one, draw)
        answers = asked.simulate(perceive(crowd, quality, work, draw), plan)
        gap = answers[:, 0] - answers[:, -1]
        people, given_up, seconds = people + work.people, given_up + work.given_up, seconds + work.seconds
        mean = float(gap.mean())
        try:
            error = cluster_error(gap - mean, work.item, work.person)
            found += error.p(mean) < plan.level
            strengths.append(mean / error.error if error.error else math.inf)
        except UndefinedStatistic:
            pass  # all answers alike, or one person: nothing is found
        if repeat < ALPHA_STUDIES:
            alphas.append(_alpha(answers, work.item, texts.items))
    known = [alpha for alpha in alphas if alpha is not None]
    strength = float(np.median(strengths)) if strengths else 0.0
    needed = _items_needed(strength, texts.items, people / repeats, plan)
    minutes = seconds / repeats / 60
    low, high = share_interval(found, repeats)
    return Forecast(
        kind, texts.items, found / repeats, low, high, repeats, float(np.mean(known)) if known else None,
        people / repeats, given_up / repeats, minutes, _cost(kind, texts, minutes, plan), needed,
        None if needed is None else minutes * needed / texts.items,
    )  # fmt: skip


def compare_kinds(
    kinds: Sequence[str], texts: Texts, crowd: Crowd, plan: Plan, repeats: int = 200, seed: int = 0
) -> tuple[list[Forecast], list[Forecast]]:
    """Each kind on the same texts and people; and each with the items it needs, to see whether these are enough."""
    given = [forecast(kind, texts, crowd, plan, repeats, seed) for kind in kinds]
    sized = [
        forecast(each.kind, replace(texts, items=each.items_needed), crowd, plan, repeats, seed + 1)
        for each in given
        if each.items_needed is not None
    ]
    return given, sized


def false_alarms(kind: str, texts: Texts, crowd: Crowd, plan: Plan, repeats: int = 200, seed: int = 0) -> Forecast:
    """The same study of systems that do not differ: its power is then the rate of false alarms."""
    return forecast(kind, replace(texts, effect=0.0), crowd, plan, repeats, seed + 2)


def _items_needed(strength: float, items: int, people: float, plan: Plan) -> int | None:
    """An effect against its error grows with the square root of the items, as long as people grow with them; with few
    people t is wide."""
    if strength <= 0:
        return None
    needed = items
    for _ in range(ROUNDS):
        df = max(1.0, people * needed / items - 1)
        wanted = t_quantile(1 - plan.level / 2, df) + t_quantile(plan.power, df)
        before, needed = needed, max(2, math.ceil(items * (wanted / strength) ** 2)) if math.isfinite(strength) else 2
        if needed > LARGEST:
            return None
        if needed == before:
            break
    return needed


def _alpha(answers: Floats, item: NDArray[np.int64], items: int) -> float | None:
    """Krippendorff's alpha over texts (ordinal); of pairs over each text's share of wins."""
    systems = answers.shape[1]
    values, codes = np.unique(answers, return_inverse=True)
    counts = np.zeros((items * systems, len(values)))
    text = item[:, None] * systems + np.arange(systems)
    np.add.at(counts, (text.reshape(-1), codes.reshape(-1)), 1)
    try:
        return krippendorff(from_counts(counts), "ordinal")
    except UndefinedStatistic:
        return None


def _cost(kind: str, texts: Texts, minutes: float, plan: Plan) -> float | None:
    if plan.pay_per_task is not None:
        pay = texts.items * QUESTION_KINDS.get(kind).tasks_per_item(texts.systems) * plan.per_item * plan.pay_per_task
    elif plan.pay_per_hour is not None:
        pay = minutes / 60 * plan.pay_per_hour
    else:
        return None
    return pay * (1 + plan.fee)
