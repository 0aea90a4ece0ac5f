"""Biases of a judge: what its error depends on, each with a confidence interval and a p value over all that is tested.

Error is the judge's value minus the mean human value; for labels that are no numbers, whether the judge differs from
the majority. An effect is called a bias if its p value, corrected by Holm over all effects of the judge, is below .025.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from assay.meta.judge_labels import AGAINST, Cell, Label, Labels, once
from assay.stats.adjust import holm
from assay.stats.error_effects import Effect, error_effects, mean_effect
from assay.stats.validation import UndefinedStatistic

MARKUP = re.compile(r"^\s{0,3}(?:[-*#]|\d+[.)])\s|\*\*|`", re.MULTILINE)
"""Matches lists, headings, bold and code."""
ALPHA = 0.025
"""Level of a bias: half of .05, so that an unbiased judge is called biased clearly less often, in small samples too."""
FEWEST = 10
"""Items below which no bias is measured."""
OF_SYSTEM = "error against the mean of all systems"
ABOUT = {
    "position": "preference for the first of two texts, in share of pairs",
    "length": "error per doubling of the length",
    "format": "error of texts with lists, headings, bold or code",
    "self_preference": "error of its own model's outputs against the others",
    "level": "mean error; the same for all, so it changes no comparison",
}
"""What a bias is; of a system, its error against the mean of all systems."""

NO_POINTS = ("position", "level")
"""Effects that are no difference between outputs in points of the scale."""


@dataclass(frozen=True)
class Bias:
    """A systematic error of a judge."""

    name: str
    value: float
    low: float
    high: float
    p: float
    p_adjusted: float
    significant: bool
    """Whether it is significant after the correction."""

    def exceeds(self, tolerance: float | None) -> bool:
        """Return whether the interval is outside a tolerance; without one, or without points, any bias is too large."""
        without = tolerance is None or self.name in NO_POINTS
        return without or self.low > (tolerance or 0) or self.high < -(tolerance or 0)

    def may_exceed(self, tolerance: float | None) -> bool:
        """Return whether the interval leaves a tolerance open."""
        if tolerance is None or self.name in NO_POINTS:
            return False
        return self.low < -tolerance or self.high > tolerance

    def record(self) -> dict[str, object]:
        return {key: value for key, value in asdict(self).items() if key != "name"}


def judge_biases(
    labels: Labels, judge: str, texts: Mapping[tuple[str, str], str], own: str | None = None
) -> tuple[list[Bias], list[str]]:
    """Return the biases of a judge, and notes about what could not be measured.

    Args:
        texts: Judged text by id and system, for length and format (default: not measured).
        own: System written by the judge's own model.
    """
    effects: dict[str, Effect] = {}
    notes: list[str] = []
    cells = labels.judges[judge]
    try:
        only_pairs = bool(cells) and all(cell.unit.startswith(AGAINST) for cell in cells)
        effects |= (_pair_errors if only_pairs else _errors)(labels, judge, texts, own, notes)
    except UndefinedStatistic as why:
        notes.append(f"no biases by system, length or format: {why}")
    if orders := labels.orders.get(judge):
        try:
            effects["position"] = _position(orders)
        except UndefinedStatistic as why:
            notes.append(f"no position bias: {why}")
    level = effects.pop("level", None)
    adjusted = holm([effect.p for effect in effects.values()]).tolist() if effects else []
    biases = [
        Bias(name, effect.value, effect.low, effect.high, effect.p, corrected, corrected < ALPHA)
        for (name, effect), corrected in zip(effects.items(), adjusted, strict=True)
    ]
    if level is not None:  # a constant error changes no comparison, and is no bias for or against anything
        biases.insert(0, Bias("level", level.value, level.low, level.high, level.p, level.p, False))
    return biases, notes


def _errors(
    labels: Labels, judge: str, texts: Mapping[tuple[str, str], str], own: str | None, notes: list[str]
) -> dict[str, Effect]:
    rated = {cell: label for cell, label in labels.judges[judge].items() if not cell.unit.startswith(AGAINST)}
    errors = _error_of(labels, rated)
    cells = list(errors)
    items = sorted({cell.id for cell in cells})
    if len(items) < FEWEST:
        raise UndefinedStatistic(f"{len(items)} items with human judgements; at least {FEWEST} are needed")
    systems = [cell.system for cell in cells]
    covariates: dict[str, list[float]] = {}
    known = [texts.get((cell.id, cell.system)) for cell in cells]
    if texts and all(text is not None for text in known):
        lengths = [math.log2(1 + len((text or "").split())) for text in known]
        marked = [float(bool(MARKUP.search(text or ""))) for text in known]
        if len(set(lengths)) > 1:
            covariates["length"] = lengths
        if min(sum(marked), len(marked) - sum(marked)) >= 5:
            covariates["format"] = marked
    elif texts:
        notes.append("no length or format bias: some judged outputs are not in the files of outputs")
    if own is not None and own not in systems:
        notes.append(f"no self-preference: no judged outputs of {own}")
    return error_effects([errors[cell] for cell in cells], systems, [cell.id for cell in cells], covariates, own)


def _pair_errors(
    labels: Labels, judge: str, texts: Mapping[tuple[str, str], str], own: str | None, notes: list[str]
) -> dict[str, Effect]:
    """Return the effects on the judge's share of wins against that of annotators. Each pair counts for both systems,
    with opposite signs, so that there is no level; outputs of an item are one cluster."""
    chosen = once(labels.judges[judge])
    people = [once(each) for each in labels.humans.values()]
    rows: list[tuple[float, str, str, str]] = []
    for cell, label in chosen.items():
        values = [float(each[cell]) for each in people if cell in each]
        if values:
            other, error = cell.unit.removeprefix(AGAINST), float(label) - sum(values) / len(values)
            rows += [(error, cell.system, other, cell.id), (-error, other, cell.system, cell.id)]
    items = [id for *_, id in rows]
    if len(set(items)) < FEWEST:
        raise UndefinedStatistic(f"{len(set(items))} items with human judgements; at least {FEWEST} are needed")
    covariates: dict[str, list[float]] = {}
    known = [(texts.get((id, system)), texts.get((id, other))) for _, system, other, id in rows]
    if texts and all(text is not None for pair in known for text in pair):
        sides = [[text or "" for text in pair] for pair in known]
        lengths = [[math.log2(1 + len(text.split())) for text in pair] for pair in sides]
        marked = [[float(bool(MARKUP.search(text))) for text in pair] for pair in sides]
        covariates["length"] = [one - other for one, other in lengths]
        covariates["format"] = [one - other for one, other in marked]
        covariates = {name: column for name, column in covariates.items() if sum(map(bool, column)) >= 10}
    elif texts:
        notes.append("no length or format bias: some judged outputs are not in the files of outputs")
    systems = [system for _, system, _, _ in rows]
    if own is not None and own not in systems:
        notes.append(f"no self-preference: no judged outputs of {own}")
    effects = error_effects([error for error, *_ in rows], systems, items, covariates)
    if own is not None and f"system:{own}" in effects:  # in share of its pairs, as that of every system
        effects["self_preference"] = effects[f"system:{own}"]
    names = sorted(set(systems))
    if len(names) == 2:  # one is the other with the opposite sign
        del effects[f"system:{names[1]}"]
        if "self_preference" in effects:
            del effects[f"system:{names[0]}"]
    return {name: effect for name, effect in effects.items() if name != "level"}


def _error_of(labels: Labels, judged: Mapping[Cell, Label]) -> dict[Cell, float]:
    if labels.numeric:
        means = labels.human_means()
        return {cell: float(label) - means[cell] for cell, label in judged.items() if cell in means}
    majority = labels.majorities()
    return {cell: float(label != majority[cell]) for cell, label in judged.items() if cell in majority}


def _position(orders: Mapping[Cell, list[tuple[int, float]]]) -> Effect:
    """Return how much more often the first text wins than the second, over pairs judged in both orders."""
    shifts: list[float] = []
    items: list[str] = []
    for cell, seen in orders.items():
        other = cell.unit.removeprefix("against:")
        if {position for position, _ in seen} >= {1, 2} and cell.system < other:  # each pair once
            first = [value for position, value in seen if position == 1]
            second = [value for position, value in seen if position == 2]
            shifts.append(sum(first) / len(first) - sum(second) / len(second))
            items.append(cell.id)
    if len(set(items)) < FEWEST:
        raise UndefinedStatistic(f"{len(set(items))} items judged in both orders; at least {FEWEST} are needed")
    return mean_effect(shifts, items)
