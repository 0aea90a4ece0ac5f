"""How well metrics follow people: correlations with their doubts, Williams' test, and what each metric rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import AssayError
from assay.meta.frames import Joined, columns_of
from assay.stats.classification import best_threshold, pairwise_accuracy, roc_auc
from assay.stats.correlation import Method, averaged_within, correlate, of_group_means
from assay.stats.partial import TIED_SHARE, modal_share, partial, rank_nulls
from assay.stats.uncertainty import averaged_interval, correlation_interval, group_means_interval
from assay.stats.undefined import UndefinedStatistic, group_codes

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

Level = Literal["global", "summary", "system", "within"]
CONFOUNDED = 0.2  # raw and partial r further apart than this: the raw one mostly tells groups apart
BIASED_NULL = 0.05  # a shuffled metric that still shows this much rank correlation
GROUP_COLUMNS = ("model_name", "system")
DOCUMENT_COLUMNS = ("hash", "id")


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


def ask(data: Joined, question: Question) -> Answer:
    """Correlate every metric with the human column."""
    known = data.frame.drop_nulls(question.human)
    warnings = list(data.notes)
    if len(known) < len(data.frame):
        warnings.append(f"{len(data.frame) - len(known)} rows without '{question.human}' were left out")
    if known.is_empty():
        raise AssayError(f"no row has a human score in '{question.human}'")
    if not data.metrics:
        raise AssayError("the score file has no numeric column besides its keys, so there is no metric to correlate")
    answer = Answer(len(known), question.human, {}, warnings)
    for metric in data.metrics:
        rows = known.drop_nulls(metric)
        if len(rows) < len(known):
            warnings.append(f"{metric}: {len(known) - len(rows)} of {len(known)} scores are missing; it uses the rest")
        answer.metrics[metric] = _one_metric(rows, metric, question)
    if question.controls and question.level == "global" and "spearman" in question.methods:
        _add_rank_nulls(answer, known, question)
    warnings += _confounding(answer, question) + _rank_bias(answer, known, question)
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
        documents = [column for column in DOCUMENT_COLUMNS if column in rows.columns][:1]
        groups = group_codes(rows[documents[0]].to_numpy()) if documents else None
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
        found = partial(x, y, *controls, method=method)
        record = {"r": found.r, "p": found.p, "n": found.n, "df": found.df, "method": f"partial {found.method}"}
        record["raw"] = correlate(x, y, method).r
        if found.df is not None:
            record["p_corrected_df"] = partial(x, y, *controls, method=method, corrected_df=True).p
    if question.samples:
        cluster = None if question.cluster is None else rows[question.cluster].to_numpy()
        crossed = _crossed(controls) if controls else None
        interval = correlation_interval(x, y, method, crossed, question.samples, question.seed, cluster)
        record |= {"low": interval.low, "high": interval.high}
    return record


def _grouped(
    rows: polars.DataFrame, x: NDArray[np.float64], y: NDArray[np.float64], method: Method, question: Question
) -> dict[str, Any]:
    level, samples, seed = question.level, question.samples, question.seed
    names = DOCUMENT_COLUMNS if level == "summary" else GROUP_COLUMNS
    column = next((name for name in names if name in rows.columns), None)
    if column is None:
        raise AssayError(f"the {level} level needs a column {' or '.join(names)}")
    groups = rows[column].to_numpy()
    if level == "system":
        found = of_group_means(x, y, groups, method)
        record = {"r": found.r, "p": found.p, "n": found.n, "df": found.df, "method": f"{found.method}, of means"}
        if samples:
            cluster = None if question.cluster is None else rows[question.cluster].to_numpy()
            interval = group_means_interval(x, y, groups, method, samples, seed, cluster)
            record |= {"low": interval.low, "high": interval.high}
        return record
    mean = averaged_within(x, y, groups, method)
    why = "an average of correlations has no p of its own; use --ci for an interval"
    record = {"r": mean.r, "p": None, "n": len(x), "why_no_p": why}
    record |= {"groups": mean.groups, "left_out": len(mean.left_out)}
    if samples:
        interval = averaged_interval(mean.values, samples, seed)
        record |= {"low": interval.low, "high": interval.high}
    return record


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


def _confounding(answer: Answer, question: Question) -> list[str]:
    if not question.controls or question.level != "global":
        return []
    worst = [
        name
        for name, methods in answer.metrics.items()
        if (first := methods[question.methods[0]]).get("r") is not None and abs(first["raw"] - first["r"]) > CONFOUNDED
    ]
    if not worst:
        return []
    listed = ", ".join(worst[:4]) + (f" and {len(worst) - 4} more" if len(worst) > 4 else "")
    return [
        f"raw and partial correlation differ by more than {CONFOUNDED} for {listed}: the raw value mostly tells "
        f"the groups of {', '.join(question.controls)} apart"
    ]


def _rank_bias(answer: Answer, known: polars.DataFrame, question: Question) -> list[str]:
    """The Spearman of residuals is reported as biased where a metric without information would show some."""
    shown = {
        name: record["spearman"]
        for name, record in answer.metrics.items()
        if record.get("spearman", {}).get("null_mean") is not None
    }
    if not shown:
        return []
    value, share = modal_share(known[question.human].to_numpy())
    name, record = max(shown.items(), key=lambda item: abs(item[1]["null_mean"]))
    if share <= TIED_SHARE and abs(record["null_mean"]) < BIASED_NULL:
        return []
    for entry in shown.values():
        entry["reading"] = "within_r"
    mass = f"{share:.0%} of '{question.human}' is {value:g}; " if share > TIED_SHARE else ""
    verdict = "is biased here" if abs(record["null_mean"]) >= BIASED_NULL else "may be biased (little, on these rows)"
    return [
        f"Spearman of residuals {verdict}: {mass}a shuffled {name} would still show {record['null_mean']:.2f} "
        f"(observed {record['r']:.2f}). Read the rank correlation within groups instead: {record['within_r']:.2f}"
    ]


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
