"""What is wrong with single questions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.studies.criteria import ABSTRACT
from assay.studies.design import Design, Question
from assay.studies.kinds import kind_for
from assay.studies.lint_report import Finding
from assay.studies.scales import points_said

MECHANISM = re.compile(
    r"\b(because|such as|that is|for example|e\.g\.|in that|by which|so that)\b|[\"'“‘«]", re.IGNORECASE
)
"""A question that names a reason, or quotes, asks for something that can be pointed at."""
STEM = 5
EXTRA = ("humor", "funny", "fluent", "good")


def question_findings(design: Design) -> Iterator[Finding]:
    if not design.questions:
        yield Finding("no-question", "", "there is nothing to answer", "add [[questions]]")
    for question in design.questions:
        yield from _one(question)
    yield from _scale_in_instructions(design)


def _one(question: Question) -> Iterator[Finding]:
    name, kind = question.criterion, kind_for(question)
    if not question.motivation:
        yield Finding("unmotivated", name, "no reason why it is asked", "motivation, and because for the source")
    if question.motivation == "prior work" and not question.because:
        yield Finding("motivation-unfollowed", name, "prior work is named without a source", "because")
    if not question.text:
        yield Finding("question-missing", name, "the exact question is not said", "text, word for word")
    elif not question.definition and is_abstract(question.text):
        yield Finding("abstract", name, "the question uses an abstract word alone", "ask for what can be pointed at")
    if kind.scale and not question.labels:
        yield Finding("scale-labels", name, "no value of the scale says what it means", "labels, by value")
    if question.preset is not None:
        yield Finding(
            "preset", name, f"the form starts with {question.preset}: some people never move it", "leave preset out"
        )
    if not question.definition:
        yield Finding("undefined", name, "it is not defined", "definition")
    said = points_said(question.text) or points_said(question.definition)
    if said and question.points and kind.scale and said != question.points:
        yield _disagree(name, said, question)
    yield from kind.findings()


def _scale_in_instructions(design: Design) -> Iterator[Finding]:
    said = points_said(design.instructions)
    scaled = [q for q in design.questions if kind_for(q).scale == "discrete" and q.points]
    if said and scaled and all(q.points != said for q in scaled):
        yield _disagree("", said, scaled[0])


def _disagree(criterion: str, said: int, question: Question) -> Finding:
    return Finding(
        "scale-text", criterion, f"the text says {said}-point beside {question.points} options", "make them agree"
    )


def is_abstract(text: str) -> bool:
    """Whether a question leaves to each reader what its main word means: `Is this humorous?`"""
    if MECHANISM.search(text):
        return False
    words = re.findall(r"\w+", text.lower())
    stems = (*(word[:STEM] for word in ABSTRACT), *EXTRA)
    return any(word.startswith(stems) for word in words)
