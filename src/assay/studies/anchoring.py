"""Anchoring: how much suggestions change answers, measured against annotators who were not shown them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

from assay.stats.error_effects import error_effects
from assay.stats.span_agreement import span_agreement
from assay.stats.validation import UndefinedStatistic
from assay.stats.votes import errors_of
from assay.studies.design import Question
from assay.studies.events import Answer, Suggestion
from assay.studies.kinds.spans import place_of
from assay.studies.study import Study

FEWEST = 5
"""Answers with and without a suggestion below which anchoring is not measured."""
MOST_SHOWN = 20
"""Texts in the list of disagreements."""


@dataclass(frozen=True)
class Compared:
    """The answers of one annotator to one question about one text, next to the suggestion."""

    criterion: str
    id: str
    system: str
    shown: bool
    agreement: float
    """From 0 to 1: equal labels; 1 minus the distance of ratings as a share of the scale; F1 of marked characters."""
    suggested: str
    answered: str
    seconds: float | None


def compared_answers(study: Study) -> Iterator[Compared]:
    """Yield every answer to a question that has a suggestion, whether or not the annotator saw it."""
    for assignment in study.assignments.values():
        if not assignment.done or assignment.pilot != study.pilot or study.annotators[assignment.annotator].blocked:
            continue
        task = study.tasks[assignment.task]
        for number, text in enumerate(task.texts):
            shown = study.sees_suggestion(assignment.annotator, task, number)
            for criterion, suggested in text.suggested.items():
                own = [each for each in assignment.answers if each.text == number and each.criterion == criterion]
                question = study.design.question(criterion)
                seconds = [each.seconds for each in own if each.seconds is not None]
                yield Compared(
                    criterion, text.id, text.system, shown, agreement(question, suggested, own), _words(suggested),
                    _words(own), sum(seconds) if seconds else None,
                )  # fmt: skip


def agreement(question: Question, suggested: Sequence[Suggestion], own: Sequence[Answer]) -> float:
    """Return the agreement of answers with a suggestion, from 0 to 1."""
    if question.kind == "spans":
        marks = [[(*place_of(each.unit), str(each.value)) for each in side] for side in (suggested, own)]
        return span_agreement({"": marks}).overlap if any(marks) else 1.0
    answers = {each.unit: each.value for each in own}
    return mean(_equal(question, each.value, answers.get(each.unit)) for each in suggested)


def _equal(question: Question, suggested: float | str, answer: float | str | None) -> float:
    if answer is None:
        return 0.0
    if isinstance(suggested, str) or isinstance(answer, str):
        return float({*errors_of(str(suggested))} == {*errors_of(str(answer))} or suggested == answer)
    from assay.studies.kinds.slider import ENDS

    points = question.values or ENDS
    return 1 - abs(suggested - answer) / ((max(points) - min(points)) or 1)


def anchoring(study: Study) -> dict[str, dict[str, Any]]:
    """Return for each criterion the agreement with suggestions that were shown and with those that were held out, and
    the difference with its 95 % confidence interval: what the suggestion itself did."""
    by_criterion: dict[str, list[Compared]] = {}
    for each in compared_answers(study):
        by_criterion.setdefault(each.criterion, []).append(each)
    results: dict[str, dict[str, Any]] = {}
    for criterion, rows in by_criterion.items():
        sides = {
            name: [each for each in rows if each.shown == shown]
            for name, shown in (("shown", True), ("held_out", False))
        }
        result: dict[str, Any] = {
            name: {"n": len(side), "agreement": mean(each.agreement for each in side) if side else None,
                   "median_seconds": _median([each.seconds for each in side if each.seconds is not None])}
            for name, side in sides.items()
        }  # fmt: skip
        result |= {"anchoring": None, "low": None, "high": None, "p": None}
        if min(map(len, sides.values())) < FEWEST:
            result["why"] = f"fewer than {FEWEST} answers with or without a suggestion"
        else:
            groups = ["shown" if each.shown else "held out" for each in rows]
            texts = [each.id for each in rows]
            try:
                effect = error_effects([each.agreement for each in rows], groups, texts, {}, own="shown")[
                    "self_preference"
                ]
                result |= {"anchoring": effect.value, "low": effect.low, "high": effect.high, "p": effect.p}
            except UndefinedStatistic as why:
                result["why"] = str(why)
        results[criterion] = result
    return results


def disagreements(study: Study, most: int = MOST_SHOWN) -> list[dict[str, Any]]:
    """Return the texts on which judge and annotators disagree, the largest disagreement first.

    Annotators who did not see the suggestion count; the others only where there are none.
    """
    texts: dict[tuple[str, str, str], list[Compared]] = {}
    for each in compared_answers(study):
        texts.setdefault((each.criterion, each.id, each.system), []).append(each)
    rows: list[dict[str, Any]] = []
    for (criterion, id, system), all_answers in texts.items():
        own = [each for each in all_answers if not each.shown] or all_answers
        agreed = mean(each.agreement for each in own)
        if agreed < 1:
            rows.append({"criterion": criterion, "id": id, "system": system, "agreement": agreed, "n": len(own),
                         "held_out": not own[0].shown, "suggested": own[0].suggested,
                         "answered": " | ".join(each.answered for each in own)})  # fmt: skip
    return sorted(rows, key=lambda row: (row["agreement"], -row["n"], row["id"]))[:most]


def _words(answers: Sequence[Suggestion | Answer]) -> str:
    """Return answers in a few words, such as `4`, `RelE` or `3-7 minor`."""
    words = []
    for each in answers:
        value = each.value if isinstance(each.value, str) else f"{each.value:g}"
        unit = "" if each.unit == "summary" else f"{each.unit.removeprefix('span:')} "
        words.append(unit + value[:80])
    return ", ".join(words) or "–"


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
