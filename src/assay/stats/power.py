"""Statistical power: the smallest detectable difference, and the items or judgements that a difference needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.stats.distributions import noncentral_t_upper, normal_quantile, t_quantile
from assay.stats.validation import UndefinedStatistic

MOST_ITEMS = 10**8


def power_of(effect: float, sd: float, n: int, alpha: float = 0.05) -> float:
    """Return the power of a two-sided paired t-test over n items.

    Args:
        effect: True mean difference.
        sd: Standard deviation of the differences.
        n: Number of items.
        alpha: Significance level.
    """
    _check(sd, alpha)
    if n < 2:
        raise UndefinedStatistic(f"power needs at least 2 items, got {n}")
    return power_at(abs(effect) / sd * math.sqrt(n), n - 1, alpha)


def power_at(shift: float, df: float, alpha: float = 0.05) -> float:
    """Return the power of a two-sided t-test for a true difference of `shift` standard errors."""
    return _beyond(t_quantile(1 - alpha / 2, df), df, shift)


def _beyond(limit: float, df: float, shift: float) -> float:
    return min(1.0, noncentral_t_upper(limit, df, shift) + noncentral_t_upper(limit, df, -shift))


def detectable_shift(df: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest true difference, in standard errors, that is detected with this power."""
    limit = t_quantile(1 - alpha / 2, df)
    low, high = 0.0, 4.0
    while _beyond(limit, df, high) < power:
        low, high = high, high * 2
    for _ in range(45):
        middle = (low + high) / 2
        low, high = (middle, high) if _beyond(limit, df, middle) < power else (low, middle)
    return high


def detectable_effect(sd: float, n: int, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest true mean difference that n items detect with this power."""
    _check(sd, alpha, power)
    if n < 2:
        raise UndefinedStatistic(f"power needs at least 2 items, got {n}")
    return detectable_shift(n - 1, power, alpha) * sd / math.sqrt(n)


def items_needed(effect: float, sd: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the smallest number of items that detect a true mean difference with this power."""
    _check(sd, alpha, power)
    if effect == 0:
        raise UndefinedStatistic("a difference of exactly 0 cannot be detected with any number of items")
    low, high = 1, 2
    while power_of(effect, sd, high, alpha) < power:
        low, high = high, high * 2
        if high > MOST_ITEMS:
            raise UndefinedStatistic(f"more than {MOST_ITEMS:,} items are needed to detect {effect:g}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if power_of(effect, sd, middle, alpha) < power else (low, middle)
    return high


@dataclass(frozen=True)
class DesignErrors:
    """What a significant result is worth if the true difference has a given size (Gelman and Carlin 2014)."""

    power: float
    type_s: float
    """Share of significant results with the wrong sign."""
    type_m: float
    """Mean size of significant results, as a multiple of the true difference (exaggeration)."""


def design_errors(effect: float, error: float, critical: float = 1.96) -> DesignErrors:
    """Return power, type S and type M errors of a test of a normally distributed estimate.

    Args:
        effect: The true difference.
        error: Standard error of its estimate.
        critical: Size in standard errors from which a difference is significant.

    Raises:
        UndefinedStatistic: The difference or its standard error is 0.
    """
    if not effect or not error > 0:
        raise UndefinedStatistic("type S and type M errors need a true difference and a standard error above 0")
    shift = abs(effect) / error
    right, wrong = (math.erfc((critical + side) / math.sqrt(2)) / 2 for side in (-shift, shift))
    dense = sum(math.exp(-(end**2) / 2) for end in (critical - shift, critical + shift)) / math.sqrt(2 * math.pi)
    power = right + wrong
    return DesignErrors(power, wrong / power, (dense + shift * (right - wrong)) / power / shift)


@dataclass(frozen=True)
class JudgementPlan:
    """Number of judgements per item and in total; None if no number of judgements is enough."""

    per_item: int | None
    total: int | None
    sd_of_item_mean: float


def judgements_needed(
    effect: float, sd_items: float, sd_judges: float, n: int, power: float = 0.8, alpha: float = 0.05
) -> JudgementPlan:
    """Return the judgements that each of n items needs: noise of annotators averages out, that of items does not."""
    _check(max(sd_items, sd_judges), alpha, power)
    allowed = abs(effect) / detectable_effect(1.0, n, power, alpha)  # largest sd of an item mean that is sufficient
    left = allowed**2 - sd_items**2
    if left <= 0:
        return JudgementPlan(None, None, sd_items)
    k = max(1, math.ceil(sd_judges**2 / left - 1e-9))
    return JudgementPlan(k, k * n, math.sqrt(sd_items**2 + sd_judges**2 / k))


def correlation_items_needed(r: float, other: float = 0.0, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the number of items that detect the difference between two correlations, by Fisher's z."""
    _check(1.0, alpha, power)
    if not (-1 < r < 1 and -1 < other < 1) or r == other:
        raise UndefinedStatistic(f"two different correlations inside (-1, 1) are needed, got {r:g} and {other:g}")
    gap = abs(math.atanh(r) - math.atanh(other))
    return math.ceil(((normal_quantile(1 - alpha / 2) + normal_quantile(power)) / gap) ** 2 + 3)


def _check(sd: float, alpha: float, power: float = 0.8) -> None:
    if not sd > 0 or not math.isfinite(sd):
        raise UndefinedStatistic(f"the standard deviation of the differences must be above 0, got {sd:g}")
    if not 0 < alpha < 1 or not alpha < power < 1:
        raise UndefinedStatistic(f"alpha must be in (0, 1) and power in (alpha, 1), got {alpha:g} and {power:g}")
