"""Correlations as a person reads them: the metrics in order, then what they rest on, then the parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assay.meta.ablation import FLIP
from assay.meta.correlate import Question
from assay.show.numbers import DASH, fixed, probability, span
from assay.show.tables import Cell, Column, Content, Table

SURE = 0.05
"""Of a correlation with a higher p it makes no sense to ask what it rests on."""
WORTH_NAMING = 0.01
"""Correlation that must be lost for an error to be named as what a metric rests on."""

TAILS = {
    "two-sided": "two-sided p that the two metrics follow people differently",
    "one-sided": "one-sided p that the metric of the row follows people better than that of the column",
    "frank": "one-sided p for the larger of the two correlations, as Pagnoni et al. (2021) print it",
}

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
        test = report["williams_test"]
        tables.append(_matrix(f"Williams{part}: {TAILS[test['tail']]}", report["williams"], 4))
        corrected = f"Williams{part}: the same after Holm's correction over {test['tests']} tests"
        tables.append(_matrix(corrected, report["williams_adjusted"], 4))
        tables.append(_matrix(f"Metrics with each other{part}: Pearson", report["metric_correlation"], 2))
    for method, pairs in report["differences"].items():
        tables.append(_differences(method, pairs, report["differences_test"], part))
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
    table = Table.of(caption, ["metric", *(heading for heading, _ in columns)], rows)
    return replace(table, notes=_notes(report))


def _notes(report: Report) -> list[str]:
    """What was drawn anew for the intervals, and how far noise of the people themselves lowers every correlation."""
    notes = [f"95 %: {report['resampled']}"] if report.get("resampled") else []
    noise = report.get("human_noise", {})
    if noise.get("ceiling"):
        notes.append(
            f"people: {noise['annotators']:.1f} annotators a text, reliability of their mean "
            f"{fixed(noise['reliability'], 2)}; a perfect metric would reach {fixed(noise['ceiling'], 2)}"
        )
    elif noise.get("why"):
        notes.append(f"people: {noise['why']}")
    return notes


def _differences(method: str, pairs: dict[str, Any], test: dict[str, Any], part: str) -> Table:
    """Every pair once, the metric that follows people better first, the surest first."""
    rows: list[tuple[float, list[Content]]] = []
    for a, others in pairs.items():
        for b, entry in others.items():
            gap, p, adjusted = entry["difference"], entry["p"], entry["p_adjusted"]
            if gap is None or gap < 0 or (gap == 0 and a > b):
                continue
            cells = [Cell(probability(value), value) for value in (p, adjusted)]
            rows.append((p, [f"{a} - {b}", Cell(fixed(gap, 3, signed=True), gap), *cells]))
    rows.sort(key=lambda row: row[0])
    table = Table.of(
        f"Metrics compared{part}: {method}", ["pair", "difference", "p", "p adj"], [row for _, row in rows]
    )
    return replace(
        table,
        notes=[
            f"p: {test['swaps']:,} swaps; {test['swapped']}",
            f"p adj: Holm's correction over {test['tests']} pairs",
        ],
    )


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
    if method == "pearson" and report.get("human_noise", {}).get("ceiling"):
        columns.append(("without human noise", of("disattenuated")))
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
