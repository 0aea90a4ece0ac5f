"""How well metrics follow people: correlations with their doubts, Williams' test, and what each metric rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor
from assay.meta.correlation_warnings import confounding, rank_bias
from assay.meta.directions import Better
from assay.meta.frames import Joined, columns_of
from assay.meta.resampling import INPUT_COLUMNS, column_of, group_column, resampling
from assay.stats.classification import best_threshold, pairwise_accuracy, roc_auc
from assay.stats.correlation import Method, averaged_within, correlate, of_group_means
from assay.stats.correlation_interval import correlation_interval
from assay.stats.crossed import Level, Unit
from assay.stats.partial import partial, rank_nulls
from assay.stats.validation import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Question:
    """What is asked of one joined table."""

    human: str
    controls: tuple[str, ...] = ()
    """Names of categorical columns; `a*b` holds every combination of two constant."""
    methods: tuple[Method, ...] = ("pearson", "spearman")
    level: Level = "global"
    samples: int = 0
    """Bootstrap resamples for intervals; 0 for none."""
    cluster: str | None = None
    """The column that says which texts belong to one input, where that is not the document."""
    resample: Unit | None = None
    """What is drawn anew for intervals, and swapped to compare metrics; what the level is about if not said."""
    directions: Mapping[str, Better] = field(default_factory=dict)
    """Metrics (or a human column) of which it was said whether higher or lower is better."""
    counted_df: bool = True
    """Whether the groups of controls are subtracted from the degrees of freedom of p."""
    permutations: int = 1000
    positive: float | None = None
    """Human scores from here up are the positive class of ROC-AUC and balanced accuracy."""
    pairwise: bool = False
    seed: int = 0


@dataclass
class Answer:
    """Per metric and method a small record (r, p, n, df, ...), and what a reader should be warned of."""

    n: int
    human: str
    metrics: dict[str, dict[str, dict[str, Any]]]
    warnings: list[str] = field(default_factory=list)


class MetricJob(NamedTuple):
    """One metric against people; all chance in it is drawn from the question's seed, whoever does it."""

    rows: polars.DataFrame
    metric: str
    question: Question


def correlate_metric(job: MetricJob) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    yield job.metric, _one_metric(job.rows, job.metric, job.question)


def ask(data: Joined, question: Question, executor: Executor = SERIAL) -> Answer:
    """Correlate every metric with the human column; with resamples, which take long, metric by metric elsewhere."""
    known = data.frame.drop_nulls(question.human)
    warnings = list(data.notes)
    if len(known) < len(data.frame):
        warnings.append(f"{len(data.frame) - len(known)} rows without '{question.human}' were left out")
    if known.is_empty():
        raise AssayError(f"no row has a human score in '{question.human}'")
    if not data.metrics:
        raise AssayError("the score file has no numeric column besides its keys, so there is no metric to correlate")
    answer = Answer(len(known), question.human, {}, warnings)
    jobs: list[MetricJob] = []
    for metric in data.metrics:
        rows = known.drop_nulls(metric)
        if len(rows) < len(known):
            warnings.append(f"{metric}: {len(known) - len(rows)} of {len(known)} scores are missing; it uses the rest")
        jobs.append(MetricJob(rows, metric, question))
    answer.metrics |= dict((executor if question.samples else SERIAL).map(correlate_metric, jobs))
    if question.controls and question.level == "global" and "spearman" in question.methods:
        _add_rank_nulls(answer, known, question)
    warnings += confounding(answer, question) + rank_bias(answer, known, question)
    return answer


def _add_rank_nulls(answer: Answer, known: polars.DataFrame, question: Question) -> None:
    """What shuffling would show, for all metrics that were scored on the same rows at once."""
    alike: dict[bytes, list[str]] = {}
    for name, record in answer.metrics.items():
        if record["spearman"]["r"] is not None:
            alike.setdefault(known[name].is_not_null().to_numpy().tobytes(), []).append(name)
    for names in alike.values():
        rows = known.drop_nulls(names[0])
        y, groups = rows[question.human].to_numpy(), _crossed(control_codes(rows, question.controls))
        columns = [rows[name].to_numpy() for name in names]
        for name, null in zip(names, rank_nulls(columns, y, groups, question.permutations, question.seed), strict=True):
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


def refuse_empty(answer: Answer) -> None:
    """An answer without a single number is no answer: say the first reason instead."""
    reasons = [f"{name}: {r['why']}" for name, record in answer.metrics.items() for r in record.values() if "why" in r]
    if all(record.get("r") is None for each in answer.metrics.values() for record in each.values()):
        raise AssayError(f"no metric could be correlated with '{answer.human}'; {reasons[0]}")


def _one_metric(rows: polars.DataFrame, metric: str, question: Question) -> dict[str, dict[str, Any]]:
    record: dict[str, dict[str, Any]] = {}
    if rows.is_empty():
        return {method: {"r": None, "p": None, "n": 0, "why": "no scores"} for method in question.methods}
    x, y = rows[metric].to_numpy().astype(float), rows[question.human].to_numpy().astype(float)
    controls = control_codes(rows, question.controls)
    for method in question.methods:
        try:
            record[method] = _one_method(rows, x, y, controls, method, question)
        except UndefinedStatistic as why:
            held = f" once {' and '.join(question.controls)} is held constant" if controls else ""
            reason = _plain(str(why), metric, question.human) + held
            record[method] = {"r": None, "p": None, "n": len(x), "why": reason}
    if question.positive is not None:
        record["detection"] = _detection(x, y >= question.positive, metric)
    if question.pairwise:
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
    question: Question,
) -> dict[str, Any]:
    if question.level != "global":
        return _grouped(rows, x, y, method, question)
    if not controls:
        found = correlate(x, y, method)
        record: dict[str, Any] = {"r": found.r, "p": found.p, "n": found.n, "df": found.df, "method": found.method}
    else:
        counted, plain = (partial(x, y, *controls, method=method, corrected_df=each) for each in (True, False))
        found = counted if question.counted_df else plain
        record = {"r": found.r, "p": found.p, "n": found.n, "df": found.df, "method": f"partial {found.method}"}
        record["raw"] = correlate(x, y, method).r
        if found.df is not None:
            record |= {"p_corrected_df": counted.p, "p_uncounted_df": plain.p}
    return record | _interval(rows, x, y, found.r, _crossed(controls) if controls else None, method, question)


def _grouped(
    rows: polars.DataFrame, x: NDArray[np.float64], y: NDArray[np.float64], method: Method, question: Question
) -> dict[str, Any]:
    groups = group_column(rows, question.level)
    if question.level == "system":
        found = of_group_means(x, y, groups, method)
        record = {"r": found.r, "p": found.p, "n": found.n, "df": found.df, "method": f"{found.method}, of means"}
        return record | _interval(rows, x, y, found.r, None, method, question)
    mean = averaged_within(x, y, groups, method)
    why = "an average of correlations has no p of its own; use --ci for an interval"
    record = {"r": mean.r, "p": None, "n": len(x), "why_no_p": why}
    record |= {"groups": mean.groups, "left_out": len(mean.left_out)}
    return record | _interval(rows, x, y, mean.r, None, method, question)


def _interval(
    rows: polars.DataFrame,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    r: float,
    controls: NDArray[np.int64] | None,
    method: Method,
    question: Question,
) -> dict[str, Any]:
    """The interval that was asked for, or why there is none."""
    if not question.samples:
        return {}
    how = resampling(rows, question, controls)
    try:
        found = correlation_interval(
            x, y, r, how.table, question.level, method, how.unit, question.samples, question.seed
        )
    except UndefinedStatistic as why:
        return {"low": None, "high": None, "why_no_interval": str(why)}
    return {"low": found.low, "high": found.high}


def control_codes(rows: polars.DataFrame, controls: Sequence[str]) -> list[NDArray[np.int64]]:
    """Each control as codes; `a*b` crosses columns a and b."""
    return [
        group_codes(*(rows[name].cast(str).to_numpy() for name in columns_of(rows, control.split("*"), "--control")))
        for control in controls
    ]


def _crossed(controls: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return controls[0] if len(controls) == 1 else group_codes(*controls)


def _detection(x: NDArray[np.float64], positive: NDArray[np.bool_], metric: str) -> dict[str, Any]:
    try:
        best = best_threshold(x, positive)
        return {"roc_auc": roc_auc(x, positive), "balanced_accuracy": best.balanced_accuracy, "cut": best.cut}
    except UndefinedStatistic as why:
        return {"roc_auc": None, "balanced_accuracy": None, "why": str(why)}


def _plain(why: str, metric: str, human: str) -> str:
    return why.replace("the first column", f"the metric '{metric}'").replace("the second column", f"'{human}'")


def split_by(data: Joined, column: str) -> dict[str, Joined]:
    """The same table cut by the values of one column."""
    columns_of(data.frame, [column], "--by")
    values = sorted(data.frame[column].drop_nulls().unique().to_list(), key=str)
    return {
        f"{value:g}" if isinstance(value, float) else str(value): replace(
            data, frame=data.frame.filter(data.frame[column] == value), notes=()
        )
        for value in values
    }
