"""Metrics against people from end to end: two tables joined, questions asked of them, one report of what came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from assay.errors import UsageError
from assay.execution.executors import SERIAL, Executor
from assay.meta.ablation import influence
from assay.meta.correlate import Answer, Question, ask, refuse_empty, split_by
from assay.meta.differences import pairwise_differences
from assay.meta.directions import Direction, check_directions
from assay.meta.frames import Joined, columns_of, human_column, join_scores, read_scores
from assay.meta.human_noise import add_human_noise
from assay.meta.resampling import refuse_resampling, resampling
from assay.meta.williams import Tail, pairwise_williams
from assay.records.types import Data
from assay.stats.correlation import Method
from assay.stats.crossed import Level

METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall-b", "kendall-c")
LEVELS: tuple[Level, ...] = get_args(Level)
TAILS: tuple[Tail, ...] = get_args(Tail)


class Asked(NamedTuple):
    """What else is wanted of a table besides the correlations."""

    ablate: Sequence[str] = ()
    """Errors to forgive."""
    williams: Tail | None = None
    differences: bool = False
    """Whether metrics are compared by swapping."""


class Correlated(NamedTuple):
    """What was asked, of what, and what came out (as `assay metric correlate --json` prints it)."""

    data: Joined
    question: Question
    report: dict[str, Any]


def correlate_files(
    human: Data,
    scores: Sequence[Data],
    question: Question,
    asked: Asked | None = None,
    *,
    by: str | None = None,
    allow_missing: bool = False,
    executor: Executor = SERIAL,
) -> Correlated:
    """Every metric of `scores` against people; several score files are systems, named by their files. A question
    that names no human column is about the one that is found."""
    asked = asked or Asked()
    _refuse(question, asked)
    data = join_scores(human, read_scores(scores), allow_missing)
    column = human_column(data.frame, data.key, question.human or None, data.metrics)
    question = replace(question, human=column)
    if column in data.metrics:
        data = replace(data, metrics=tuple(metric for metric in data.metrics if metric != column))
    if question.cluster:
        columns_of(data.frame, [question.cluster], "--cluster")
    check_directions(question.directions, (*data.metrics, column))
    report = answer(data, question, asked, executor=executor)
    if by:
        parts = split_by(data, by).items()
        report["by"] = {value: answer(part, question, asked, whole=False, executor=executor) for value, part in parts}
    return Correlated(data, question, report)


def _refuse(question: Question, asked: Asked) -> None:
    """What does not exist, and what this level has no use for: to ignore it would answer another question."""
    unknown = [name for name in question.methods if name not in METHODS]
    if unknown or not question.methods:
        raise UsageError(f"--method: no method '{unknown[0] if unknown else ''}'; choose from {', '.join(METHODS)}")
    if question.level not in LEVELS:
        raise UsageError(f"--level: no level '{question.level}'; choose from {', '.join(LEVELS)}")
    if asked.williams is not None and asked.williams not in TAILS:
        raise UsageError(f"--williams: no test '{asked.williams}'; choose from {', '.join(TAILS)}")
    if question.level != "global":
        for name, given in (("williams", asked.williams), ("control", question.controls)):
            if given:
                instead = " (--differences compares metrics at every level)" if name == "williams" else ""
                raise UsageError(f"--{name} is for --level global; leave it out, or leave --level out{instead}")
    refuse_resampling(question, asked.differences)
    if question.directions and not (asked.williams or asked.differences):
        raise UsageError("--direction is for comparing metrics; give --williams or --differences too")


def answer(
    data: Joined, question: Question, asked: Asked | None = None, whole: bool = True, executor: Executor = SERIAL
) -> dict[str, Any]:
    """The report of one table; a part of a table may have nothing to say, the whole may not."""
    asked = asked or Asked()
    found = ask(data, question, executor)
    if whole:
        refuse_empty(found)
    noise = add_human_noise(data, question, found)
    report = _one(found, question)
    if question.samples:
        report["resampled"] = resampling(data.frame.drop_nulls(question.human), question).drawn()
    if noise:
        report["human_noise"] = noise
    if asked.williams:
        tested = pairwise_williams(data, question, asked.williams)
        report |= {"williams": tested.p, "williams_adjusted": tested.adjusted, "metric_correlation": tested.between}
        report["williams_test"] = {"tail": asked.williams} | _family(tested.tests, tested.directions)
        report["warnings"] += tested.warnings
    if asked.differences:
        swapped = pairwise_differences(data, question)
        report["differences"] = swapped.pairs
        words = {"swapped": swapped.swapped, "swaps": question.permutations, "seed": question.seed}
        report["differences_test"] = words | _family(swapped.tests, swapped.directions)
        report["warnings"] += [note for note in swapped.warnings if note not in report["warnings"]]
    if asked.ablate:
        report["ablation"] = influence(data, question, asked.ablate)
    return report


def _family(tests: int, directions: dict[str, Direction]) -> dict[str, Any]:
    """Over how many pairs Holm's correction went, and which way each metric was taken to point."""
    said = {name: {"sign": way.sign, "known_by": way.why} for name, way in directions.items()}
    return {"correction": "holm", "tests": tests, "directions": said}


def _one(found: Answer, question: Question) -> dict[str, Any]:
    return {
        "n": found.n,
        "human": found.human,
        "controls": list(question.controls),
        "level": question.level,
        "metrics": found.metrics,
        "williams": {},
        "williams_adjusted": {},
        "differences": {},
        "metric_correlation": {},
        "ablation": {},
        "warnings": found.warnings,
    }
