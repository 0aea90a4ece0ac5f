"""Figures of the narrative decoding study: mean ratings over p, and the printed metrics over p."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from assay.meta.reproduce.cells import require_files
from assay.meta.reproduce.narrative import CRITERIA, PRINTED_METRICS, SETTINGS, Story, neighbour_p, read_stories
from assay.show.canvas import blank, ink, legend, save
from assay.show.figures import curves
from assay.stats.distributions import t_quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVEL = 0.05
"""Level of the tests of neighbouring settings."""


def narrative_figures(folder: Path, into: Path, form: str) -> list[Path]:
    """Draw mean ratings over p with 95 % confidence intervals (Figure 3), and the printed metrics over p."""
    (path,) = require_files(folder / "narrative", "complete_human_annotations.csv")
    stories = read_stories(path)
    into.mkdir(parents=True, exist_ok=True)
    files = [into / f"{name}.{form}" for name in ("ratings", "metrics")]
    save(_ratings(stories), files[0])
    across = list(map(float, SETTINGS))
    metrics = {name: (across, [value / max(values) for value in values]) for name, values in PRINTED_METRICS.items()}
    save(curves(metrics, x="p", y="share of the highest value", title="printed metrics", points=metrics), files[1])
    return files


def story_means(stories: Sequence[Story], criterion: str, setting: str) -> tuple[float, float]:
    """Return the mean over stories of their mean rating, and half the width of its 95 % confidence interval."""
    values = np.array([float(np.mean(story.ratings[criterion])) for story in stories if story.setting == setting])
    reach = t_quantile(0.975, len(values) - 1) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return float(values.mean()), reach


def _ratings(stories: list[Story]) -> Figure:
    """Draw a line for each criterion; a filled mark differs significantly from the setting before it."""
    figure, axes = blank()
    drawn = []
    across = list(map(float, SETTINGS))
    for position, name in enumerate(CRITERIA):
        colour = ink(position).colour
        means, reaches = zip(*(story_means(stories, name, setting) for setting in SETTINGS), strict=True)
        drawn.append(axes.errorbar(across, means, yerr=reaches, color=colour, linewidth=1.5, capsize=2)[0])
        for at, (before, after) in enumerate(pairwise(SETTINGS), 1):
            filled = neighbour_p(stories, name, before, after) < LEVEL
            face = colour if filled else "white"
            axes.plot(across[at], means[at], "o", color=colour, markersize=6, markerfacecolor=face)
    axes.set(xlabel="p", ylabel="mean rating, 1 to 4", title="filled: differs from the setting before (paired t, .05)")
    legend(axes, drawn, list(CRITERIA), loc="best")
    return figure
