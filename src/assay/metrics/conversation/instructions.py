"""instructions: share of instructions that outputs follow, decided by checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.answers.extraction import NO_JSON, json_in
from assay.metrics.answers.format_valid import BULLET
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items
from assay.text.sentences import split_sentences

COLUMNS = ("followed", "checks", "all", "items")


def _texts(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(one, str) and one for one in listed):
        raise ValueError("a text or a list of texts")
    return [one.lower() for one in listed]


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("a whole number from 0")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _bullets(text: str) -> int:
    return sum(bool(BULLET.match(line)) for line in text.split("\n"))


def _cased(text: str) -> str:
    return "".join(one for one in text if one.isalpha())


CHECKS: dict[str, Callable[[str, Any], bool]] = {
    "max_words": lambda text, value: len(text.split()) <= _number(value),
    "min_words": lambda text, value: len(text.split()) >= _number(value),
    "max_sentences": lambda text, value: len(split_sentences(text, "multilingual", None)) <= _number(value),
    "min_sentences": lambda text, value: len(split_sentences(text, "multilingual", None)) >= _number(value),
    "paragraphs": lambda text, value: sum(bool(one.strip()) for one in text.split("\n\n")) == _number(value),
    "bullets": lambda text, value: _bullets(text) == _number(value),
    "contains": lambda text, value: all(one in text.lower() for one in _texts(value)),
    "excludes": lambda text, value: not any(one in text.lower() for one in _texts(value)),
    "starts_with": lambda text, value: text.strip().lower().startswith(tuple(_texts(value))),
    "ends_with": lambda text, value: text.strip().lower().endswith(tuple(_texts(value))),
    "json": lambda text, value: (json_in(text) is not NO_JSON) == _flag(value),
    "lowercase": lambda text, value: (_cased(text) == _cased(text).lower()) == _flag(value),
    "uppercase": lambda text, value: (_cased(text) == _cased(text).upper()) == _flag(value),
    "commas": lambda text, value: ("," in text) == _flag(value),
    "questions": lambda text, value: ("?" in text) == _flag(value),
}
"""Checks by name: whether a text fits a value. None has more than linear cost."""


@dataclass(frozen=True)
class Instructions(SumMetric):
    """Share of the instructions of all items that outputs follow. The checks of an item are `expected.checks`, an
    object such as `{"max_words": 50, "contains": "refund", "questions": false}`.

    `instructions.all` is the share of items whose instructions are all followed. Items without checks do not count.
    """

    name: ClassVar = "instructions"
    category: ClassVar = "descriptive"
    summary: ClassVar = "share of instructions followed, decided by checks"
    citation: ClassVar = "Zhou et al. (2023), Instruction-Following Evaluation for Large Language Models"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (Part("instructions", digits=3), Part("instructions.all", digits=3))

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def unfit(self, items: Items) -> str | None:
        if not any(checks_of(example.expected) for example in items.examples):
            return "needs expected.checks, and no item has any"
        return None

    def statistics(self, items: Items) -> Dense:
        rows = []
        for output, example in zip(items.outputs, items.examples, strict=True):
            checks = checks_of(example.expected)
            results = [follows(output, name, value, example.id) for name, value in checks.items()]
            rows.append((sum(results), len(results), float(bool(results) and all(results)), float(bool(results))))
        return Dense(COLUMNS, np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS)))

    def values(self, sums: Floats) -> Values:
        followed, checks, whole, items = sums.T
        return {"instructions": divide(followed, checks), "instructions.all": divide(whole, items)}

    def undefined(self, part: str) -> str:
        return "no item has checks"


def checks_of(expected: Any) -> Mapping[str, Any]:
    """Return the checks of an item; none if it has no `checks`."""
    checks = expected.get("checks") if isinstance(expected, Mapping) else None
    return checks if isinstance(checks, Mapping) else {}


def follows(output: str, name: str, value: Any, id: str) -> bool:
    """Return whether an output passes a check.

    Raises:
        AssayError: The check is unknown, or its value does not fit.
    """
    if name not in CHECKS:
        raise AssayError(f"id {id}: no check called {name}; there are {', '.join(CHECKS)}")
    try:
        return CHECKS[name](output, value)
    except ValueError as error:
        raise AssayError(f"id {id}: the value of the check {name} must be {error}") from None
