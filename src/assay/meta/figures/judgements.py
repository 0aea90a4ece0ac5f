"""Human studies: histograms of ratings by system, and ranks with their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.meta.agreement import CriterionAgreement
from assay.meta.ranking import Ranked
from assay.records import Judgement
from assay.show.canvas import blank, colour, save, stacked


def draw(
    judgements: Sequence[Judgement],
    found: Sequence[CriterionAgreement],
    ranks: Mapping[str, Sequence[Ranked]],
    folder: Path,
    form: str,
) -> list[Path]:
    """A histogram per criterion, and a figure of ranks where systems were ranked."""
    paths = [histogram(judgements, each.criterion, folder, form) for each in found]
    return paths + [rank_figure(rows, name, folder, form) for name, rows in ranks.items()]


def histogram(judgements: Sequence[Judgement], criterion: str, folder: Path, form: str) -> Path:
    """Stacked shares of every answer, one bar per system."""
    counts: dict[str, Counter[str]] = {}
    for judgement in judgements:
        if judgement.criterion == criterion:
            value = judgement.value
            label = f"{value:g}" if isinstance(value, int | float) else value
            counts.setdefault(judgement.system, Counter())[label] += 1
    answers = sorted({answer for counter in counts.values() for answer in counter}, key=_order)
    figure, axes = blank()
    parts = {a: [100 * counter[a] / counter.total() for counter in counts.values()] for a in answers}
    stacked(axes, list(counts), parts, f"{criterion}: answers, %")
    return save(figure, folder, f"ratings {criterion}", form)


def _order(answer: str) -> tuple[bool, float, str]:
    try:
        return False, float(answer), answer
    except ValueError:
        return True, 0.0, answer


def rank_figure(rows: Sequence[Ranked], criterion: str, folder: Path, form: str) -> Path:
    """Each system's range of ranks; systems that share a rank share a colour."""
    figure, axes = blank(6.4, 1.2 + 0.35 * len(rows))
    shades = {rank: colour(position) for position, rank in enumerate(sorted({row.rank for row in rows}))}
    for place, row in enumerate(rows):
        axes.plot([row.rank_low, row.rank_high], [place, place], color=shades[row.rank], linewidth=3)
        axes.plot(row.rank, place, "o", color=shades[row.rank])
    axes.set_yticks(range(len(rows)), [row.system for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(f"rank by {criterion}, 95 %; same colour: cannot be told apart")
    axes.set_xticks(range(1, len(rows) + 1))
    return save(figure, folder, f"ranks {criterion}", form)
