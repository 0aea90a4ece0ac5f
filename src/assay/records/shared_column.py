"""Join without ids: by a column of the outputs whose values equal a field of the examples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from assay.errors import AssayError
from assay.records.types import Example
from assay.specs import did_you_mean

QUOTES = "'\""
MOST_NAMED = 3


class Joined(NamedTuple):
    """Indices of matching outputs and examples, and the column and field they were joined by."""

    outputs: list[int]
    examples: list[int]
    column: str
    field: str

    @property
    def notes(self) -> list[str]:
        """Return a note if the order differs from a join by position."""
        moved = sum(a != b for a, b in zip(self.outputs, self.examples, strict=True))
        by = f"items were joined by column {self.column} of the outputs, equal to {self.field} of the examples"
        return [f"{by}: {moved} have another position"] if moved else []


def join_by_column(
    columns: Mapping[str, Sequence[str]],
    examples: Sequence[Example],
    on: str | None,
    *,
    names: tuple[str, str],
    allow_missing: bool = False,
) -> Joined | None:
    """Match outputs and examples by the values of a column. Items with equal values are matched in order.

    Args:
        columns: Columns of the outputs.
        examples: The examples.
        on: `COLUMN` or `COLUMN=FIELD` (default: any column that equals the id or the source of all examples).
        names: Names of the outputs and of the examples in errors.
        allow_missing: Whether some may remain without a match.

    Returns:
        The matches, or None if no column was named and none matches.

    Raises:
        AssayError: The named column does not exist or does not match.
    """
    if on is None and not columns:
        return None
    if on is None:
        fields = [field for field in ("id", "source") if all(_value(example, field) for example in examples)]
        for column, values in columns.items():
            for field in fields:
                if matches := _matched(values, examples, field, allow_missing):
                    return Joined(*matches, column, field)
        return None
    column, _, wanted = on.partition("=")
    if column not in columns:
        known = ", ".join(columns) or "none"
        raise AssayError(f"{names[0]}: no column {column}{did_you_mean(column, columns)}. Columns: {known}.")
    fields = [wanted] if wanted else list(_fields(examples))
    for field in fields:
        if matches := _matched(columns[column], examples, field, allow_missing):
            return Joined(*matches, column, field)
    raise AssayError(_no_match(columns[column], examples, column, fields, names))


def plain(text: str) -> str:
    """Return a value without surrounding quotes and with single spaces, for comparison."""
    text = " ".join(text.split())
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in QUOTES else text


def _fields(examples: Iterable[Example]) -> Iterator[str]:
    yield from ("id", "source", "parent", "split")
    yield from sorted({key for example in examples for key in example.tags})


def _value(example: Example, field: str) -> str | None:
    if field in ("id", "source", "parent", "split", "language"):
        value: str | None = getattr(example, field)
        return value
    return example.tags.get(field.removeprefix("tags."))


def _matched(
    values: Sequence[str], examples: Sequence[Example], field: str, allow_missing: bool
) -> tuple[list[int], list[int]] | None:
    """Return the indices of matching outputs and examples, in the order of the examples.

    None if an output or an example remains without a match, unless `allow_missing`.
    """
    indices: dict[str, list[int]] = defaultdict(list)
    for i, value in enumerate(map(plain, values)):
        indices[value].append(i)
    taken: Counter[str] = Counter()
    outputs, chosen = [], []
    for k, example in enumerate(examples):
        value = plain(_value(example, field) or "")
        if taken[value] < len(indices.get(value, ())):
            outputs.append(indices[value][taken[value]])
            chosen.append(k)
            taken[value] += 1
        elif not allow_missing:
            return None
    if not outputs or (len(outputs) < len(values) and not allow_missing):
        return None
    return outputs, chosen


def _no_match(
    values: Sequence[str], examples: Sequence[Example], column: str, fields: Sequence[str], names: tuple[str, str]
) -> str:
    """Return the message for values without a match in the field that has most of them."""

    def unmatched(field: str) -> list[str]:
        known = {plain(_value(example, field) or "") for example in examples}
        return [value for value in values if plain(value) not in known]

    field = min(fields, key=lambda each: len(unmatched(each)))
    missing = unmatched(field)
    if not missing:
        return (
            f"{names[0]}: {column} equals {field} of {names[1]}, but there are {len(values)} outputs for "
            f"{len(examples)} items. Give one output per item, or score the common items with --allow-missing."
        )
    shown = ", ".join(value[:60] for value in missing[:MOST_NAMED]) + (" …" if len(missing) > MOST_NAMED else "")
    return (
        f"{names[0]}: {len(missing)} of {len(values)} values of {column} are not in {field} of {names[1]}: {shown}. "
        "Correct them, or name the field they equal with --join-on COLUMN=FIELD."
    )
