"""Comparability of two studies: all differences of their designs that could change scores."""

from __future__ import annotations

import msgspec

from assay.studies.design import Design, Question

SHOWN = (
    "kind", "text", "definition", "values", "better", "labels", "preset", "ties", "several", "most", "least",
    "threshold",
)  # fmt: skip
"""Fields of a question that change answers or how they are read; its motivation does neither."""


def comparability(a: Design, b: Design) -> list[dict[str, str]]:
    """Return every difference between two designs that could change scores, with both values."""
    first, second = _facts(a), _facts(b)
    return [
        {"what": what, "a": _text(first.get(what)), "b": _text(second.get(what))}
        for what in dict.fromkeys((*first, *second))
        if first.get(what) != second.get(what)
    ]


def _facts(design: Design) -> dict[str, object]:
    people, sample, presentation = design.people, design.sample, design.presentation
    facts: dict[str, object] = {
        "task": design.task,
        "language": design.language,
        "instructions": design.instructions.strip(),
        "sampling": sample.method,
        "same inputs for all systems": sample.shared,
        "items": sample.items,
        "texts shown together": sample.groups,
        "order": presentation.order,
        "blinded": presentation.blinded,
        "experts": people.expert,
        "background": people.background,
        "recruitment": people.recruitment,
        "proficiency": people.proficiency,
        "annotations per item": people.per_item,
        "quality control": msgspec.to_builtins(design.quality),
    }
    for question in design.questions:
        facts |= _question(question)
    return facts


def _question(question: Question) -> dict[str, object]:
    facts: dict[str, object] = {f"{question.criterion}: included": True}
    return facts | {f"{question.criterion}: {name}": getattr(question, name) for name in SHOWN}


def _text(value: object) -> str:
    return "not stated" if value in (None, "", [], {}) else str(value)
