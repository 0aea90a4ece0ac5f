"""When a verdict is clear: pairs of systems tested after every finished input, as often as an organiser looks.

The evidence is an e-value over the differences of finished inputs, in the order in which they were finished. A pair is
decided when it exceeds 2 x pairs / 0.05: over all looks and all pairs, a wrong decision has a probability of at most
5 % (Ville's inequality), so that a study may stop as soon as its question is decided.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from assay.stats.confidence_sequence import evidence_above
from assay.studies.design import Question
from assay.studies.judgements import judgements_of
from assay.studies.kinds import direction
from assay.studies.load import RATED
from assay.studies.study import Study

LEVEL = 0.05


def verdicts_so_far(study: Study) -> list[dict[str, Any]]:
    """Return, for each rated criterion, the pairs of systems with evidence and decision, and whether all are decided.

    Inputs count when all their annotators have finished, in this order; inputs must be a random sample.
    """
    verdicts = []
    for question in study.design.questions:
        if question.kind in RATED and question.values and (means := _finished(study, question)):
            systems = sorted({system for own in means for system in own})
            pairs = [_decided(question, means, a, b, systems) for a, b in combinations(systems, 2)]
            known = [pair for pair in pairs if pair is not None]
            if known:
                better = {pair["better"] for pair in known if pair["better"]}
                best = [name for name in systems if _beats_all(known, name, len(systems))]
                verdicts.append({
                    "criterion": question.criterion, "pairs": known, "inputs": len(means),
                    "decided": sum(pair["better"] is not None for pair in known), "best": best[0] if best else None,
                    "clear": len(known) == sum(pair["better"] is not None for pair in known) and bool(better),
                })  # fmt: skip
    return verdicts


def _finished(study: Study, question: Question) -> list[dict[str, float]]:
    """Return the mean rating by system of each finished input, in the order of their last answer."""
    wanted = study.design.people.per_item or 1
    by_task: dict[str, list[Any]] = {}
    for assignment in study.assignments.values():
        blocked = bool(study.annotators[assignment.annotator].blocked) and not study.design.quality.keep_blocked_work
        if assignment.done and not assignment.pilot and not blocked:
            by_task.setdefault(assignment.task, []).append(assignment)
    done = []
    for assignments in by_task.values():
        first = sorted(assignments, key=lambda each: (each.finished or 0.0, each.id))[:wanted]
        if len(first) < wanted:
            continue
        values: dict[str, list[float]] = {}
        for assignment in first:
            for row in judgements_of(study, assignment):
                if row.criterion == question.criterion and row.unit == "summary" and not isinstance(row.value, str):
                    values.setdefault(row.system, []).append(float(row.value))
        means = {system: sum(own) / len(own) for system, own in values.items()}
        if len(means) > 1:
            done.append((first[-1].finished or 0.0, first[-1].id, means))
    return [means for _, _, means in sorted(done, key=lambda each: each[:2])]


def _decided(
    question: Question, means: list[dict[str, float]], a: str, b: str, systems: list[str]
) -> dict[str, Any] | None:
    sign = -1.0 if direction(question.kind, question) == "lower" else 1.0
    values = np.array([sign * (own[a] - own[b]) for own in means if a in own and b in own])
    width = float(max(question.values) - min(question.values))
    if not len(values) or width <= 0:
        return None
    share = LEVEL / (len(systems) * (len(systems) - 1))  # two directions of each pair
    weights = np.ones(len(values))
    above, below = (evidence_above(each, weights, width, 0.0) for each in (values, -values))
    first = [each.first_above(share) for each in (above, below)]
    after = min((place for place in first if place is not None), default=None)
    better = None if after is None else a if first[0] == after else b
    evidence = max(float(above.log_capital[-1]), float(below.log_capital[-1]))
    return {"a": a, "b": b, "difference": float(sign * values.mean()), "inputs": len(values), "better": better,
            "after": after, "e_value": float(np.exp(min(evidence, 700.0))), "needed": 1 / share}  # fmt: skip


def _beats_all(pairs: list[dict[str, Any]], name: str, systems: int) -> bool:
    won = [pair for pair in pairs if pair["better"] == name]
    return len(won) == systems - 1


def sentence(verdict: dict[str, Any]) -> str:
    """Return what is decided on a criterion, in words."""
    count = f"{verdict['decided']} of {len(verdict['pairs'])} pairs of systems decided after {verdict['inputs']} inputs"
    if verdict["clear"]:
        return f"{verdict['criterion']}: {count}; the study may stop"
    best = f"; {verdict['best']} is significantly better than all others" if verdict["best"] else ""
    return f"{verdict['criterion']}: {count}{best}"
