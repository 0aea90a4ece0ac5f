"""May the numbers of two studies stand in one table? Everything that people saw or were must be the same."""

from __future__ import annotations

import msgspec

from assay.studies.design import Design, Question

SEEN = (
    "kind", "text", "definition", "values", "labels", "preset", "ties", "several", "most", "least", "threshold",
)  # fmt: skip
"""What people saw of a question; why it was asked changes no answer."""


def comparability(a: Design, b: Design) -> list[dict[str, str]]:
    """Every difference that could move a number, as what it is and what both say."""
    first, second = _facts(a), _facts(b)
    return [
        {"what": what, "a": _said(first.get(what)), "b": _said(second.get(what))}
        for what in dict.fromkeys((*first, *second))
        if first.get(what) != second.get(what)
    ]


def _facts(design: Design) -> dict[str, object]:
    people, sample, shown = design.people, design.sample, design.presentation
    facts: dict[str, object] = {
        "task": design.task,
        "language": design.language,
        "instructions": design.instructions.strip(),
        "sampling": sample.method,
        "same inputs for all systems": sample.shared,
        "items": sample.items,
        "texts shown together": sample.groups,
        "order": shown.order,
        "blinded": shown.blinded,
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
    facts: dict[str, object] = {f"{question.criterion}: asked": True}
    return facts | {f"{question.criterion}: {name}": getattr(question, name) for name in SEEN}


def _said(value: object) -> str:
    return "not said" if value in (None, "", [], {}) else str(value)
