"""Counts of the equivalence test by evaluation and by pair of classes, in the format of the authors' program."""

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
"""Correct and total counts, by evaluation and by `EVALUATION-pos_I-neg_J`."""
PAIR = "-pos_"
"""Occurs only in the names of pairs of classes."""


def results_json(pairs: Iterable[tuple[Example, str]]) -> Results:
    """Return counts by evaluation and by pair of classes, from instances and the answers of a system."""
    tally: dict[str, list[int]] = {}
    for example, output in pairs:
        choice, right = read_input(example, Choice), is_correct(example, output)
        name = example.tags.get("evaluation", "all")
        for key in (name, f"{name}-pos_{choice.positive_class}-neg_{choice.negative_class}"):
            counts = tally.setdefault(key, [0, 0])
            counts[0] += right
            counts[1] += 1
    return {name: (right, n) for name, (right, n) in tally.items()}


def read_results(path: Path) -> Results:
    """Read a file of results as the authors' program writes it.

    Raises:
        AssayError: The file has another format.
    """
    document = read_json(path)
    if not isinstance(document, dict) or not document:
        raise AssayError(f"{path}: not a results file. Expected an object with [correct, total] by evaluation.")
    for name, value in document.items():
        fits = isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value)
        if not fits or not 0 <= value[0] <= value[1] or value[1] == 0:
            raise AssayError(f"{path}: {name[:60]!r} is not [correct, total], two integers.")
    return {name: (right, n) for name, (right, n) in document.items()}
