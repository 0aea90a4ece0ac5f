"""Rows in GEM's schema, one for each type of input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars
import pytest

from assay.datasets import dataset
from assay.errors import AssayError

BASE = {"gem_id": "x-test-0", "gem_parent_id": "x-test-0", "target": "t", "references": ["t", "u"]}
CELL = {"column_span": 1, "is_header": False, "row_span": 1, "value": "1901"}

ROWS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "e2e_nlg": (
        {"meaning_representation": "name[A], food[B]"},
        {"kind": "slots", "act": None, "slots": [["name", "A"], ["food", "B"]]},
    ),
    "cs_restaurants": (
        {"dialog_act": "?request(area)"},
        {"kind": "slots", "act": "?request", "slots": [["area", None]]},
    ),
    "web_nlg_en": (
        {"input": ["a | b | c"], "category": "Food"},
        {"kind": "triples", "triples": [["a", "b", "c"]], "category": "Food"},
    ),
    "dart": ({"tripleset": [["a", "b", "c"]]}, {"kind": "triples", "triples": [["a", "b", "c"]]}),
    "schema_guided_dialog": (
        {
            "dialog_acts": [{"act": 11, "slot": "price", "values": ["$5"]}],
            "context": ["hello", "hi", "a boat"],
            "service": "Boats_1",
            "prompt": "a boat",
        },
        {
            "kind": "acts",
            "service": "Boats_1",
            "acts": [{"act": "OFFER", "slot": "price", "values": ["$5"]}],
            "context": [
                {"speaker": "user", "text": "hello"},
                {"speaker": "sys", "text": "hi"},
                {"speaker": "user", "text": "a boat"},
            ],
        },
    ),
    "totto": (
        {"table": [[CELL]], "highlighted_cells": [[0, 0]], "table_page_title": "P"},
        {
            "kind": "table", "page_title": "P", "section_title": "", "section_text": "", "table": [[CELL]],
            "highlighted": [[0, 0]],
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_rows_become_typed_inputs(name: str, tmp_path: Path) -> None:
    fields, expected = ROWS[name]
    path = tmp_path / "test" / "0000.parquet"
    path.parent.mkdir()
    polars.DataFrame([BASE | fields]).write_parquet(path)
    (example,) = dataset(name).read(tmp_path)
    assert example.input == expected
    assert example.references == ("t", "u")
    assert example.split == "test"
    assert example.parent is None


def test_challenge_rows_keep_their_parent_and_training_rows_their_target(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    row = {"gem_id": "x-1", "gem_parent_id": "x-0", "target": "t", "references": [], "concepts": ["a"]}
    polars.DataFrame([row], schema_overrides={"references": polars.List(polars.String)}).write_parquet(path)
    (example,) = dataset("common_gen").read(path)
    assert (example.parent, example.references, example.split) == ("x-0", ("t",), "train")


def test_a_row_without_its_input_is_named(tmp_path: Path) -> None:
    path = tmp_path / "test.parquet"
    polars.DataFrame([BASE]).write_parquet(path)
    with pytest.raises(AssayError, match=r"test\.parquet row 1 id x-test-0: field 'concepts' is missing"):
        list(dataset("common_gen").read(path))
