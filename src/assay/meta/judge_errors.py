"""Errors of a judge next to annotators: by class, by system, along its scale, and between its own draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from assay.meta.judge_labels import Cell, Label, Labels
from assay.stats.correlation import correlate
from assay.stats.interval import clustered_wilson_interval, wilson_interval
from assay.stats.validation import UndefinedStatistic, group_codes


def confusion_of(labels: Labels, own: Mapping[Cell, Label]) -> list[dict[str, Any]]:
    """Return, for each human majority label, how often the judge gives it, and what it gives instead."""
    if len(labels.classes) > 20:
        return []
    majority = labels.majorities()
    rows = []
    for label in labels.classes:
        cells = [cell for cell, human in majority.items() if human == label and cell in own]
        if cells:
            answers = [own[cell] for cell in cells]
            right = np.array([each == label for each in answers], dtype=np.float64)
            low, high = clustered_wilson_interval(right, group_codes([cell.id for cell in cells]))
            counts = {_word(other): answers.count(other) for other in labels.classes if other in answers}
            rows.append({"class": label, "n": len(answers), "recall": float(right.mean()), "low": low, "high": high,
                         "judged": counts})  # fmt: skip
    return rows


def _word(label: Label) -> str:
    return label if isinstance(label, str) else f"{label:g}"


def systems_of(labels: Labels, own: Mapping[Cell, Label]) -> list[dict[str, Any]]:
    """Return the share of outputs on which the judge equals the human majority, and its mean error, by system."""
    majority = labels.majorities()
    means = labels.human_means() if labels.numeric else {}
    rows = []
    for system in sorted({cell.system for cell in own}):
        decided = [cell for cell in own if cell.system == system and cell in majority]
        if not decided:
            continue
        equal = sum(own[cell] == majority[cell] for cell in decided)
        low, high = wilson_interval(equal, len(decided))
        errors = [float(own[cell]) - means[cell] for cell in own if cell.system == system and cell in means]
        rows.append({"system": system, "n": len(decided), "equal": equal / len(decided), "low": low, "high": high,
                     "mean_error": float(np.mean(errors)) if errors else None})  # fmt: skip
    return rows


def calibration_of(labels: Labels, own: Mapping[Cell, Label]) -> list[dict[str, Any]]:
    """Return the mean human value of outputs by the value of the judge, in at most ten steps."""
    if not labels.numeric:
        return []
    means = labels.human_means()
    pairs = sorted((float(label), means[cell]) for cell, label in own.items() if cell in means)
    values = sorted({value for value, _ in pairs})
    steps = [[value] for value in values] if len(values) <= 10 else [list(part) for part in np.array_split(values, 10)]
    rows = []
    for step in steps:
        inside = [human for value, human in pairs if step[0] <= value <= step[-1]]
        rows.append({"judge": float(np.mean(step)), "human": float(np.mean(inside)), "n": len(inside)})
    return rows


def correlation_of(labels: Labels, own: Mapping[Cell, Label], texts: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Return correlations of the judge with the mean human value, and given the length of the texts."""
    if not labels.numeric:
        return {}
    means = labels.human_means()
    cells = [cell for cell in own if cell in means]
    x, y = [float(own[cell]) for cell in cells], [means[cell] for cell in cells]
    correlations: dict[str, Any] = {}
    for method in ("pearson", "spearman"):
        try:
            correlations[method] = correlate(x, y, method).r
        except UndefinedStatistic as why:
            correlations[method], correlations["why"] = None, str(why)
    lengths = [len(texts[cell.id, cell.system].split()) for cell in cells if (cell.id, cell.system) in texts]
    if len(lengths) == len(cells) and len(set(lengths)) > 1:
        try:
            correlations["partial_pearson"] = _partial(x, y, lengths)
        except UndefinedStatistic as why:
            correlations["partial_pearson"], correlations["partial_why"] = None, str(why)
    return correlations


def _partial(x: Sequence[float], y: Sequence[float], z: Sequence[float]) -> float:
    """Return the correlation of x and y given z."""
    xy, xz, yz = correlate(x, y, "pearson").r, correlate(x, z, "pearson").r, correlate(y, z, "pearson").r
    return float((xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2)))


def repeatability_of(draws: Sequence[Mapping[Cell, Label]]) -> dict[str, Any] | None:
    """Return how often repeated draws of the judge give the same label."""
    if len(draws) < 2:
        return None
    equal = [
        one[cell] == other[cell] for one, other in combinations(draws, 2) for cell in one if cell in other
    ]  # fmt: skip
    return {"draws": len(draws), "equal": float(np.mean(equal)) if equal else None, "n": len(equal)}
