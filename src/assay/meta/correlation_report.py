"""Metrics against people from end to end: two tables joined, questions asked of them, one report of what came out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

from assay.errors import UsageError
from assay.meta.ablation import influence
from assay.meta.correlate import Answer, Level, Question, ask, refuse_empty, split_by
from assay.meta.frames import Joined, columns_of, human_column, join_scores, read_scores
from assay.meta.williams import pairwise_williams
from assay.records.types import Data
from assay.stats.correlation import Method

METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall-b", "kendall-c")
LEVELS: tuple[Level, ...] = get_args(Level)


class Correlated(NamedTuple):
    """What was asked, of what, and what came out (as `assay correlate --json` prints it)."""

    data: Joined
    question: Question
    report: dict[str, Any]


def correlate_files(
    human: Data,
    scores: Sequence[Data],
    question: Question,
    *,
    by: str | None = None,
    ablate: Sequence[str] = (),
    williams: bool = False,
    allow_missing: bool = False,
) -> Correlated:
    """Every metric of `scores` against people; several score files are systems, named by their files. A question
    that names no human column is about the one that is found."""
    _refuse(question, williams)
    data = join_scores(human, read_scores(scores), allow_missing)
    column = human_column(data.frame, data.key, question.human or None, data.metrics)
    question = replace(question, human=column)
    if column in data.metrics:
        data = replace(data, metrics=tuple(metric for metric in data.metrics if metric != column))
    if question.cluster:
        columns_of(data.frame, [question.cluster], "--cluster")
    report = answer(data, question, ablate, williams)
    if by:
        parts = split_by(data, by).items()
        report["by"] = {value: answer(part, question, ablate, williams, whole=False) for value, part in parts}
    return Correlated(data, question, report)


def _refuse(question: Question, williams: bool) -> None:
    """What does not exist, and what this level has no use for: to ignore it would answer another question."""
    unknown = [name for name in question.methods if name not in METHODS]
    if unknown or not question.methods:
        raise UsageError(f"--method: no method '{unknown[0] if unknown else ''}'; choose from {', '.join(METHODS)}")
    if question.level not in LEVELS:
        raise UsageError(f"--level: no level '{question.level}'; choose from {', '.join(LEVELS)}")
    if question.level != "global":
        for name, given in (("williams", williams), ("control", question.controls)):
            if given:
                raise UsageError(f"--{name} is for --level global; leave it out, or leave --level out")
    if question.cluster and not question.samples:
        raise UsageError("--cluster is how intervals are resampled; give --ci too")


def answer(
    data: Joined, question: Question, ablate: Sequence[str] = (), williams: bool = False, whole: bool = True
) -> dict[str, Any]:
    """The report of one table; a part of a table may have nothing to say, the whole may not."""
    found = ask(data, question)
    if whole:
        refuse_empty(found)
    report = _one(found, question)
    if williams:
        report["williams"], report["metric_correlation"], notes = pairwise_williams(data, question)
        report["warnings"] += notes
    if ablate:
        report["ablation"] = influence(data, question, ablate)
    return report


def _one(found: Answer, question: Question) -> dict[str, Any]:
    return {
        "n": found.n,
        "human": found.human,
        "controls": list(question.controls),
        "level": question.level,
        "metrics": found.metrics,
        "williams": {},
        "metric_correlation": {},
        "ablation": {},
        "warnings": found.warnings,
    }
