"""Correlations as a person reads them: the metrics in order, then what they rest on, then the parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.meta.ablation import FLIP
from assay.meta.correlate import Question
from assay.show.numbers import DASH, fixed, probability, span
from assay.show.tables import Cell, Column, Content, Table

SURE = 0.05
"""Of a correlation with a higher p it makes no sense to ask what it rests on."""
WORTH_NAMING = 0.01
"""Correlation that must be lost for an error to be named as what a metric rests on."""

Report = dict[str, Any]
Shown = tuple[str, Callable[[str, dict[str, Any]], Content]]
"""A column: its heading, and the cell of a metric's name and record."""


def correlation_tables(report: Report, question: Question, part: str = "") -> list[Table]:
    """A table of correlations, ablation and Williams' test where they were asked for, and the same of every part."""
    tables = [_correlations(report, question, part)]
    if report["ablation"]:
        lost = f"What the correlation rests on{part}: r lost when the error is forgiven"
        tables.append(_matrix(lost, report["ablation"], 3))
    if any(report["williams"].values()):
        tables.append(_matrix(f"Williams{part}: one-sided p that the two metrics differ", report["williams"], 4))
        tables.append(_matrix(f"Metrics with each other{part}: Pearson", report["metric_correlation"], 2))
    for value, inner in report.get("by", {}).items():
        tables += correlation_tables(inner, question, f" · {value}")
    return tables


def _correlations(report: Report, question: Question, part: str) -> Table:
    columns = [shown for method in question.methods for shown in _of_method(method, report, question)]
    if question.positive is not None:
        columns.append(("AUC", lambda _, record: _decimal(record["detection"]["roc_auc"])))
        columns.append(("balanced acc", lambda _, record: _decimal(record["detection"]["balanced_accuracy"])))
    if question.pairwise:
        columns.append(("pairwise acc", lambda _, record: _decimal(record["pairwise"]["accuracy"])))
    first = question.methods[0]
    if report["ablation"]:
        columns.append(("rests on", lambda name, record: _rests_on(report["ablation"], name, record[first])))
    ordered = sorted(report["metrics"].items(), key=lambda item: -(item[1][first]["r"] or -2))
    rows = [[name, *(cell(name, record) for _, cell in columns)] for name, record in ordered]
    held = f", {' and '.join(question.controls)} held constant" if _is_partial(question) else ""
    level = "" if question.level == "global" else f", {question.level} level"
    caption = f"{report['human']}{part} · {report['n']} texts{held}{level}"
    return Table.of(caption, ["metric", *(heading for heading, _ in columns)], rows)


def _is_partial(question: Question) -> bool:
    return bool(question.controls) and question.level == "global"


def _of_method(method: str, report: Report, question: Question) -> list[Shown]:
    """The columns of one way to correlate; ranks of residuals come with what shuffling gives."""

    def of(key: str) -> Callable[[str, dict[str, Any]], Content]:
        return lambda _, record: _decimal(record[method].get(key))

    columns: list[Shown] = []
    if _is_partial(question):
        columns += [(f"raw {method}", of("raw")), (f"partial {method}", of("r"))]
    else:
        columns += [(method, of("r"))]
    if question.samples:
        columns.append(("95 %", lambda _, record: span(record[method].get("low"), record[method].get("high"), 2)))
    columns.append(("p", lambda _, record: Cell(probability(record[method]["p"]), record[method]["p"])))
    if method == "spearman" and any("reading" in record.get("spearman", {}) for record in report["metrics"].values()):
        columns += [("shuffled", of("null_mean")), ("within groups", of("within_r"))]
    return columns


def _rests_on(ablation: dict[str, dict[str, float | None]], metric: str, entry: dict[str, Any]) -> str:
    """The error whose forgiving costs the metric most of its correlation, if any costs something worth naming."""
    if (entry["p"] or 0.0) >= SURE or entry["r"] is None:
        return DASH  # no correlation rests on nothing
    lost = {category: by_metric[metric] or 0.0 for category, by_metric in ablation.items()}
    top = max(lost, key=lambda category: lost[category])
    return top.removeprefix(FLIP) if lost[top] >= WORTH_NAMING else DASH


def _matrix(caption: str, values: dict[str, dict[str, float | None]], digits: int) -> Table:
    names = list(dict.fromkeys(name for row in values.values() for name in row))
    rows: list[list[Content]] = [
        [name, *(_decimal(row.get(column), digits) for column in names)] for name, row in values.items()
    ]
    return Table([Column("", "left"), *map(Column, names)], rows, caption)


def _decimal(value: float | None, digits: int = 3) -> Cell:
    return Cell(fixed(value, digits), value)
