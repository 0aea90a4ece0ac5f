"""Published scores of dialogue systems next to recomputed ones, with the ranks of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError
from assay.metrics.structure.dialog.report import Report
from assay.records.documents import read_json

METRICS = ("bleu", "inform", "success")


class Reported(NamedTuple):
    """A score of a system as published and as computed here; ranks are among the systems that have both."""

    system: str
    metric: str
    reported: float
    ours: float
    reported_rank: int
    rank: int


def read_reported(path: Path) -> dict[str, dict[str, float]]:
    """Read `{system: {metric: score}}`."""
    content = read_json(path)
    if not isinstance(content, dict):
        raise AssayError(f"{path}: write a JSON object, {{system: {{metric: score}}}}")
    for system, scores in content.items():
        if not isinstance(scores, dict):
            raise AssayError(f"{path}: {system}: write an object of metrics and scores")
        for metric, value in scores.items():
            if metric not in METRICS:
                raise AssayError(f"{path}: {system}: unknown metric {metric}; use {', '.join(METRICS)}")
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise AssayError(f"{path}: {system}: {metric} is not a number")
    return content


def compare_reported(
    reports: Sequence[Report], reported: Mapping[str, Mapping[str, float]], name: str
) -> list[Reported]:
    """Return every published score that was also computed, by metric, then in the order of the systems."""
    compared = []
    for metric in METRICS:
        pairs = [
            (report.system, float(reported[report.system][metric]), ours)
            for report in reports
            if metric in reported.get(report.system, {}) and (ours := _computed(report, metric)) is not None
        ]
        for system, theirs, ours in pairs:
            before = 1 + sum(other > theirs for _, other, _ in pairs)
            after = 1 + sum(other > ours for _, _, other in pairs)
            compared.append(Reported(system, metric, theirs, ours, before, after))
    if not compared:
        computed = ", ".join(report.system for report in reports)
        raise AssayError(f"{name}: no score that was also computed here; the systems are {computed}")
    return compared


def _computed(report: Report, metric: str) -> float | None:
    if metric == "bleu":
        return next(iter(report.bleu.values()), None)
    return float(report.rates()[metric]["total"]["value"]) if report.judged else None
