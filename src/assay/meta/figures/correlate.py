"""Figures of correlations: scatter plots, ablation bars, heat map of metrics, errors by system."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from assay.meta.ablation import FLIP
from assay.meta.correlate import CorrelateRequest
from assay.meta.correlation_records import CorrelationsRecord, MetricRecord
from assay.meta.joined_scores import JoinedScores
from assay.meta.resampling import SYSTEM_COLUMNS
from assay.show import figures
from assay.show.canvas import save_as
from assay.show.numbers import fixed

SIGNIFICANT = 0.05


def draw(
    data: JoinedScores, request: CorrelateRequest, report: CorrelationsRecord, folder: Path, form: str
) -> list[Path]:
    """Draw every figure of a report into a folder."""
    paths = [scatter(data, request, report["metrics"][metric], metric, folder, form) for metric in data.metrics]
    if report.get("by"):
        paths.append(by_part({str(part): inner["metrics"] for part, inner in report["by"].items()}, folder, form))
    if report["ablation"]:
        paths.append(ablation(report["ablation"], folder, form))
    if any(report["williams"].values()):
        paths.append(heat_map(report["metric_correlation"], report["williams_adjusted"], folder, form))
    shares = error_shares(data, request.human)
    if shares is not None:
        drawn = figures.stacked(*shares, y="incorrect texts, %")
        paths.append(save_as(drawn, folder, "errors by system", form))
    return paths


def scatter(
    data: JoinedScores, request: CorrelateRequest, record: MetricRecord, metric: str, folder: Path, form: str
) -> Path:
    """Draw a metric against the human score, with a line over all texts and a thin line per group."""
    rows = data.frame.drop_nulls([request.human, metric])
    x, y = rows[metric].to_numpy().astype(float), rows[request.human].to_numpy().astype(float)
    column = request.controls[0] if request.controls and "*" not in request.controls[0] else None
    column = column or next((name for name in SYSTEM_COLUMNS if name in rows.columns), None)
    member = rows[column].cast(str).to_numpy() if column else np.full(len(x), "")
    groups = {group: (x[member == group], y[member == group]) for group in sorted(set(member))}
    entry = record.get("pearson", {})
    title = f"r {fixed(entry.get('raw', entry.get('r')), 2)}"
    if "raw" in entry:
        title += f", within {' and '.join(request.controls)} {fixed(entry['r'], 2)}"
    drawn = figures.scatter(groups or {"": (x, y)}, x=metric, y=request.human, title=title, together="all texts")
    return save_as(drawn, folder, f"scatter {metric}", form)


def by_part(parts: Mapping[str, Mapping[str, Any]], folder: Path, form: str, name: str = "by part") -> Path:
    """Draw the correlation of each metric on each part of the texts as bars with confidence intervals."""
    metrics = list(next(iter(parts.values())))
    method = next(iter(parts.values()))[metrics[0]]
    method = "pearson" if "pearson" in method else next(iter(method))
    records = {part: [record[metric].get(method, {}) for metric in metrics] for part, record in parts.items()}
    series = {part: [entry.get("r") or 0.0 for entry in entries] for part, entries in records.items()}
    ends = {part: [(entry.get("low"), entry.get("high")) for entry in entries] for part, entries in records.items()}
    partial = any("raw" in entry for entries in records.values() for entry in entries)
    label = f"partial {method}" if partial else method
    return save_as(figures.bars(metrics, series, y=f"{label} with human scores", ends=ends), folder, name, form)


def ablation(values: dict[str, dict[str, float | None]], folder: Path, form: str) -> Path:
    """Draw the correlation lost per metric and ablated error category as bars."""
    metrics = list(next(iter(values.values())))
    series = {
        category.removeprefix(FLIP): [by_metric[metric] or 0.0 for metric in metrics]
        for category, by_metric in values.items()
    }
    return save_as(figures.bars(metrics, series, y="correlation lost"), folder, "ablation", form)


def heat_map(r: dict[str, dict[str, float]], p: dict[str, dict[str, float | None]], folder: Path, form: str) -> Path:
    """Draw the correlations between metrics; frame the pairs with a significant difference by Williams' test."""
    names = list(r)
    values = [[1.0 if a == b else r[a].get(b, np.nan) for b in names] for a in names]
    texts = [["" if a == b else fixed(r[a].get(b), 2) for b in names] for a in names]
    apart = [
        (row, column)
        for row, a in enumerate(names)
        for column, b in enumerate(names)
        if a != b and (chance := p[a].get(b)) is not None and chance < SIGNIFICANT
    ]
    drawn = figures.heat_map(
        names, names, values, texts, ends=(-1.0, 1.0), framed=apart,
        scale="Pearson; framed: Williams p < .05 after Holm correction",
    )  # fmt: skip
    return save_as(drawn, folder, "metric correlation", form)


def error_shares(data: JoinedScores, human: str) -> tuple[list[str], dict[str, list[float]]] | None:
    """Return systems and, per error category, the percentage of their texts with it; None without such columns."""
    column = next((name for name in SYSTEM_COLUMNS if name in data.frame.columns), None)
    flips = [name for name in data.frame.columns if name.startswith(FLIP) and not name.endswith("Errors")]
    if column is None or not flips:
        return None
    systems = sorted(data.frame[column].unique())
    parts: dict[str, list[float]] = {name.removeprefix(FLIP): [] for name in flips}
    for system in systems:
        rows = data.frame.filter(data.frame[column] == system)
        wrong = 100 * len(rows.filter(rows[human] < 1)) / len(rows)
        counts = {name: float(((rows[name] - rows[human]) > 1e-9).sum()) for name in flips}
        total = sum(counts.values()) or 1.0
        for name in flips:  # a bar is the share of incorrect texts, divided by error category
            parts[name.removeprefix(FLIP)].append(wrong * counts[name] / total)
    return systems, {name: heights for name, heights in parts.items() if any(heights)}
