"""Linter rules for single questions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.meta.scales import stated_points
from assay.studies.criteria import ABSTRACT
from assay.studies.design import Design, Question
from assay.studies.kinds import kind_for
from assay.studies.lint_report import Finding

MECHANISM = re.compile(
    r"\b(because|such as|that is|for example|e\.g\.|in that|by which|so that)\b|[\"'“‘«]", re.IGNORECASE
)
"""A question that states a reason or quotes an example is concrete."""
STEM = 5
EXTRA = ("humor", "funny", "fluent", "good")


def question_findings(design: Design) -> Iterator[Finding]:
    """Yield findings about each question, and about scales that the instructions state."""
    if not design.questions:
        yield Finding("no-question", "", "no questions", "add [[questions]]")
    for question in design.questions:
        yield from _one(question)
    yield from _scale_in_instructions(design)


def _one(question: Question) -> Iterator[Finding]:
    name, kind = question.criterion, kind_for(question)
    if not question.motivation:
        yield Finding(
            "unmotivated", name, "the criterion is not motivated", "set motivation, and its source in because"
        )
    if question.motivation == "prior work" and not question.because:
        yield Finding("motivation-unfollowed", name, "motivated by prior work without a citation", "set because")
    if not question.text:
        yield Finding("question-missing", name, "the wording of the question is not stated", "set text")
    elif not question.definition and is_abstract(question.text):
        yield Finding("abstract", name, "the question uses an abstract term without a definition", "set definition")
    if kind.scale and not question.labels:
        yield Finding("scale-labels", name, "the points of the scale have no labels", "set labels")
    if question.preset is not None:
        yield Finding("preset", name, f"preselected answer {question.preset}: it biases answers", "remove preset")
    if not question.definition:
        yield Finding("undefined", name, "the criterion is not defined", "set definition")
    stated = stated_points(question.text) or stated_points(question.definition)
    if stated and question.points and kind.scale and stated != question.points:
        yield _scale_mismatch(name, stated, question)
    yield from kind.findings()


def _scale_in_instructions(design: Design) -> Iterator[Finding]:
    stated = stated_points(design.instructions)
    scaled = [q for q in design.questions if kind_for(q).scale == "discrete" and q.points]
    if stated and scaled and all(q.points != stated for q in scaled):
        yield _scale_mismatch("", stated, scaled[0])


def _scale_mismatch(criterion: str, stated: int, question: Question) -> Finding:
    problem = f"the text states a {stated}-point scale, but there are {question.points} options"
    return Finding("scale-text", criterion, problem, "correct the text or the values")


def is_abstract(text: str) -> bool:
    """Return whether a question uses an abstract term without explaining it, as in `Is this humorous?`"""
    if MECHANISM.search(text):
        return False
    words = re.findall(r"\w+", text.lower())
    stems = (*(word[:STEM] for word in ABSTRACT), *EXTRA)
    return any(word.startswith(stems) for word in words)
