"""Simulation of studies before they are run: power, agreement and cost of each question kind.

Simulated annotators judge simulated texts by each kind of question. Each simulated study is analysed by the tests of
`assay study analyze`: ratings by the mixed model, whose conclusion holds for any annotators, and all kinds by the
paired permutation test of the ranking, which holds for these annotators. Both are corrected over all pairs of systems.
A study detects the difference if the adjusted p of the best and the worst system is below the significance level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.meta.ranking import adjusted_pairs
from assay.meta.ratings import model_ratings
from assay.records import Judgement
from assay.stats.agreement import from_counts, krippendorff
from assay.stats.distributions import t_quantile
from assay.stats.interval import wilson_interval
from assay.stats.mixed import STARTS
from assay.stats.validation import UndefinedStatistic
from assay.studies.crowd import Crowd, Texts, Workload, assign_items, perceived_quality
from assay.studies.kinds import QUESTION_KINDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ALPHA_STUDIES = 20
"""Number of simulated studies over which agreement is averaged."""
PERMUTATIONS = 1_000
"""Permutations of the test of a simulated ranking; `analyze` draws ten times as many."""
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
    """Share of studies in which `test` detects the difference."""
    low: float
    high: float
    repeats: int
    test: str
    """The test that `analyze` runs: `mixed model` (any annotators) or `ranking` (these annotators)."""
    power_these: float
    """Share of studies in which the ranking separates the two systems, for these annotators."""
    detectable: float | None
    """Smallest difference in points that the mixed model can detect with these annotators, however many items."""
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
    detected = ranked = 0
    tests: list[Tested] = []
    alphas = []
    annotators = given_up = seconds = 0.0
    for repeat in range(repeats):
        draw = np.random.default_rng([seed, repeat])
        quality = texts.qualities(draw)
        one = question.task_seconds(texts.systems, crowd)
        work = assign_items(crowd, texts.items, plan.per_item, plan.most, one, draw)
        answers = question.simulate(perceived_quality(crowd, quality, work, draw), plan)
        annotators, given_up, seconds = annotators + work.annotators, given_up + work.given_up, seconds + work.seconds
        ranks = ranking_test(answers, work, texts)
        ranked += ranks.p < plan.level
        tested = ranks if question.compares else model_test(answers, work)
        detected += tested.p < plan.level
        tests.append(tested)
        if repeat < ALPHA_STUDIES:
            alphas.append(_alpha(answers, work.item, texts.items))
    known = [alpha for alpha in alphas if alpha is not None]
    people = annotators / repeats
    floor = None if question.compares else detectable(crowd, people, plan)
    corrected = replace(plan, level=plan.level / math.comb(texts.systems, 2))  # the largest difference has the first p
    needed = _items_needed(tests, texts.items, people, corrected, None if question.compares else crowd.taste)
    minutes = seconds / repeats / 60
    low, high = wilson_interval(detected, repeats)
    return Forecast(
        kind, texts.items, detected / repeats, low, high, repeats, "ranking" if question.compares else "mixed model",
        ranked / repeats, floor, float(np.mean(known)) if known else None,
        annotators / repeats, given_up / repeats, minutes, _cost(kind, texts, minutes, plan), needed,
        None if needed is None else minutes * needed / texts.items,
    )  # fmt: skip


class Tested(NamedTuple):
    """The adjusted p of the best and the worst system, their difference and its standard error."""

    p: float
    difference: float
    error: float


NOTHING = Tested(1.0, 0.0, 0.0)
"""No difference: all answers are equal, or there is one annotator."""


def ranking_test(answers: Floats, work: Workload, texts: Texts) -> Tested:
    """Test the means of items, as the ranking of `analyze` does."""
    counts = np.bincount(work.item, minlength=texts.items)
    table = np.array([np.bincount(work.item, column, texts.items) / counts for column in answers.T])
    difference = table[0] - table[-1]
    error = float(difference.std(ddof=1)) / math.sqrt(texts.items)
    try:
        return Tested(float(adjusted_pairs(table, permutations=PERMUTATIONS)[0, -1]), float(difference.mean()), error)
    except UndefinedStatistic:
        return NOTHING


def model_test(answers: Floats, work: Workload) -> Tested:
    """Fit the mixed model of `analyze`."""
    systems = answers.shape[1]
    judgements = [
        Judgement(id=f"{item}", system=f"{system}", annotator=f"{who}", criterion="q", value=float(row[system]))
        for item, who, row in zip(work.item.tolist(), work.annotator.tolist(), answers, strict=True)
        for system in range(systems)
    ]
    try:
        pairs = model_ratings(judgements, "q", "linear", STARTS[:1]).pairs
    except AssayError:
        return NOTHING
    pair = next(pair for pair in pairs if {pair.a, pair.b} == {"0", f"{systems - 1}"})
    sign = 1 if pair.a == "0" else -1
    return Tested(pair.p_adjusted, sign * pair.difference, pair.error)


def detectable(crowd: Crowd, annotators: float, plan: SimulationPlan) -> float | None:
    """Return the smallest difference that the mixed model detects with the required power, however many items.

    The preferences of so few annotators for a system do not average out with more items. None with one annotator.
    """
    df = annotators - 1
    if df < 1:
        return None
    return (t_quantile(1 - plan.level / 2, df) + t_quantile(plan.power, df)) * crowd.taste * math.sqrt(2 / annotators)


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


def _items_needed(
    tests: Sequence[Tested], items: int, annotators: float, plan: SimulationPlan, taste: float | None
) -> int | None:
    """Return the number of items for the required power; None if it cannot be reached.

    The error falls with the square root of the number of items. If the number of annotators does not grow with it, the
    part that is due to their tastes stays (mixed model), and few annotators make the t distribution wide.

    Args:
        tests: Tests of the simulated studies.
        items: Their number of items.
        annotators: Their number of annotators.
        plan: Significance level, power, and the largest number of items of an annotator.
        taste: Standard deviation of annotators' preferences; None for a test about these annotators.
    """
    difference = float(np.median([each.difference for each in tests]))
    squared = float(np.median([each.error for each in tests])) ** 2
    if difference <= 0 or squared <= 0:
        return None
    grows = plan.most is not None and plan.most < items
    stays = 0.0 if grows or taste is None else min(2 * taste**2 / annotators, 0.9 * squared)
    needed = items
    for _ in range(ROUNDS):
        people = annotators * needed / items if grows else annotators
        df = max(1.0, (needed if taste is None else people) - 1)
        wanted = (difference / (t_quantile(1 - plan.level / 2, df) + t_quantile(plan.power, df))) ** 2
        if wanted <= stays:
            return None
        before, needed = needed, max(2, math.ceil(items * (squared - stays) / (wanted - stays)))
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
