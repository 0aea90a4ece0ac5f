"""What helps a mean most for its cost: judged outputs, judges, prompts, draws, labelled outputs or annotators.

The mean is that of annotators, estimated from labels of some outputs and judgements of all of them (prediction-powered,
Angelopoulos et al. 2023), so that errors that a judge makes everywhere cancel. Its variance is

    a / A + (t + e / m) / n - (c^2 / V) (1 / n - 1 / N)

for N judged and n labelled outputs, A annotators and m labels of an output; a, t and e are the variances of annotators,
of outputs and of single labels, V is that of the mean judgement of an output, and c its covariance with mean labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.meta.judge_labels import draw_of, judge_name
from assay.records.types import JUDGE_METHOD, Judgement
from assay.stats.components import components
from assay.stats.validation import UndefinedStatistic, group_codes

FEWEST = 10
"""Labelled outputs below which nothing is planned."""
PANEL = ("judge", "prompt", "draw")


@dataclass(frozen=True)
class Sources:
    """Variances of labels and judgements of one system."""

    annotator: float
    output: float
    """Of mean labels between outputs."""
    label: float
    judged: float
    """Of mean judgements between outputs."""
    by_judge: float
    """Of outputs that judges see differently; more draws do not decrease it."""
    by_prompt: float
    noise: float
    covariance: float
    """Of mean labels and mean judgements."""


@dataclass(frozen=True)
class Design:
    """How much is judged and labelled, for one system."""

    judged: int
    judges: int
    prompts: int
    draws: int
    labelled: int
    annotators: int
    labels: float
    """Labels of a labelled output."""

    def cost(self, call: float, item: float, label: float) -> float:
        """Return the cost of all calls, outputs and labels."""
        calls = self.judged * self.judges * self.prompts * self.draws
        return calls * call + self.judged * item + self.labelled * self.labels * label


@dataclass(frozen=True)
class PeopleOption:
    """One way to spend more, and the standard error of the annotators' mean that it leaves."""

    add: str
    levels: int
    cost: float
    error: float
    saved: float
    """Decrease of the variance per unit of cost."""


@dataclass(frozen=True)
class PeoplePlan:
    """The error of the annotators' mean as it is now, without the judge, and after each addition."""

    design: Design
    sources: Sources
    error: float
    without_judge: float
    options: list[PeopleOption]
    notes: list[str]

    def record(self) -> dict[str, Any]:
        """Return the JSON object."""
        options = [vars(option) for option in self.options]
        return {**vars(self.design), "variances": vars(self.sources), "error": self.error,
                "error_without_judge": self.without_judge, "options": options, "notes": self.notes}  # fmt: skip


def mean_variance(sources: Sources, design: Design) -> float:
    """Return the variance of the prediction-powered mean of one system, with the best weight of the judge."""
    people = sources.output + sources.label / design.labels
    panel = design.judges * design.prompts * design.draws
    judged = sources.judged + sources.by_judge / design.judges + sources.by_prompt / design.prompts
    judged += sources.noise / panel
    gain = max(0.0, sources.covariance) ** 2 / judged if judged else 0.0
    more = max(0.0, 1 / design.labelled - 1 / design.judged)
    return sources.annotator / design.annotators + people / design.labelled - min(gain, people) * more


def people_plan(
    judgements: Sequence[Judgement], criterion: str | None, call: float, item: float, label: float
) -> PeoplePlan | str:
    """Return what to add next, or why it cannot be planned.

    Args:
        judgements: Ratings by judges, and by annotators of some of the same outputs.
        criterion: Criterion to use (default: the only one).
        call: Cost of a call to a judge.
        item: Cost of one more output, besides its calls.
        label: Cost of a label by an annotator.
    """
    rows = [
        row for row in judgements
        if row.unit == "summary" and not isinstance(row.value, str) and criterion in (None, row.criterion)
        and not row.suggested
    ]  # fmt: skip
    people = [row for row in rows if row.method != JUDGE_METHOD]
    panel = [row for row in rows if row.method == JUDGE_METHOD]
    outputs = {(row.id, row.system) for row in panel}
    people = [row for row in people if (row.id, row.system) in outputs]
    if len({(row.id, row.system) for row in people}) < FEWEST:
        return f"fewer than {FEWEST} judged outputs have human judgements"
    try:
        sources, design, notes = _measured(panel, people)
    except UndefinedStatistic as why:
        return str(why)
    now, cost = mean_variance(sources, design), design.cost(call, item, label)
    options = []
    for name, levels, more in _additions(design):
        if (spent := more.cost(call, item, label) - cost) > 0:
            after = mean_variance(sources, more)
            options.append(PeopleOption(name, levels, spent, math.sqrt(after), (now - after) / spent))
    alone = sources.annotator / design.annotators + (sources.output + sources.label / design.labels) / design.labelled
    options.sort(key=lambda option: -option.saved)
    return PeoplePlan(design, sources, math.sqrt(now), math.sqrt(alone), options, notes)


def _additions(design: Design) -> list[tuple[str, int, Design]]:
    more = max(1, design.judged // 10)
    listed = [("item", design.judged + more, replace(design, judged=design.judged + more))]
    for name in PANEL:
        levels = getattr(design, f"{name}s")
        if levels > 1:  # of one level nothing is known
            listed.append((name, levels + 1, replace(design, **{f"{name}s": levels + 1})))
    labelled = design.labelled + max(1, design.labelled // 10)
    if labelled <= design.judged:
        listed.append(("labelled item", labelled, replace(design, labelled=labelled)))
    if design.annotators > 1:
        each = design.labels * (design.annotators + 1) / design.annotators
        grown = replace(design, annotators=design.annotators + 1, labels=each)
        listed.append(("annotator", design.annotators + 1, grown))
    return listed


def _measured(panel: Sequence[Judgement], people: Sequence[Judgement]) -> tuple[Sources, Design, list[str]]:
    """Return the variances within systems, and the design as it is for one system."""
    seen: dict[tuple[str, str], dict[tuple[str, str, str], float]] = {}
    for row in panel:
        cell = (judge_name(row.annotator), row.question, draw_of(row.annotator))
        seen.setdefault((row.id, row.system), {})[cell] = float(row.value)
    cells = sorted({cell for rated in seen.values() for cell in rated})
    levels = [len({cell[i] for cell in cells}) for i in range(3)]
    if math.prod(levels) != len(cells):
        raise UndefinedStatistic("judges, prompts and draws are not crossed; judge with the same prompts and draws")
    whole = sorted(output for output, rated in seen.items() if len(rated) == len(cells))
    if len(whole) < FEWEST:
        raise UndefinedStatistic(f"{len(whole)} outputs have all judgements; at least {FEWEST} are needed")
    notes = [f"{len(seen) - len(whole)} outputs lack a judgement and are left out"] if len(whole) < len(seen) else []
    systems = [system for _, system in whole]
    table = _centred(np.array([[seen[output][cell] for cell in cells] for output in whole]), systems)
    judged, by_judge, by_prompt, noise = _panel(table, cells, levels)
    labels: dict[tuple[str, str], list[float]] = {}
    for row in people:
        labels.setdefault((row.id, row.system), []).append(float(row.value))
    names = sorted({row.annotator for row in people})
    many = len({row.system for row in people})
    values = _centred(np.array([[float(row.value)] for row in people]), [row.system for row in people])[:, 0]
    factors: dict[str, Any] = {"output": group_codes([row.id for row in people], [row.system for row in people])}
    if len(names) > 1:
        factors["annotator"] = [row.annotator for row in people]
    each = len(people) / len(labels)
    if each > 1:
        parts = components(values, factors)
        output, rest = parts.variance("output"), parts.variance("residual")
        annotator = parts.variance("annotator") if len(names) > 1 else 0.0
    else:
        notes.append("one label of each output: annotators are not distinguished from noise")
        output, rest, annotator = float(values.var(ddof=many)), 0.0, 0.0
    both = [i for i, place in enumerate(whole) if place in labels]
    if len(both) < FEWEST:
        raise UndefinedStatistic(f"{len(both)} outputs have all judgements and a label; at least {FEWEST} are needed")
    own = [systems[i] for i in both]
    human = _centred(np.array([[float(np.mean(labels[whole[i]]))] for i in both]), own)[:, 0]
    machine = _centred(table[both].mean(axis=1)[:, None], own)[:, 0]
    covariance = float(human @ machine) / max(1, len(both) - len(set(own)))
    sources = Sources(annotator, output, rest, judged, by_judge, by_prompt, noise, covariance)
    kinds = len(set(systems))
    design = Design(
        judged=round(len(whole) / kinds), judges=levels[0], prompts=levels[1], draws=levels[2],
        labelled=max(1, round(len(labels) / many)), annotators=len(names), labels=each,
    )  # fmt: skip
    return sources, design, notes


def _panel(
    table: np.ndarray[Any, np.dtype[np.float64]], cells: Sequence[tuple[str, str, str]], levels: Sequence[int]
) -> tuple[float, float, float, float]:
    """Return the variances of outputs, of outputs by judge and by prompt, and of single judgements."""
    count, width = table.shape
    if width == 1:
        return float(table.var(ddof=1)), 0.0, 0.0, 0.0
    output = np.repeat(np.arange(count), width)
    factors: dict[str, Any] = {"output": output}
    for i, name in enumerate(PANEL[:2]):
        if levels[i] > 1:
            column = np.tile(group_codes([cell[i] for cell in cells]), count)
            factors[name] = column
            if levels[i] < width:
                factors[f"output:{name}"] = group_codes(output, column)
    parts = components(table.ravel(), factors)

    def of(name: str) -> float:
        return parts.variance(name) if name in parts.parts else 0.0

    return of("output"), of("output:judge"), of("output:prompt"), of("residual")


def _centred(
    table: np.ndarray[Any, np.dtype[np.float64]], systems: Sequence[str]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the values without the mean of their system."""
    codes: Mapping[str, Sequence[int]] = {
        name: [i for i, system in enumerate(systems) if system == name] for name in sorted(set(systems))
    }
    centred = table.copy()
    for places in codes.values():
        centred[places] -= table[places].mean()
    return centred
