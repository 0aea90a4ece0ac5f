"""Evaluation tables of `mlflow.evaluate`, as JSON or as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.records.tools.common import Fields, Found, Source, message_text, numbers, texts

OUTPUTS = ("outputs", "output", "predictions", "prediction", "response")
TRUTHS = ("ground_truth", "targets", "target", "expected_response", "expectations", "label", "reference")
PROMPTS = ("inputs", "input", "question", "prompt", "request", "messages")


def is_row(row: Fields) -> bool:
    return isinstance(row.get("predictions"), str) and "output" not in row and any(name in row for name in TRUTHS)


def read(source: Source) -> Found:
    return Found.each([_renamed(row) for row in source.rows])


def is_split_table(value: Any) -> bool:
    """Return whether a document is a table in the format of MLflow and pandas: `columns` and `data`."""
    return isinstance(value, Mapping) and isinstance(value.get("columns"), list) and isinstance(value.get("data"), list)


def of_split_table(value: Mapping[str, Any], path: Path) -> list[Fields]:
    columns = [str(column) for column in value["columns"]]
    rows = []
    for i, cells in enumerate(value["data"], 1):
        if not isinstance(cells, list) or len(cells) != len(columns):
            raise AssayError(f"{path} row {i}: not a list of {len(columns)} cells. Log the table again.")
        rows.append(_renamed(dict(zip(columns, cells, strict=True))))
    return rows


def _renamed(row: Fields) -> Fields:
    """Return a row of `mlflow.evaluate` with our field names; other columns keep theirs."""
    fields: Fields = {}
    for ours, names in (("output", OUTPUTS), ("references", TRUTHS), ("source", PROMPTS)):
        name = next((name for name in names if row.get(name) is not None), None)
        value = row.get(name) if name else None
        if ours == "references":
            if references := texts(value):
                fields[ours] = references
        elif value is not None:
            fields[ours] = value if isinstance(value, str) else message_text(value) or str(value)
    taken = {*OUTPUTS, *TRUTHS, *PROMPTS}
    others = {name: cell for name, cell in row.items() if name not in taken}
    return {
        **others,
        **{name.removesuffix("/score").replace("/", "."): cell for name, cell in numbers(others).items()},
        **fields,
    }
