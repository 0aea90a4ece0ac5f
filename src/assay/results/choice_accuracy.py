"""What a set of choices says: accuracy per evaluation with Wilson's interval and against chance, and its mistakes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.metrics.ranking.equivalence import Cell, is_correct
from assay.records.types import Example
from assay.show.figures import heat_map
from assay.stats.interval import share_interval, widened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAMPLES = 2000


class Tally(NamedTuple):
    n: int
    correct: int
    accuracy: float
    low: float
    high: float
    p: float
    """Of so many or so few correct by tossing a coin (exact, two-sided)."""
    cluster_low: float | None
    """The interval when whole targets are drawn: instances of one target are not independent."""
    cluster_high: float | None


def coin(correct: int, n: int) -> float:
    """Exact two-sided probability of a result at least as far from a half."""
    far = abs(2 * correct - n)
    extreme = sum(math.comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= far)
    return float(extreme / 2**n)


def tallies(pairs: Iterable[tuple[Example, str]], seed: int = 0) -> dict[str, Tally]:
    """By evaluation, in order of first appearance."""
    by_name: dict[str, dict[str, list[bool]]] = {}
    for example, output in pairs:
        name, target = example.tags.get("evaluation", "all"), example.tags.get("target", example.id)
        by_name.setdefault(name, {}).setdefault(target, []).append(is_correct(example, output))
    found = {}
    for name, targets in by_name.items():
        correct = sum(map(sum, targets.values()))
        n = sum(map(len, targets.values()))
        clusters = np.array([(sum(marks), len(marks)) for marks in targets.values()], dtype=np.float64)
        drawn = np.random.default_rng(seed).integers(0, len(clusters), (SAMPLES, len(clusters)))
        sums = clusters[drawn].sum(axis=1)
        low, high = widened(correct / n, sums[:, 0] / sums[:, 1], len(clusters), (0.0, 1.0)) or (None, None)
        found[name] = Tally(n, correct, correct / n, *share_interval(correct, n), coin(correct, n), low, high)
    return found


def confusion_figure(cells: Mapping[Cell, tuple[int, int]], title: str) -> Figure:
    """Rows are the classes of the true span, columns those of the other; colour is the share of mistakes."""
    places = sorted({place for cell in cells for place in cell})
    shares = [[cells[a, b][0] / cells[a, b][1] if (a, b) in cells else np.nan for b in places] for a in places]
    texts = [[f"{cells[a, b][0]} of {cells[a, b][1]}" if (a, b) in cells else "" for b in places] for a in places]
    names = list(map(str, places))
    return heat_map(
        names, names, shares, texts, scale="share of mistakes", x="other class", y="true class", title=title
    )
