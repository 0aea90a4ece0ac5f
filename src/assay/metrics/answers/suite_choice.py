"""The default suite by what the data are: texts, answers that are right or wrong, or JSON."""

from __future__ import annotations

from itertools import islice

from assay.records.items import Items
from assay.records.types import Example, has_answer

LOOKED_AT = 500
LONGEST_ANSWER = 100
"""Longer references are no number or choice; most references are decided by this alone."""


def suite_for(items: Items) -> tuple[str, str]:
    """Return the suite for these items, and why; `default` without a reason."""
    examples = list(islice(items.examples, LOOKED_AT))
    if examples and all(isinstance(one.expected, dict) and has_answer(one.expected) for one in examples):
        return "fields", "expected answers are JSON objects"
    if examples and all(one.contexts for one in examples):
        return "rag", "every item has contexts"
    if examples and all(map(_is_answer, examples)):
        return "answers", "references are numbers, choices or expected answers"
    return "default", ""


def _is_answer(example: Example) -> bool:
    if has_answer(example.expected):
        return not isinstance(example.expected, dict)
    if any(len(text) > LONGEST_ANSWER and "####" not in text for text in example.references):
        return False
    from assay.metrics.answers.extraction import is_choice, is_number  # its patterns take long to compile

    return bool(example.references) and all(is_number(text) or is_choice(text) for text in example.references)
