"""Rewards of drawn texts by any metric that scores single texts, e.g. the confidence of a perception classifier."""

from __future__ import annotations

import math

from assay.errors import AssayError
from assay.metrics import resolve
from assay.metrics.engine.base import Metric
from assay.models.context import Context
from assay.records.items import Items
from assay.records.types import Example
from assay.systems.neural.generation_objective import Judge
from assay.systems.neural.recipe import Recipe
from assay.systems.neural.rewarded import Reward


def text_reward(recipe: Recipe) -> Reward | None:
    """Return the reward that a recipe names: a score of single texts as a share of its range, 1 at its better end.

    Raises:
        AssayError: There is no such score, it is of a corpus only, or it has no better end or range.
    """
    if not recipe.reward:
        return None
    setting = f"recipe: reward={recipe.reward}"
    spec = f"{recipe.reward}:model={recipe.reward_model}" if recipe.reward_model else recipe.reward
    try:
        requested = [(request.metric, part) for request in resolve([spec]) for part in request.metric.parts()]
    except AssayError as error:
        raise AssayError(f"{setting}: {error}") from None
    metric, part = next(((metric, part) for metric, part in requested if part.name == recipe.reward), (None, None))
    if metric is None or part is None:
        raise AssayError(f"{setting}: name one score: {', '.join(part.name for _, part in requested)}")
    if why := metric.why_not():
        raise AssayError(
            f"{setting}: {why}; set reward_model=FOLDER" if not recipe.reward_model else f"{setting}: {why}"
        )
    if type(metric).per_example is Metric.per_example:
        raise AssayError(f"{setting}: is a score of a whole corpus; name one of single texts")
    low, high = part.bounds
    if part.better is None or low is None or high is None:
        raise AssayError(f"{setting}: needs a score with a better end and a range")

    def reward(texts: list[str], examples: list[Example]) -> list[float]:
        items = Items(tuple(texts), tuple(examples))
        if why := metric.unfit(items):
            raise AssayError(f"{setting}: {why}")
        values = metric.per_example(metric.compute(items, Context()))[part.name]
        shares = [(float(value) - low) / (high - low) for value in values]
        better = shares if part.better == "higher" else [1 - share for share in shares]
        return [0.0 if math.isnan(share) else share for share in better]  # an empty text has no value

    return reward


def mean_reward(reward: Reward) -> Judge:
    """Return the mean reward of validation texts, for `select=reward`."""

    def score(texts: list[str], examples: list[Example]) -> float:
        rewards = reward(texts, examples)
        return sum(rewards) / len(rewards)

    return Judge(score)
