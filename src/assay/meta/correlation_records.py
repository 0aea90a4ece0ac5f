"""The report of `assay metric correlate --json`, as it is written and returned by `assay.correlate`."""

from __future__ import annotations

from typing import NotRequired, TypedDict

Matrix = dict[str, dict[str, float | None]]
"""A value for every pair of names; None where it is undefined."""


class CorrelationRecord(TypedDict, total=False):
    """A metric by one method (`r` and further), as a detector (`roc_auc` and further) or by pairs (`accuracy`)."""

    r: float | None
    p: float | None
    n: int
    df: float | None
    method: str
    low: float | None
    high: float | None
    raw: float
    """Without control variables."""
    p_corrected_df: float | None
    p_uncounted_df: float | None
    p_classical: float | None
    df_classical: float | None
    method_classical: str
    permutation_p: float | None
    null_mean: float
    null_sd: float
    within_r: float | None
    within_p: float | None
    within_mean: float | None
    reading: str
    """Name of the value to read where rank correlations of residuals are biased."""
    groups: int
    left_out: int
    disattenuated: float | None
    disattenuated_low: float
    disattenuated_high: float
    why: str
    why_no_p: str
    why_no_interval: str
    roc_auc: float | None
    balanced_accuracy: float | None
    cut: float
    accuracy: float | None
    pairs: int
    tie_width: float


MetricRecord = dict[str, CorrelationRecord]
"""Records of one metric by method, with `detection` and `pairwise` if they are requested."""


class DirectionRecord(TypedDict):
    """Whether a metric is better when higher (1) or lower (-1), and how that is known."""

    sign: int
    known_by: str


class FamilyRecord(TypedDict):
    """Tests that are corrected together."""

    correction: str
    tests: int
    directions: dict[str, DirectionRecord]


class WilliamsRecord(FamilyRecord):
    """How pairs of metrics were tested by Williams' test."""

    tail: str
    method: str


class PermutationRecord(FamilyRecord):
    """How pairs of metrics were tested by permutation."""

    swapped: str
    swaps: int
    seed: int


class DifferenceRecord(TypedDict):
    """The difference of two metrics in their correlation with human scores."""

    difference: float | None
    p: float | None
    p_adjusted: float | None


Differences = dict[str, dict[str, dict[str, DifferenceRecord]]]
"""Differences by method, metric and other metric."""


class NoiseRecord(TypedDict, total=False):
    """Reliability of mean human judgements."""

    annotators: float
    reliability: float | None
    ceiling: float | None
    assumed: str
    why: str


class CorrelationsRecord(TypedDict):
    """Correlations of every metric of one table, with tests between metrics and ablations."""

    n: int
    human: str
    controls: list[str]
    level: str
    metrics: dict[str, MetricRecord]
    williams: Matrix
    williams_adjusted: Matrix
    williams_test: NotRequired[WilliamsRecord]
    differences: Differences
    differences_test: NotRequired[PermutationRecord]
    metric_correlation: dict[str, dict[str, float]]
    ablation: Matrix
    resampled: NotRequired[str]
    human_noise: NotRequired[NoiseRecord]
    by: NotRequired[dict[str, CorrelationsRecord]]
    """The same for the rows with each value of a column."""
    warnings: list[str]
