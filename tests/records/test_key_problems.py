"""Messages about the keys of files that users write."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.records.key_problems import key_problem


class Row(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    size: int = 1


class File(msgspec.Struct, forbid_unknown_fields=True):
    rows: list[Row] = []
    by_name: dict[str, Row] = {}
    one: Row | None = None
    names: list[str] | None = None
    limit: int | float | None = None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"row": []}, "unknown key row (did you mean rows?); keys are rows, by_name, one, names, limit"),
        (
            {"rows": [{"name": "a"}, {"name": "a", "sise": 2}]},
            "unknown key sise in rows[1] (did you mean size?); keys are name, size",
        ),
        ({"by_name": {"x": {"name": "a", "z": 2}}}, "unknown key z in by_name[...]; keys are name, size"),
        ({"one": {"name": "a", "names": 2}}, "unknown key names in one (did you mean name?); keys are name, size"),
        ({"rows": [{}]}, "the key name is missing in rows[0]"),
        ({"rows": 3}, "rows: expected a list, got a whole number"),
        ({"one": {"name": 1}}, "one.name: expected a text, got a whole number"),
        ({"names": "a"}, "names: expected a list, got a text"),
        ({"limit": "a"}, "limit: expected a whole number or a number, got a text"),
        ([], "Expected a table, got a list"),
    ],
)  # fmt: skip
def test_the_key_is_named_with_the_remedy(content: Any, problem: str) -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert(content, File)
    assert key_problem(error.value, File) == problem


def test_the_keys_of_a_list_of_tables() -> None:
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert([{"nam": "a"}], list[Row])
    assert key_problem(error.value, list[Row]) == "unknown key nam in [0] (did you mean name?); keys are name, size"
