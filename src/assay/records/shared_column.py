"""Joining without ids: a column of the outputs whose values are those of a field of the examples."""

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
    """Which outputs belong to which examples, and by what."""

    outputs: list[int]
    examples: list[int]
    column: str
    field: str

    @property
    def notes(self) -> list[str]:
        """What came of it, where that is not what positions would have given."""
        moved = sum(a != b for a, b in zip(self.outputs, self.examples, strict=True))
        by = f"items were joined by the outputs' {self.column}, which is the examples' {self.field}"
        return [f"{by}: {moved} stand in another place"] if moved else []


def join_by_column(
    columns: Mapping[str, Sequence[str]],
    examples: Sequence[Example],
    on: str | None,
    *,
    names: tuple[str, str],
    allow_missing: bool = False,
) -> Joined | None:
    """By the column that was named (`MR`, or `MR=source`), which has to fit; else by any that is the id or the source
    of every example, or None where there is none. Items with the same value are taken in their order."""
    if on is None and not columns:
        return None
    if on is None:
        fields = [field for field in ("id", "source") if all(_value(example, field) for example in examples)]
        for column, values in columns.items():
            for field in fields:
                if found := _matched(values, examples, field, allow_missing):
                    return Joined(*found, column, field)
        return None
    column, _, wanted = on.partition("=")
    if column not in columns:
        known = ", ".join(columns) or "none but the output"
        raise AssayError(f"{names[0]}: no column {column}{did_you_mean(column, columns)}; there is {known}")
    fields = [wanted] if wanted else list(_fields(examples))
    for field in fields:
        if found := _matched(columns[column], examples, field, allow_missing):
            return Joined(*found, column, field)
    raise AssayError(_no_match(columns[column], examples, column, fields, names))


def plain(text: str) -> str:
    """A value as it is compared: quotes around it and the width of spaces are a matter of the file."""
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
    """The places of outputs and examples that belong together, in the order of the examples; None where an output or
    an example is left over that should not be."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, value in enumerate(map(plain, values)):
        places[value].append(i)
    taken: Counter[str] = Counter()
    outputs, chosen = [], []
    for k, example in enumerate(examples):
        value = plain(_value(example, field) or "")
        if taken[value] < len(places.get(value, ())):
            outputs.append(places[value][taken[value]])
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
    """Which values stand nowhere, by the field that has most of them."""

    def strangers(field: str) -> list[str]:
        known = {plain(_value(example, field) or "") for example in examples}
        return [value for value in values if plain(value) not in known]

    field = min(fields, key=lambda each: len(strangers(each)))
    missing = strangers(field)
    if not missing:
        return (
            f"{names[0]}: its {column} are {field} of {names[1]}, but {len(values)} outputs stand for {len(examples)} "
            "items; give one each, or score what is there with --allow-missing"
        )
    shown = ", ".join(value[:60] for value in missing[:MOST_NAMED]) + (" …" if len(missing) > MOST_NAMED else "")
    return (
        f"{names[0]}: {len(missing)} of {len(values)} values of {column} are nowhere in {field} of {names[1]}: "
        f"{shown}; correct them, or name the field they equal (--join-on COLUMN=FIELD)"
    )
