"""Tables of correlations, ablations, and tests between metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from assay.meta.ablation import FLIP
from assay.meta.correlate import CorrelateRequest
from assay.meta.correlation_records import (
    CorrelationRecord,
    CorrelationsRecord,
    DifferenceRecord,
    Matrix,
    MetricRecord,
    PermutationRecord,
)
from assay.show.numbers import DASH, counted, fixed, probability, span
from assay.show.tables import Cell, Column, Content, Table

LEVEL = 0.05
"""Correlations with a higher p have no entry in the column `depends on`."""
MINIMUM_LOSS = 0.01
"""Minimum loss of correlation for an error category to be named."""

TAILS = {
    "two-sided": "two-sided p of a difference in correlation with human scores",
    "one-sided": "one-sided p that the metric of the row correlates higher than that of the column",
    "frank": "one-sided p for the larger correlation, as in Pagnoni et al. (2021)",
}

Shown = tuple[str, Callable[[str, MetricRecord], Content]]
"""A column: its heading, and a function from a metric and its record to a cell."""


def correlation_tables(report: CorrelationsRecord, request: CorrelateRequest, part: str = "") -> list[Table]:
    """Return the tables of a report: correlations, ablation, tests between metrics, and the same for every part."""
    tables = [_correlations(report, request, part)]
    if report["ablation"]:
        lost = f"Ablation{part}: r lost when errors of a category are not counted"
        tables.append(_matrix(lost, report["ablation"], _digits(3)))
    if any(report["williams"].values()):
        test = report["williams_test"]
        first = _matrix(f"Williams{part}: {TAILS[test['tail']]}", report["williams"], probability)
        tables.append(replace(first, notes=[f"p: {test['method']}"]))
        corrected = f"Williams{part}: after Holm correction over {counted(test['tests'], 'test')}"
        tables.append(_matrix(corrected, report["williams_adjusted"], probability))
        tables.append(_matrix(f"Correlation between metrics{part}: Pearson", report["metric_correlation"], _digits(2)))
    for method, pairs in report["differences"].items():
        tables.append(_differences(method, pairs, report["differences_test"], part))
    for value, inner in report.get("by", {}).items():
        tables += correlation_tables(inner, request, f" · {value}")
    return tables


def _correlations(report: CorrelationsRecord, request: CorrelateRequest, part: str) -> Table:
    columns = [shown for method in request.methods for shown in _of_method(method, report, request)]
    if request.positive is not None:
        columns.append(("AUC", lambda _, record: _decimal(record["detection"]["roc_auc"])))
        columns.append(("balanced acc", lambda _, record: _decimal(record["detection"]["balanced_accuracy"])))
    if request.pairwise:
        columns.append(("pairwise acc", lambda _, record: _decimal(record["pairwise"]["accuracy"])))
    first = request.methods[0]
    if report["ablation"]:
        columns.append(("depends on", lambda name, record: _depends_on(report["ablation"], name, record[first])))
    ordered = sorted(report["metrics"].items(), key=lambda item: -(item[1][first]["r"] or -2))
    rows = [[name, *(cell(name, record) for _, cell in columns)] for name, record in ordered]
    controls = f", {' and '.join(request.controls)} held constant" if _is_partial(request) else ""
    level = "" if request.level == "global" else f", {request.level} level"
    caption = f"{report['human']}{part} · {report['n']} texts{controls}{level}"
    table = Table.of(caption, ["metric", *(heading for heading, _ in columns)], rows)
    return replace(table, notes=_notes(report))


def _notes(report: CorrelationsRecord) -> list[str]:
    """Return how intervals were resampled, and the ceiling set by the reliability of human scores."""
    notes = [f"p and 95 % CI: {report['resampled']}"] if report.get("resampled") else []
    noise = report.get("human_noise", {})
    if noise.get("ceiling"):
        notes.append(
            f"Human scores: {noise['annotators']:.1f} annotators per text, reliability of the mean "
            f"{fixed(noise['reliability'], 2)}; ceiling of a perfect metric {fixed(noise['ceiling'], 2)}"
        )
    elif noise.get("why"):
        notes.append(f"Human scores: {noise['why']}")
    return notes


def _differences(
    method: str, pairs: dict[str, dict[str, DifferenceRecord]], test: PermutationRecord, part: str
) -> Table:
    """Return every pair once, the better metric first, ordered by p."""
    rows: list[tuple[float, list[Content]]] = []
    for a, others in pairs.items():
        for b, entry in others.items():
            difference, p, adjusted = entry["difference"], entry["p"], entry["p_adjusted"]
            if difference is None or p is None or difference < 0 or (difference == 0 and a > b):
                continue
            cells = [Cell(probability(value), value) for value in (p, adjusted)]
            rows.append((p, [f"{a} - {b}", Cell(fixed(difference, 3, signed=True), difference), *cells]))
    rows.sort(key=lambda row: row[0])
    table = Table.of(
        f"Differences between metrics{part}: {method}",
        ["pair", "difference", "p", "adjusted p"],
        [row for _, row in rows],
    )
    return replace(
        table,
        notes=[
            f"p: permutation test, {test['swaps']:,} permutations; {test['swapped']}",
            f"adjusted p: Holm correction over {counted(test['tests'], 'pair')}",
        ],
    )


def _is_partial(request: CorrelateRequest) -> bool:
    return bool(request.controls) and request.level == "global"


def _of_method(method: str, report: CorrelationsRecord, request: CorrelateRequest) -> list[Shown]:
    """Return the columns of one method; biased rank correlations get their permutation mean and within-group value."""

    def of(
        key: Literal["r", "raw", "disattenuated", "null_mean", "within_r"],
    ) -> Callable[[str, MetricRecord], Content]:
        return lambda _, record: _decimal(record[method].get(key))

    columns: list[Shown] = []
    if _is_partial(request):
        columns += [(f"raw {method}", of("raw")), (f"partial {method}", of("r"))]
    else:
        columns += [(method, of("r"))]
    if not request.classical:
        columns.append(("95 % CI", lambda _, record: span(record[method].get("low"), record[method].get("high"), 2)))
    heading = "classical p" if request.classical else "p"
    columns.append((heading, lambda _, record: Cell(probability(record[method]["p"]), record[method]["p"])))
    if method == "pearson" and report.get("human_noise", {}).get("ceiling"):
        columns.append(("disattenuated", of("disattenuated")))
    if method == "spearman" and any("reading" in record.get("spearman", {}) for record in report["metrics"].values()):
        columns += [("permuted", of("null_mean")), ("within groups", of("within_r"))]
    return columns


def _depends_on(ablation: Matrix, metric: str, entry: CorrelationRecord) -> str:
    """Return the error category whose ablation costs a metric most, if the loss is large enough."""
    if (entry["p"] or 0.0) >= LEVEL or entry["r"] is None:
        return DASH
    lost = {category: by_metric[metric] or 0.0 for category, by_metric in ablation.items()}
    top = max(lost, key=lambda category: lost[category])
    return top.removeprefix(FLIP) if lost[top] >= MINIMUM_LOSS else DASH


def _matrix(
    caption: str, values: Mapping[str, Mapping[str, float | None]], written: Callable[[float | None], str]
) -> Table:
    names = list(dict.fromkeys(name for row in values.values() for name in row))
    rows: list[list[Content]] = [
        [name, *(Cell(written(row.get(column)), row.get(column)) for column in names)] for name, row in values.items()
    ]
    return Table([Column("", "left"), *map(Column, names)], rows, caption)


def _digits(digits: int) -> Callable[[float | None], str]:
    return lambda value: fixed(value, digits)


def _decimal(value: float | None) -> Cell:
    return Cell(fixed(value), value)
