"""Results of the equivalence test as the authors' program keeps them: counts by evaluation and by pair of classes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assay.errors import AssayError
from assay.metrics.ranking.equivalence import is_correct
from assay.records.documents import read_json
from assay.records.inputs import read_input
from assay.records.kinds import Choice
from assay.records.types import Example

Results = dict[str, tuple[int, int]]
"""By evaluation, and by `EVALUATION-pos_I-neg_J`: how many are right, and of how many."""
PAIR = "-pos_"
"""Stands in the names of pairs of classes alone."""


def results_json(pairs: Iterable[tuple[Example, str]]) -> Results:
    """Counts by evaluation and by pair of classes, from instances and what a system answered."""
    found: dict[str, list[int]] = {}
    for example, output in pairs:
        given, right = read_input(example, Choice), is_correct(example, output)
        name = example.tags.get("evaluation", "all")
        for key in (name, f"{name}-pos_{given.positive_class}-neg_{given.negative_class}"):
            counts = found.setdefault(key, [0, 0])
            counts[0] += right
            counts[1] += 1
    return {name: (right, n) for name, (right, n) in found.items()}


def read_results(path: Path) -> Results:
    """A file of results as the authors' program writes it."""
    given = read_json(path)
    if not isinstance(given, dict) or not given:
        raise AssayError(f"{path}: not a file of results; it is an object of [right, all] by evaluation")
    for name, value in given.items():
        fits = isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value)
        if not fits or not 0 <= value[0] <= value[1] or value[1] == 0:
            raise AssayError(f"{path}: {name[:60]!r} is not [right, all], two whole numbers")
    return {name: (right, n) for name, (right, n) in given.items()}
