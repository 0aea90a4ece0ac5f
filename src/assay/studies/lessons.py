"""Lessons that ship with a typology: its examples as tutorial, its further sentences as qualification test."""

from __future__ import annotations

from typing import Any

from assay.inputs.typology import Typology


def lesson_records(typology: Typology, criterion: str = "") -> list[dict[str, Any]]:
    """Return training items as `assay study serve --lessons` reads them; empty for a typology without examples.

    The tutorial explains every answer; the qualification test does not repeat its sentences.
    """
    about = {"source": typology.text} | ({"criterion": criterion} if criterion else {})
    tutorial = [
        {"part": "tutorial", "text": one.wrong, "expected": code, "why": one.why or one.definition, **about}
        for code, one in typology.errors.items()
        if one.wrong
    ]
    correct = [
        {"part": "tutorial", "text": text, "expected": "", "why": "the text supports all of it", **about}
        for text in typology.correct
    ]
    test = [
        {"part": "qualification", "text": one.text, "expected": one.expected, "why": one.why, **about}
        for one in typology.lessons
    ]
    return [*correct[:1], *tutorial, *correct[1:], *test]
