"""Rates measured by a judge with known error rates: Rogan and Gladen (1978), with the interval of Lang and Reiczigel.

The judge says yes to `positive` of n outputs. Its sensitivity and specificity are shares from outputs that annotators
labelled too; their uncertainty is part of the interval (Lang and Reiczigel 2014, Confidence limits for prevalence of
disease adjusted for estimated sensitivity and specificity).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.stats.validation import UndefinedStatistic

Z = 1.959963984540054


@dataclass(frozen=True)
class CorrectedRate:
    """The rate that the judge reports, the corrected rate, and its 95 % confidence interval."""

    apparent: float
    value: float
    low: float
    high: float
    sensitivity: float
    specificity: float


def corrected_rate(positive: int, n: int, true_yes: int, yes: int, true_no: int, no: int) -> CorrectedRate:
    """Return the rate corrected by the error rates of the judge.

    Args:
        positive: Outputs that the judge calls positive.
        n: Outputs that the judge labelled.
        true_yes: Of the outputs that annotators call positive, those that the judge does too.
        yes: Outputs that annotators call positive.
        true_no: Of the outputs that annotators call negative, those that the judge does too.
        no: Outputs that annotators call negative.

    Raises:
        UndefinedStatistic: the judge is not above chance level, or a count is missing.
    """
    if min(n, yes, no) < 1:
        raise UndefinedStatistic("a corrected rate needs outputs, and human labels of both kinds")
    apparent, sensitivity, specificity = positive / n, true_yes / yes, true_no / no
    if sensitivity + specificity <= 1:
        raise UndefinedStatistic("the judge is not above chance level, so its rate cannot be corrected")
    value = min(1.0, max(0.0, (apparent + specificity - 1) / (sensitivity + specificity - 1)))
    size, size_yes, size_no = n + Z**2, yes + 2, no + 2
    share, se, sp = (positive + Z**2 / 2) / size, (true_yes + 1) / size_yes, (true_no + 1) / size_no
    scale = se + sp - 1
    if scale <= 0:
        raise UndefinedStatistic("too few human labels to correct the rate")
    middle = (share + sp - 1) / scale
    spread_yes, spread_no = se * (1 - se) / size_yes, sp * (1 - sp) / size_no
    shift = 2 * Z**2 * (middle * spread_yes - (1 - middle) * spread_no)
    variance = share * (1 - share) / size + middle**2 * spread_yes + (1 - middle) ** 2 * spread_no
    reach = Z * math.sqrt(variance) / scale
    low, high = (min(1.0, max(0.0, middle + shift + sign * reach)) for sign in (-1, 1))
    return CorrectedRate(apparent, value, min(low, value), max(high, value), sensitivity, specificity)
