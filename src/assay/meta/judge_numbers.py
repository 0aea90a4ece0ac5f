"""Numbers from judges: win rates over both orders, strengths with tied groups, and rates corrected by error rates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from assay.errors import AssayError
from assay.meta.judge_labels import Cell, Label, judge_name, read_labels
from assay.meta.judge_strengths import disagreements, position_columns, strengths_by_judge
from assay.records.types import Judgement
from assay.results.sentences import p_words
from assay.stats.adjust import holm
from assay.stats.error_effects import mean_effect
from assay.stats.paired_comparison import PairedComparison, paired_comparison
from assay.stats.ranking import shared_ranks
from assay.stats.rogan_gladen import CorrectedRate, Z, corrected_rate
from assay.stats.validation import UndefinedStatistic

AGAINST = "against:"


@dataclass(frozen=True)
class WinRate:
    """How often one system is preferred to another, ties divided, over items and both orders."""

    a: str
    b: str
    value: float
    low: float
    high: float
    p: float
    p_adjusted: float
    n: int
    """Items."""

    def sentence(self) -> str:
        """Return the verdict in words."""
        better, worse = (self.a, self.b) if self.value > 0.5 else (self.b, self.a)
        share = max(self.value, 1 - self.value)
        reach = (self.low, self.high) if self.value > 0.5 else (1 - self.high, 1 - self.low)
        p = p_words(self.p_adjusted)
        if self.p_adjusted >= 0.05:
            size = f"win rate of {self.a} {self.value:.0%} in their own comparisons, {p}"
            return f"No significant difference between {self.a} and {self.b} ({size})"
        return (
            f"{better} is significantly better than {worse} (win rate {share:.0%}, 95 % CI {reach[0]:.0%} to "
            f"{reach[1]:.0%}, {p} after Holm)"
        )


@dataclass(frozen=True)
class Ranking:
    """Systems by strength, with the groups that are not significantly different."""

    wins: list[WinRate]
    fitted: PairedComparison | None
    """None if a strength is not finite: a system that never loses."""
    ranks: dict[str, int]
    """Rank by system; systems that are not significantly different share one."""
    controlled: PairedComparison | None
    """With the length of the texts as covariate."""
    by_judge: dict[str, PairedComparison | None]
    """Strengths by each of several judges; None where they are not finite."""
    notes: list[str]

    def record(self) -> dict[str, Any]:
        """Return the JSON object of the ranking."""
        fitted = self.fitted
        none: dict[str, Any] = {"strength": None, "low": None, "high": None, "length_controlled": None, "by_judge": {}}
        systems: dict[str, Any] = {name: {**none, "rank": rank} for name, rank in self.ranks.items()}
        systems |= {
            name: {
                "strength": float(fitted.strengths[i]), "low": fitted.interval(i)[0], "high": fitted.interval(i)[1],
                "rank": self.ranks[name],
                "length_controlled": None if self.controlled is None else float(self.controlled.strengths[i]),
                "by_judge": {judge: _strength(own, name) for judge, own in self.by_judge.items()},
            }
            for i, name in enumerate(fitted.systems if fitted else ())
            if fitted
        }  # fmt: skip
        effects = (fitted.effects if fitted else {}) | (self.controlled.effects if self.controlled else {})
        for own in self.by_judge.values():  # the preferences of a judge by its own strengths
            effects |= own.effects if own else {}
        return {
            "systems": systems, "wins": [vars(win) for win in self.wins],
            "tie_parameter": fitted.tie if fitted else None,
            "effects": {name: {"value": value, "error": error} for name, (value, error) in effects.items()},
            "notes": self.notes,
        }  # fmt: skip


def rank_by_judge(
    judgements: Sequence[Judgement], texts: Mapping[tuple[str, str], str], judge: str | None = None
) -> Ranking:
    """Return win rates and strengths from pairwise judgements.

    Args:
        judgements: Pairwise judgements (`assay judge run --form pairwise`): 1, 0 or 0.5 for a tie.
        texts: Judged text by id and system, for strengths at equal length.
        judge: Annotator to use (default: all).

    Raises:
        AssayError: there are no pairwise judgements.
    """
    rows = [
        row for row in judgements
        if row.unit.startswith(AGAINST) and judge in (None, row.annotator) and row.position in (1, None)
    ]  # fmt: skip
    rows = [row for row in rows if row.position == 1 or row.system < row.unit.removeprefix(AGAINST)]  # each choice once
    if not rows:
        raise AssayError("no pairwise judgements; make them with `assay judge run A B -e EXAMPLES --form pairwise`")
    first = [row.system for row in rows]
    second = [row.unit.removeprefix(AGAINST) for row in rows]
    results = [float(row.value) for row in rows]
    items = [row.id for row in rows]
    judges = [judge_name(row.annotator) for row in rows]
    notes: list[str] = []
    covariates: dict[str, Any] = {}
    if all(row.position == 1 for row in rows) and _both_orders(rows):
        covariates |= position_columns(judges)
    else:
        notes.append("not every pair was judged in both orders; position is not corrected")
    wins = _win_rates(first, second, results, items)
    try:
        fitted = paired_comparison(first, second, results, items, covariates)
    except UndefinedStatistic as why:
        return Ranking(wins, None, _ranks_of_wins(wins), None, {}, [*notes, f"no strengths: {why}"])
    by_judge: dict[str, PairedComparison | None] = {}
    if len(set(judges)) > 1:
        by_judge = strengths_by_judge(judges, first, second, results, items, covariates)
        notes += [f"intervals are about these {len(by_judge)} judges, not others", *disagreements(by_judge)]
    controlled = None
    if texts:
        known = [(texts.get((row.id, row.system)), texts.get((row.id, row.unit.removeprefix(AGAINST)))) for row in rows]
        if all(a is not None and b is not None for a, b in known):
            lengths = [math.log2((1 + len((a or "").split())) / (1 + len((b or "").split()))) for a, b in known]
            controlled = paired_comparison(first, second, results, items, {**covariates, "length": lengths})
        else:
            notes.append("no length control: some judged outputs are not in the files of outputs")
    return Ranking(wins, fitted, _ranks(fitted), controlled, by_judge, notes)


def _strength(fitted: PairedComparison | None, system: str) -> float | None:
    known = fitted is not None and system in fitted.systems
    return float(fitted.strengths[fitted.systems.index(system)]) if fitted is not None and known else None


def _both_orders(rows: Sequence[Judgement]) -> bool:
    shown = {(row.annotator, row.id, row.system, row.unit.removeprefix(AGAINST)) for row in rows}
    return all((name, id, b, a) in shown for name, id, a, b in shown)


def _win_rates(
    first: Sequence[str], second: Sequence[str], results: Sequence[float], items: Sequence[str]
) -> list[WinRate]:
    by_pair: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for a, b, result, item in zip(first, second, results, items, strict=True):
        pair, value = ((a, b), result) if a < b else ((b, a), 1 - result)
        by_pair.setdefault(pair, []).append((value, item))
    measured = []
    for (a, b), values in sorted(by_pair.items()):
        if len({item for _, item in values}) < 2:
            raise AssayError(f"{a} and {b}: one item only; a win rate needs more")
        effect = mean_effect([value - 0.5 for value, _ in values], [item for _, item in values])
        measured.append((a, b, effect, len({item for _, item in values})))
    adjusted = holm([effect.p for _, _, effect, _ in measured]).tolist()
    return [
        WinRate(a, b, 0.5 + effect.value, max(0.0, 0.5 + effect.low), min(1.0, 0.5 + effect.high), effect.p, p, n)
        for (a, b, effect, n), p in zip(measured, adjusted, strict=True)
    ]


def _ranks_of_wins(wins: Sequence[WinRate]) -> dict[str, int]:
    """Return ranks from win rates: 1 + the number of systems that are significantly better."""
    better = [(win.a, win.b) if win.value > 0.5 else (win.b, win.a) for win in wins if win.p_adjusted < 0.05]
    names = sorted({name for win in wins for name in (win.a, win.b)})
    return {name: 1 + sum(loser == name for _, loser in better) for name in names}


def _ranks(fitted: PairedComparison) -> dict[str, int]:
    many = len(fitted.systems)
    pairs = list(combinations(range(many), 2))
    adjusted = holm([fitted.difference(a, b)[2] for a, b in pairs]).tolist()
    matrix = [[1.0] * many for _ in range(many)]
    for (a, b), p in zip(pairs, adjusted, strict=True):
        matrix[a][b] = matrix[b][a] = p
    return dict(zip(fitted.systems, shared_ranks(fitted.strengths, matrix), strict=True))


def corrected_rates(
    judgements: Sequence[Judgement], positive: str, judge: str | None = None, criterion: str | None = None
) -> dict[str, dict[str, Any]]:
    """Return, for each system, the rate of a label as the judge reports it and corrected by its error rates.

    Error rates are those of the judge on all outputs that annotators labelled (majority); they may differ between
    systems, which `judge validate` tests.
    """
    labels = read_labels(judgements, [judge] if judge else [], criterion)
    if len(labels.judges) > 1:
        raise AssayError(f"several judges: {', '.join(labels.judges)}; name one with --judge")
    own = next(iter(labels.judges.values()))
    majority = labels.majorities()
    yes = [cell for cell, label in majority.items() if _word(label) == positive and cell in own]
    no = [cell for cell, label in majority.items() if _word(label) != positive and cell in own]
    hits = sum(_word(own[cell]) == positive for cell in yes)
    rejections = sum(_word(own[cell]) != positive for cell in no)
    if not any(_word(label) == positive for label in own.values()) and not yes:
        known = sorted({_word(label) for label in own.values()})
        raise AssayError(f"no label {positive}; there is {', '.join(known[:8])}")
    rates: dict[str, dict[str, Any]] = {}
    for system in sorted({cell.system for cell in own}):
        cells: list[Cell] = [cell for cell in own if cell.system == system]
        count = sum(_word(own[cell]) == positive for cell in cells)
        try:
            rate = corrected_rate(count, len(cells), hits, len(yes), rejections, len(no))
            rates[system] = {**vars(rate), "n": len(cells), "labelled": len(yes) + len(no),
                             "informative": _informative(rate, len(yes), len(no))}  # fmt: skip
        except UndefinedStatistic as why:
            rates[system] = {"apparent": count / len(cells), "value": None, "low": None, "high": None, "n": len(cells),
                             "why": str(why)}  # fmt: skip
    return rates


def _informative(rate: CorrectedRate, yes: int, no: int) -> bool:
    """Return whether the judge is significantly better than a coin (sensitivity + specificity above 1)."""
    error = math.sqrt(
        rate.sensitivity * (1 - rate.sensitivity) / yes + rate.specificity * (1 - rate.specificity) / no
    )  # fmt: skip
    return rate.sensitivity + rate.specificity - 1 > Z * error


def _word(label: Label) -> str:
    return label if isinstance(label, str) else f"{label:g}"
