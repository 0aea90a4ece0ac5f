"""Figures of human studies: histograms of ratings, dissenting votes, and ranks with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.meta.agreement import CriterionAgreement
from assay.meta.majority import minority_votes
from assay.meta.ranking import Ranked
from assay.records import Judgement
from assay.show import figures
from assay.show.canvas import save_as


def draw(
    judgements: Sequence[Judgement],
    agreements: Sequence[CriterionAgreement],
    ranks: Mapping[str, Sequence[Ranked]],
    folder: Path,
    form: str,
) -> list[Path]:
    """Draw a histogram per criterion, and ranks if systems were ranked, into a folder."""
    paths = [histogram(judgements, each.criterion, folder, form) for each in agreements]
    for each in agreements:
        counts = minority_votes(judgements, each.criterion) if _names_errors(judgements, each.criterion) else {}
        if counts:
            paths.append(minority_map(counts, each.criterion, folder, form))
    return paths + [rank_figure(rows, name, folder, form) for name, rows in ranks.items()]


def histogram(judgements: Sequence[Judgement], criterion: str, folder: Path, form: str) -> Path:
    """Draw the shares of answers as stacked bars, one per system."""
    counts: dict[str, Counter[str]] = {}
    for judgement in judgements:
        if judgement.criterion == criterion:
            value = judgement.value
            label = f"{value:g}" if isinstance(value, int | float) else value
            counts.setdefault(judgement.system, Counter())[label] += 1
    answers = sorted({answer for counter in counts.values() for answer in counter}, key=_order)
    parts = {a: [100 * counter[a] / counter.total() for counter in counts.values()] for a in answers}
    drawn = figures.stacked(list(counts), parts, y=f"{criterion}: answers, %")
    return save_as(drawn, folder, f"ratings {criterion}", form)


def _names_errors(judgements: Sequence[Judgement], criterion: str) -> bool:
    return any(
        one.criterion == criterion and isinstance(one.value, str) and one.unit.startswith("sentence:")
        for one in judgements
    )


def minority_map(counts: Mapping[tuple[str, str], int], criterion: str, folder: Path, form: str) -> Path:
    """Draw the shares of other labels among dissenting votes, by majority label."""
    rows, columns = (sorted({pair[side] for pair in counts}) for side in (0, 1))
    totals = {row: sum(count for (most, _), count in counts.items() if most == row) for row in rows}
    shares = [[counts.get((row, column), 0) / totals[row] for column in columns] for row in rows]
    texts = [[f"{100 * share:.0f}" if share else "" for share in line] for line in shares]
    drawn = figures.heat_map(rows, columns, shares, texts, scale="share of dissenting votes, %", x="vote", y="majority")
    return save_as(drawn, folder, f"dissent {criterion}", form)


def _order(answer: str) -> tuple[bool, float, str]:
    try:
        return False, float(answer), answer
    except ValueError:
        return True, 0.0, answer


def rank_figure(rows: Sequence[Ranked], criterion: str, folder: Path, form: str) -> Path:
    """Draw the range of ranks of each system; systems with a shared rank have the same colour."""
    shades = {rank: position for position, rank in enumerate(sorted({row.rank for row in rows}))}
    drawn = figures.intervals(
        [row.system for row in rows],
        [(row.rank, row.rank_low, row.rank_high) for row in rows],
        shades=[shades[row.rank] for row in rows],
        x=f"rank by {criterion} [95 % CI]; same colour: not significantly different",
        whole=True,
    )
    return save_as(drawn, folder, f"ranks {criterion}", form)
