"""Correlation of metrics with human scores, with p-values and confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.meta.correlation_records import CorrelationRecord, MetricRecord
from assay.meta.correlation_warnings import confounding, rank_bias
from assay.meta.directions import Better
from assay.meta.joined_scores import JoinedScores, columns_of
from assay.meta.resampling import INPUT_COLUMNS, column_of, group_column, resampling
from assay.stats.classification import best_threshold, pairwise_accuracy, roc_auc
from assay.stats.correlation import Correlation, Method, averaged_within, correlate, of_group_means
from assay.stats.correlation_interval import correlation_interval
from assay.stats.crossed import Level, Unit
from assay.stats.crossed_jackknife import leave_out
from assay.stats.partial import partial, rank_nulls
from assay.stats.validation import UndefinedStatistic, group_codes

Tail = Literal["two-sided", "one-sided", "frank"]
"""Alternative of Williams' test. `one-sided`: the metric of the row correlates higher than that of the column, a
hypothesis stated in advance. `frank`: as printed by Pagnoni et al. (2021), one-sided for the larger correlation, which
rejects 10 % of equal pairs at .05."""

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray


@dataclass(frozen=True)
class CorrelateRequest:
    """How metrics are correlated with human scores: the options of `assay metric correlate`."""

    human: str = ""
    """The human column (default: `Factuality`, or the only numeric one)."""
    controls: tuple[str, ...] = ()
    """Categorical columns held constant; `a*b` controls for every combination of two."""
    methods: tuple[Method, ...] = ("pearson", "spearman")
    level: Level = "global"
    classical: bool = False
    """p of the textbook, which takes all texts for independent, as printed in published tables."""
    samples: int = 0
    """Number of bootstrap resamples for p and confidence intervals (0: systems and inputs are left out in turn)."""
    cluster: str | None = None
    """Column that identifies the inputs, instead of `hash` or `id`."""
    resample: Unit | None = None
    """Units that are left out or resampled, and permuted to compare metrics (default: systems and inputs)."""
    directions: Mapping[str, Better] = field(default_factory=dict)
    """Direction of metrics, or of the human column: whether higher or lower is better."""
    counted_df: bool = True
    """Subtract the groups of controls from the degrees of freedom of p."""
    permutations: int = 1000
    positive: float | None = None
    """Minimum human score of the positive class of ROC-AUC and balanced accuracy."""
    pairwise: bool = False
    """Also compute the accuracy of ordering two texts."""
    seed: int = 0
    ablate: tuple[str, ...] = ()
    """Error categories to ablate."""
    williams: Tail | None = None
    """Williams' test of every pair of metrics."""
    differences: bool = False
    """Permutation test of every pair of metrics."""


@dataclass
class Correlations:
    """A record (r, p, n, df, ...) for each metric and method, and warnings."""

    n: int
    human: str
    metrics: dict[str, MetricRecord]
    warnings: list[str] = field(default_factory=list)


class MetricJob(NamedTuple):
    """One metric to correlate; the seed is part of the request, so the executor does not matter."""

    rows: polars.DataFrame
    metric: str
    request: CorrelateRequest


def correlate_metric(job: MetricJob) -> Iterator[tuple[str, MetricRecord]]:
    """Yield the record of one metric."""
    yield job.metric, _one_metric(job.rows, job.metric, job.request)


def correlate_metrics(data: JoinedScores, request: CorrelateRequest, executor: Executor = SERIAL) -> Correlations:
    """Correlate every metric with the human column.

    Args:
        data: Human scores joined with metric scores.
        request: Methods, level, controls and resampling.
        executor: Runs metrics in parallel if there are resamples.

    Raises:
        AssayError: There is no human score or no metric.
    """
    known = data.frame.drop_nulls(request.human)
    warnings = list(data.notes)
    if len(known) < len(data.frame):
        warnings.append(f"{len(data.frame) - len(known)} rows without '{request.human}' are left out.")
    if known.is_empty():
        raise AssayError(f"No row has a human score in '{request.human}'.")
    if not data.metrics:
        raise AssayError("The scores have no numeric column other than the keys, so there is no metric to correlate.")
    answer = Correlations(len(known), request.human, {}, warnings)
    jobs: list[MetricJob] = []
    for metric in data.metrics:
        rows = known.drop_nulls(metric)
        if len(rows) < len(known):
            warnings.append(
                f"{metric}: {len(known) - len(rows)} of {len(known)} scores are missing; the others are used."
            )
        jobs.append(MetricJob(rows, metric, request))
    answer.metrics |= dict((SERIAL if request.classical else executor).map(correlate_metric, jobs))
    if request.controls and request.level == "global" and "spearman" in request.methods:
        _add_rank_nulls(answer, known, request)
    warnings += confounding(answer, request) + rank_bias(answer, known, request)
    return answer


def _add_rank_nulls(answer: Correlations, known: polars.DataFrame, request: CorrelateRequest) -> None:
    """Add null distributions of rank correlations by permutation, for metrics with the same rows at once."""
    same_rows: dict[bytes, list[str]] = {}
    for name, record in answer.metrics.items():
        if record["spearman"]["r"] is not None:
            same_rows.setdefault(known[name].is_not_null().to_numpy().tobytes(), []).append(name)
    for names in same_rows.values():
        rows = known.drop_nulls(names[0])
        y, groups = rows[request.human].to_numpy(), _crossed(control_codes(rows, request.controls))
        columns = [rows[name].to_numpy() for name in names]
        for name, null in zip(names, rank_nulls(columns, y, groups, request.permutations, request.seed), strict=True):
            if "pearson" in answer.metrics[name]:
                answer.metrics[name]["pearson"]["permutation_p"] = null.linear_p
            answer.metrics[name]["spearman"] |= {
                "null_mean": null.null_mean,
                "null_sd": null.null_sd,
                "permutation_p": null.p,
                "within_r": null.within_rank,
                "within_p": null.within_rank_p,
                "within_mean": null.within_mean,
            }


def require_correlations(answer: Correlations) -> None:
    """Raise AssayError with the first reason if no metric has a correlation."""
    reasons = [f"{name}: {r['why']}" for name, record in answer.metrics.items() for r in record.values() if "why" in r]
    if all(record.get("r") is None for each in answer.metrics.values() for record in each.values()):
        raise AssayError(f"No metric could be correlated with '{answer.human}'. {reasons[0]}")


def _one_metric(rows: polars.DataFrame, metric: str, request: CorrelateRequest) -> MetricRecord:
    record: MetricRecord = {}
    if rows.is_empty():
        return {method: {"r": None, "p": None, "n": 0, "why": "no scores"} for method in request.methods}
    x, y = rows[metric].to_numpy().astype(float), rows[request.human].to_numpy().astype(float)
    controls = control_codes(rows, request.controls)
    for method in request.methods:
        try:
            record[method] = _one_method(rows, x, y, controls, method, request)
        except UndefinedStatistic as why:
            partial_of = f" with {' and '.join(request.controls)} held constant" if controls else ""
            reason = _named(str(why), metric, request.human) + partial_of
            record[method] = {"r": None, "p": None, "n": len(x), "why": reason}
    if request.positive is not None:
        record["detection"] = _detection(x, y >= request.positive, metric)
    if request.pairwise:
        document = column_of(rows, INPUT_COLUMNS)
        groups = None if document is None else group_codes(rows[document].to_numpy())
        try:
            pairs = pairwise_accuracy(x, y, groups, epsilon=None)
            record["pairwise"] = {"accuracy": pairs.accuracy, "pairs": pairs.pairs, "tie_width": pairs.epsilon}
        except UndefinedStatistic as why:
            record["pairwise"] = {"accuracy": None, "why": str(why)}
    return record


def _one_method(
    rows: polars.DataFrame,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    controls: list[NDArray[np.int64]],
    method: Method,
    request: CorrelateRequest,
) -> CorrelationRecord:
    if request.level != "global":
        return _grouped(rows, x, y, method, request)
    if not controls:
        result = correlate(x, y, method)
        record = _record(result, result.method)
    else:
        counted, plain = (partial(x, y, *controls, method=method, corrected_df=each) for each in (True, False))
        result = counted if request.counted_df else plain
        record = _record(result, f"partial {result.method}")
        record["raw"] = correlate(x, y, method).r
        if result.df is not None:
            record |= {"p_corrected_df": counted.p, "p_uncounted_df": plain.p}
    return _inferred(record, rows, x, y, _crossed(controls) if controls else None, method, request)


def _record(result: Correlation, method: str) -> CorrelationRecord:
    return {"r": result.r, "p": result.p, "n": result.n, "df": result.df, "method": method}


def _grouped(
    rows: polars.DataFrame, x: NDArray[np.float64], y: NDArray[np.float64], method: Method, request: CorrelateRequest
) -> CorrelationRecord:
    groups = group_column(rows, request.level)
    if request.level == "system":
        result = of_group_means(x, y, groups, method)
        means = _record(result, f"{result.method}, of means")
        return _inferred(means, rows, x, y, None, method, request)
    mean = averaged_within(x, y, groups, method)
    record: CorrelationRecord = {
        "r": mean.r, "p": None, "n": len(x), "df": None, "method": f"{method}, mean over groups",
        "groups": mean.groups, "left_out": len(mean.left_out),
    }  # fmt: skip
    if request.classical:
        record["why_no_p"] = "an average of correlations has no classical p; leave out --classical"
    return _inferred(record, rows, x, y, None, method, request)


def _inferred(
    classical: CorrelationRecord,
    rows: polars.DataFrame,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    controls: NDArray[np.int64] | None,
    method: Method,
    request: CorrelateRequest,
) -> CorrelationRecord:
    """Return the record with p and interval from one distribution, or the reason why there are none.

    The classical values are kept under names of their own.
    """
    if request.classical:
        return classical
    p, df, formula = classical["p"], classical["df"], classical["method"]
    record = classical | {"p_classical": p, "df_classical": df, "method_classical": formula}
    how, r = resampling(rows, request, controls), record["r"]
    try:
        if request.samples and r is not None:
            interval, p = correlation_interval(
                x, y, r, how.table, request.level, method, how.unit, request.samples, request.seed
            )
            return record | {
                "p": p, "df": None, "low": interval.low, "high": interval.high,
                "method": f"{method}, {request.samples} resamples of {how.units()}",
            }  # fmt: skip
        estimate = leave_out(x, y, how.table, request.level, method, how.unit, request.seed).estimate()
    except UndefinedStatistic as why:
        return record | {
            "p": None, "df": None, "low": None, "high": None, "why_no_p": str(why), "why_no_interval": str(why),
        }  # fmt: skip
    low, high = estimate.interval()
    return record | {
        "p": estimate.p, "df": estimate.df, "low": low, "high": high,
        "method": f"{method}, {how.units()} left out in turn, t with {estimate.df:.1f} df",
    }  # fmt: skip


def control_codes(rows: polars.DataFrame, controls: Sequence[str]) -> list[NDArray[np.int64]]:
    """Return each control as integer codes; `a*b` crosses columns a and b."""
    return [
        group_codes(*(rows[name].cast(str).to_numpy() for name in columns_of(rows, control.split("*"), "--control")))
        for control in controls
    ]


def _crossed(controls: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return controls[0] if len(controls) == 1 else group_codes(*controls)


def _detection(x: NDArray[np.float64], positive: NDArray[np.bool_], metric: str) -> CorrelationRecord:
    try:
        best = best_threshold(x, positive)
        return {"roc_auc": roc_auc(x, positive), "balanced_accuracy": best.balanced_accuracy, "cut": best.cut}
    except UndefinedStatistic as why:
        return {"roc_auc": None, "balanced_accuracy": None, "why": str(why)}


def _named(why: str, metric: str, human: str) -> str:
    return why.replace("the first column", f"the metric '{metric}'").replace("the second column", f"'{human}'")


def split_by(data: JoinedScores, column: str) -> dict[str, JoinedScores]:
    """Split joined scores by the values of one column."""
    columns_of(data.frame, [column], "--by")
    values = sorted(data.frame[column].drop_nulls().unique().to_list(), key=str)
    return {
        f"{value:g}" if isinstance(value, float) else str(value): replace(
            data, frame=data.frame.filter(data.frame[column] == value), notes=()
        )
        for value in values
    }
