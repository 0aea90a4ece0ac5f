"""Precision and recall of the fields of JSON answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.metrics.answers.extraction import NO_JSON, json_in
from assay.metrics.answers.json_schema import is_valid, read_schema
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats
from assay.records.items import Items
from assay.records.types import Example, has_answer
from assay.stats.assignment import best_assignment

COLUMNS = ("matched", "output", "expected", "shared", "typed", "valid", "count")
LARGEST = 60
"""Largest lists of objects that are assigned; in longer ones entries are compared in order."""
MOST_FIELDS = 3


class Counts(NamedTuple):
    """Values that match, values of output and expected answer, and fields of both with how many have the same type."""

    matched: int = 0
    output: int = 0
    expected: int = 0
    shared: int = 0
    typed: int = 0

    def plus(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True)
class JsonFields(SumMetric):
    """Values of a JSON answer against those of the expected one, over all items. Lists of values are compared without
    order; lists of objects are assigned to each other so that most values match. An output without JSON has no value.
    The expected answer is `expected` of the example, or its reference as JSON."""

    schema: str = ""
    """JSON Schema file that a valid answer has to fit (default: any JSON is valid)."""
    lowercase: bool = False
    """Ignore case in texts."""

    name: ClassVar = "json_fields"
    category: ClassVar = "lexical"
    summary: ClassVar = "F1 of the values of a JSON answer, its validity and types"
    citation: ClassVar = "Chinchor (1992), MUC-4 Evaluation Metrics (precision and recall of slots)"

    def parts(self) -> tuple[Part, ...]:
        shown = ("json_fields", "json_fields.valid")
        rest = ("json_fields.precision", "json_fields.recall", "json_fields.types")
        return tuple(Part(name, digits=3, shown=name in shown) for name in (*shown, *rest))

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def options(self) -> dict[str, Any]:
        from assay.records.files import digest_of

        return {**super().options(), "schema": digest_of(read_schema(self.schema))[:8] if self.schema else "none"}

    def statistics(self, items: Items) -> Dense:
        rows = [self._row(output, example) for output, example in zip(items.outputs, items.examples, strict=True)]
        return Dense(COLUMNS, np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS)))

    def _row(self, output: str, example: Example) -> tuple[float, ...]:
        value = json_in(output)
        valid = value is not NO_JSON and (not self.schema or is_valid(value, read_schema(self.schema)))
        best = max(
            (compare(value, each, self.lowercase) for each in _expected(example)),
            key=lambda counts: (2 * counts.matched / max(1, counts.output + counts.expected), counts.matched),
        )
        return (*best, float(valid), 1.0)

    def values(self, sums: Floats) -> Values:
        matched, output, expected, shared, typed, valid, count = sums.T
        with np.errstate(invalid="ignore", divide="ignore"):
            none = (output + expected) == 0
            return {
                "json_fields": np.where(none & (count > 0), valid / count, 2 * matched / (output + expected)),
                "json_fields.valid": valid / count,
                "json_fields.precision": np.where((output == 0) & (count > 0), 0.0, matched / output),
                "json_fields.recall": np.where((expected == 0) & (count > 0), 0.0, matched / expected),
                "json_fields.types": np.where((shared == 0) & (count > 0), 0.0, typed / shared),
            }

    def notes(self, items: Items) -> list[str]:
        """Name the top fields with the lowest recall: which ones are wrong is what a user corrects."""
        right: Counter[str] = Counter()
        seen: Counter[str] = Counter()
        for output, example in zip(items.outputs, items.examples, strict=True):
            value, expected = json_in(output), _expected(example)[0]
            if isinstance(expected, dict):
                mine = value if isinstance(value, dict) else {}
                for name, each in expected.items():
                    counts = compare(mine.get(name, NO_JSON), each, self.lowercase)
                    right[name] += counts.matched
                    seen[name] += counts.expected
        recall = sorted((right[name] / seen[name], name) for name in seen if seen[name])
        low = [f"{name} {share:.2f}" for share, name in recall if share < 1][:MOST_FIELDS]
        return [f"json_fields: lowest recall of fields: {', '.join(low)}"] if low and len(recall) > 1 else []


def _expected(example: Example) -> list[Any]:
    if has_answer(example.expected):
        return [example.expected]
    parsed = [(json_in(text, whole=True), text) for text in example.references]
    return [text if value is NO_JSON else value for value, text in parsed]


def compare(output: Any, expected: Any, lowercase: bool = False) -> Counts:
    """Compare two JSON values."""
    if output is NO_JSON:
        return Counts(expected=_size(expected))
    if isinstance(output, dict) and isinstance(expected, dict):
        total = Counts()
        for name in {**expected, **output}:
            if name not in expected:
                total = total.plus(Counts(output=_size(output[name])))
            elif name not in output:
                total = total.plus(Counts(expected=_size(expected[name])))
            else:
                same = _kind(output[name]) == _kind(expected[name])
                total = total.plus(compare(output[name], expected[name], lowercase)).plus(
                    Counts(shared=1, typed=int(same))
                )
        return total
    if isinstance(output, list) and isinstance(expected, list):
        return _lists(output, expected, lowercase)
    if isinstance(output, dict | list) or isinstance(expected, dict | list):
        return Counts(output=_size(output), expected=_size(expected))
    return Counts(int(_leaf(output, lowercase) == _leaf(expected, lowercase)), 1, 1)


def _lists(output: list[Any], expected: list[Any], lowercase: bool) -> Counts:
    if not any(isinstance(each, dict | list) for each in (*output, *expected)):
        mine, theirs = (Counter(_leaf(each, lowercase) for each in one) for one in (output, expected))
        return Counts((mine & theirs).total(), len(output), len(expected))
    pairs = [[compare(a, b, lowercase) for b in expected] for a in output] if _assignable(output, expected) else None
    if pairs:
        rows, columns = best_assignment(np.array([[each.matched for each in row] for row in pairs], dtype=np.float64))
        chosen = list(zip(rows.tolist(), columns.tolist(), strict=True))
    else:
        chosen = [(i, i) for i in range(min(len(output), len(expected)))]
    total = Counts()
    for i, k in chosen:
        total = total.plus(pairs[i][k] if pairs else compare(output[i], expected[k], lowercase))
    mine_left = {*range(len(output))} - {i for i, _ in chosen}
    theirs_left = {*range(len(expected))} - {k for _, k in chosen}
    return total.plus(
        Counts(output=sum(_size(output[i]) for i in mine_left), expected=sum(_size(expected[k]) for k in theirs_left))
    )


def _assignable(output: list[Any], expected: list[Any]) -> bool:
    return 0 < len(output) <= LARGEST and 0 < len(expected) <= LARGEST


def _size(value: Any) -> int:
    """Return the number of values in a JSON value."""
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else 1


def _kind(value: Any) -> str:
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def _leaf(value: Any, lowercase: bool) -> Any:
    if isinstance(value, str):
        return ("text", value.strip().lower() if lowercase else value.strip())
    return (_kind(value), value)
