"""Change texts of an example: the source and the values of a structured input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, cast

import msgspec

from assay.records.inputs import kind_of, known_input, with_input
from assay.records.types import Example

On = Literal["source", "input", "both"]
Change = Callable[[str, str], str]
"""Maps the name of a value (predicate, slot; empty for the source) and the value to a new value."""


def with_texts(example: Example, change: Change, on: On = "source") -> Example:
    """Return the example with changed texts: of the source, the structured input, or both."""
    if on != "source":
        example = with_values(example, change)
    if on != "input" and example.source:
        example = msgspec.structs.replace(example, source=change("", example.source))
    return example


def with_values(example: Example, change: Change) -> Example:
    """Return the example with changed input values; names of slots and predicates stay."""
    kind = kind_of(example)
    if kind not in VALUES or known_input(example) is None:  # read_input also rejects a damaged input
        return example
    field, changed = VALUES[kind]
    content: Mapping[str, Any] = example.input or {}
    return with_input(example, **{field: changed(content, content[field], change)})


def _triples(content: Mapping[str, Any], triples: Sequence[Any], change: Change) -> list[Any]:
    return [[change(p, s), p, change(p, o)] for s, p, o in triples]


def _slots(content: Mapping[str, Any], slots: Sequence[Any], change: Change) -> list[Any]:
    return [[slot, change(slot, value) if isinstance(value, str) else value] for slot, value in slots]


def _acts(content: Mapping[str, Any], acts: Sequence[Any], change: Change) -> list[Any]:
    return [{**act, "values": [change(act["slot"] or "", value) for value in act["values"]]} for act in acts]


def _concepts(content: Mapping[str, Any], concepts: Sequence[str], change: Change) -> list[Any]:
    return [change("", concept) for concept in concepts]


def _table(content: Mapping[str, Any], table: Sequence[Any], change: Change) -> list[Any]:
    """Return the highlighted cells."""
    rows = [list(row) for row in table]
    for row, cell in cast(list[tuple[int, int]], content["highlighted"]):
        rows[row][cell] = {**rows[row][cell], "value": change("", rows[row][cell]["value"])}
    return rows


VALUES: dict[str, tuple[str, Callable[[Mapping[str, Any], Sequence[Any], Change], list[Any]]]] = {
    "triples": ("triples", _triples),
    "slots": ("slots", _slots),
    "acts": ("acts", _acts),
    "concepts": ("concepts", _concepts),
    "table": ("table", _table),
}
"""Input kind to the field of its values and the function that changes them."""
