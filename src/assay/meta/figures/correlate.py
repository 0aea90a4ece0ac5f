"""Metrics against people: scatter with lines per group, ablation bars, correlation heat map, errors per system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from assay.meta.ablation import FLIP
from assay.meta.correlate import GROUP_COLUMNS, Question
from assay.meta.frames import Joined
from assay.show.canvas import blank, colour, save, stacked
from assay.show.numbers import fixed as text

SIGNIFICANT = 0.05


def draw(data: Joined, question: Question, report: dict[str, Any], folder: Path, form: str) -> list[Path]:
    """Every figure that this report has the numbers for."""
    paths = [scatter(data, question, report, metric, folder, form) for metric in data.metrics]
    if report["ablation"]:
        paths.append(ablation(report["ablation"], folder, form))
    if any(report["williams"].values()):
        paths.append(heat_map(report["metric_correlation"], report["williams"], folder, form))
    shares = error_shares(data, question.human)
    if shares is not None:
        paths.append(errors(*shares, folder, form))
    return paths


def scatter(data: Joined, question: Question, report: dict[str, Any], metric: str, folder: Path, form: str) -> Path:
    """Metric against human score, one line over all texts and a thin one per group."""
    rows = data.frame.drop_nulls([question.human, metric])
    figure, axes = blank()
    x, y = rows[metric].to_numpy().astype(float), rows[question.human].to_numpy().astype(float)
    column = question.controls[0] if question.controls and "*" not in question.controls[0] else None
    column = column or next((name for name in GROUP_COLUMNS if name in rows.columns), None)
    member = rows[column].cast(str).to_numpy() if column else np.full(len(x), "")
    groups = sorted(set(member)) if column else []
    for position, group in enumerate(groups):
        keep = member == group
        axes.scatter(x[keep], y[keep], s=6, alpha=0.35, color=colour(position), linewidths=0)
        _line(axes, x[keep], y[keep], colour(position), 1.0, group)
    if not groups:
        axes.scatter(x, y, s=6, alpha=0.35, color=colour(0), linewidths=0)
    _line(axes, x, y, "black", 2.2, "all texts")
    entry = report["metrics"][metric].get("pearson", {})
    said = f"r {text(entry.get('raw', entry.get('r')), 2)}"
    if "raw" in entry:
        said += f", within {' and '.join(question.controls)} {text(entry['r'], 2)}"
    axes.set(xlabel=metric, ylabel=question.human, title=said)
    if axes.lines:  # a constant metric has no line to explain
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=8)
    return save(figure, folder, f"scatter {metric}", form)


def _line(axes: Any, x: Any, y: Any, shade: str, width: float, label: str) -> None:
    """The least-squares line, where there is one."""
    if len(x) < 2 or np.ptp(x) == 0:
        return
    slope, intercept = np.polyfit(x, y, 1)
    ends = np.array([x.min(), x.max()])
    axes.plot(ends, slope * ends + intercept, color=shade, linewidth=width, label=label)


def ablation(values: dict[str, dict[str, float | None]], folder: Path, form: str) -> Path:
    """Bars per metric and error category: how much correlation is lost when the error is forgiven."""
    metrics = list(next(iter(values.values())))
    figure, axes = blank(max(6.4, 0.7 * len(metrics)), 4.0)
    width = 0.8 / len(values)
    for position, (category, by_metric) in enumerate(values.items()):
        heights = [by_metric[metric] or 0.0 for metric in metrics]
        places = [place + (position - (len(values) - 1) / 2) * width for place in range(len(metrics))]
        axes.bar(places, heights, width=width, label=category.removeprefix(FLIP), color=colour(position))
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(metrics)), metrics, rotation=40, ha="right")
    axes.set_ylabel("correlation lost")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=8)
    return save(figure, folder, "ablation", form)


def heat_map(r: dict[str, dict[str, float]], p: dict[str, dict[str, float | None]], folder: Path, form: str) -> Path:
    """Metrics with each other; a cell is framed where Williams' test tells the two metrics apart."""
    from matplotlib.patches import Rectangle

    names = list(r)
    figure, axes = blank(1.5 + 0.55 * len(names), 1.2 + 0.5 * len(names))
    values = np.array([[1.0 if a == b else r[a].get(b, np.nan) for b in names] for a in names])
    image = axes.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1)
    for row, a in enumerate(names):
        for column, b in enumerate(names):
            if a == b:
                continue
            shade = "white" if abs(values[row, column]) > 0.6 else "black"
            axes.text(column, row, text(r[a].get(b), 2), ha="center", va="center", fontsize=7, color=shade)
            chance = p[a].get(b)
            if chance is not None and chance < SIGNIFICANT:
                axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor="black", linewidth=1.2))
    axes.set_xticks(range(len(names)), names, rotation=40, ha="right")
    axes.set_yticks(range(len(names)), names)
    figure.colorbar(image, ax=axes, shrink=0.8, label="Pearson; framed: Williams p < .05, one-sided")
    return save(figure, folder, "metric correlation", form)


def error_shares(data: Joined, human: str) -> tuple[list[str], dict[str, list[float]]] | None:
    """Systems and, per error category, the per cent of their texts that show it; None without such columns."""
    column = next((name for name in GROUP_COLUMNS if name in data.frame.columns), None)
    flips = [name for name in data.frame.columns if name.startswith(FLIP) and not name.endswith("Errors")]
    if column is None or not flips:
        return None
    systems = sorted(data.frame[column].unique())
    parts: dict[str, list[float]] = {name.removeprefix(FLIP): [] for name in flips}
    for system in systems:
        rows = data.frame.filter(data.frame[column] == system)
        wrong = 100 * len(rows.filter(rows[human] < 1)) / len(rows)
        found = {name: float(((rows[name] - rows[human]) > 1e-9).sum()) for name in flips}
        total = sum(found.values()) or 1.0
        for name in flips:  # the height of a bar is the share of incorrect texts, its segments are the mix of errors
            parts[name.removeprefix(FLIP)].append(wrong * found[name] / total)
    return systems, {name: heights for name, heights in parts.items() if any(heights)}


def errors(systems: list[str], parts: dict[str, list[float]], folder: Path, form: str) -> Path:
    """Stacked bars: how many texts of each system are wrong, and with which errors."""
    figure, axes = blank()
    stacked(axes, systems, parts, "incorrect texts, %")
    return save(figure, folder, "errors by system", form)
