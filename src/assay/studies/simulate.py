"""Simulation of studies before they are run: power, agreement and cost of each question kind.

Simulated annotators judge simulated texts by each kind of question. The best and the worst system are compared by the
mean difference of their scores, with a standard error clustered by annotator and item. A simulated study detects the
difference if p is below the significance level.
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
from assay.stats.interval import wilson_interval
from assay.stats.validation import UndefinedStatistic
from assay.studies.crowd import Crowd, Texts, assign_items, perceived_quality
from assay.studies.kinds import QUESTION_KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ALPHA_STUDIES = 20
"""Number of simulated studies over which agreement is averaged."""
LARGEST = 100_000
ROUNDS = 30


@dataclass(frozen=True)
class SimulationPlan:
    """Parameters of the study and its analysis."""

    per_item: int = 3
    most: int | None = None
    points: int = 5
    tie: float = 0.25
    """Difference in points below which two texts are judged a tie."""
    level: float = 0.05
    power: float = 0.8
    pay_per_hour: float | None = None
    pay_per_task: float | None = None
    fee: float = 0.0


@dataclass(frozen=True)
class Forecast:
    """Expected results of a study with one kind of question."""

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
    """Number of items for the required power; None if it cannot be reached."""
    minutes_needed: float | None


def forecast(
    kind: str, texts: Texts, crowd: Crowd, plan: SimulationPlan, repeats: int = 200, seed: int = 0
) -> Forecast:
    """Simulate a study `repeats` times."""
    question = QUESTION_KINDS.get(kind)
    if texts.systems < question.fewest_systems:
        raise AssayError(f"{kind} needs at least {question.fewest_systems} systems")
    if texts.items < 2:
        raise AssayError(f"{texts.items} items: a study needs at least 2")
    detected, strengths, alphas = 0, [], []
    annotators = given_up = seconds = 0.0
    for repeat in range(repeats):
        draw = np.random.default_rng([seed, repeat])
        quality = texts.qualities(draw)
        one = question.task_seconds(texts.systems, crowd)
        work = assign_items(crowd, texts.items, plan.per_item, plan.most, one, draw)
        answers = question.simulate(perceived_quality(crowd, quality, work, draw), plan)
        difference = answers[:, 0] - answers[:, -1]
        annotators, given_up, seconds = annotators + work.annotators, given_up + work.given_up, seconds + work.seconds
        mean = float(difference.mean())
        try:
            error = cluster_error(difference - mean, work.item, work.annotator)
            detected += error.p(mean) < plan.level
            strengths.append(mean / error.error if error.error else math.inf)
        except UndefinedStatistic:
            pass  # all answers are equal, or there is one annotator: no difference is detected
        if repeat < ALPHA_STUDIES:
            alphas.append(_alpha(answers, work.item, texts.items))
    known = [alpha for alpha in alphas if alpha is not None]
    strength = float(np.median(strengths)) if strengths else 0.0
    needed = _items_needed(strength, texts.items, annotators / repeats, plan)
    minutes = seconds / repeats / 60
    low, high = wilson_interval(detected, repeats)
    return Forecast(
        kind, texts.items, detected / repeats, low, high, repeats, float(np.mean(known)) if known else None,
        annotators / repeats, given_up / repeats, minutes, _cost(kind, texts, minutes, plan), needed,
        None if needed is None else minutes * needed / texts.items,
    )  # fmt: skip


def compare_kinds(
    kinds: Sequence[str], texts: Texts, crowd: Crowd, plan: SimulationPlan, repeats: int = 200, seed: int = 0
) -> tuple[list[Forecast], list[Forecast]]:
    """Simulate each kind with the same texts and annotators, and again with the number of items that it needs."""
    forecasts = [forecast(kind, texts, crowd, plan, repeats, seed) for kind in kinds]
    sized = [
        forecast(each.kind, replace(texts, items=each.items_needed), crowd, plan, repeats, seed + 1)
        for each in forecasts
        if each.items_needed is not None
    ]
    return forecasts, sized


def false_alarms(
    kind: str, texts: Texts, crowd: Crowd, plan: SimulationPlan, repeats: int = 200, seed: int = 0
) -> Forecast:
    """Simulate a study of systems that do not differ; its power is the false-positive rate."""
    return forecast(kind, replace(texts, effect=0.0), crowd, plan, repeats, seed + 2)


def _items_needed(strength: float, items: int, annotators: float, plan: SimulationPlan) -> int | None:
    """Return the number of items for the required power.

    The ratio of an effect to its standard error grows with the square root of the number of items, if the number of
    annotators grows with it. Few annotators make the t distribution wide.
    """
    if strength <= 0:
        return None
    needed = items
    for _ in range(ROUNDS):
        df = max(1.0, annotators * needed / items - 1)
        wanted = t_quantile(1 - plan.level / 2, df) + t_quantile(plan.power, df)
        before, needed = needed, max(2, math.ceil(items * (wanted / strength) ** 2)) if math.isfinite(strength) else 2
        if needed > LARGEST:
            return None
        if needed == before:
            break
    return needed


def _alpha(answers: Floats, item: NDArray[np.int64], items: int) -> float | None:
    """Return Krippendorff's ordinal alpha over texts; for pairs, over the share of wins of each text."""
    systems = answers.shape[1]
    values, codes = np.unique(answers, return_inverse=True)
    counts = np.zeros((items * systems, len(values)))
    text = item[:, None] * systems + np.arange(systems)
    np.add.at(counts, (text.reshape(-1), codes.reshape(-1)), 1)
    try:
        return krippendorff(from_counts(counts), "ordinal")
    except UndefinedStatistic:
        return None


def _cost(kind: str, texts: Texts, minutes: float, plan: SimulationPlan) -> float | None:
    if plan.pay_per_task is not None:
        pay = texts.items * QUESTION_KINDS.get(kind).tasks_per_item(texts.systems) * plan.per_item * plan.pay_per_task
    elif plan.pay_per_hour is not None:
        pay = minutes / 60 * plan.pay_per_hour
    else:
        return None
    return pay * (1 + plan.fee)
