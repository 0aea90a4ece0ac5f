"""Numbers of thousands of digits and superscripts, which Python refuses to convert, are one clear answer everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import AssayError
from assay.explorer.overview import _natural
from assay.explorer.texts import parse_query
from assay.records.positions import in_order_of_ids, off_by_one
from assay.studies.design import Question
from assay.studies.events import Answer
from assay.studies.kinds import kind_for
from assay.text.conllu import read_conllu
from assay.text.integers import is_integer
from tests.support.processor_time import processor_seconds

LONG = "9" * 5000


@pytest.mark.parametrize(("text", "expected"), [("12", True), ("", False), ("²", False), ("-1", False), (LONG, False)])
def test_what_int_accepts(text: str, expected: bool) -> None:
    assert is_integer(text) is expected
    if expected:
        int(text)


def test_ids_of_many_digits() -> None:
    assert not off_by_one([LONG, "1"], ["2", LONG])
    assert not in_order_of_ids([f"a{LONG}", "a1"], ["x", "y"], ["x", "y"])
    long = ["1" * 200_000 + "a", "1a"]
    assert not in_order_of_ids(long, ["x", "y"], ["x", "y"])
    assert processor_seconds(lambda: in_order_of_ids(long, ["x", "y"], ["x", "y"]), quick=1) < 1


def test_spans_of_many_digits() -> None:
    kind = kind_for(Question(criterion="errors", kind="spans", text="Mark.", labels={"x": "wrong"}))
    problem = kind.value_problem(Answer(0, "errors", "x", f"span:1-{LONG}"))
    assert problem is not None
    assert "is not span:START-END" in problem


def test_names_of_subsets_of_many_digits() -> None:
    assert _natural("a10") > _natural("a2")
    assert _natural(f"a{LONG}")


def test_judgements_of_many_digits(here: Callable[..., Any], tmp_path: Path) -> None:
    rows = [
        {"id": "1", "system": "s", "annotator": who, "criterion": "q", "value": "x", "unit": f"span:0-{LONG}",
         "position": LONG}
        for who in ("a", "b")
    ]  # fmt: skip
    (tmp_path / "j.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    file = tmp_path / "j.jsonl"
    export = here("study", "export", file, "--as", "frank", "-o", tmp_path / "f.json")
    for call in (here("analyze", "agreement", file), export):
        assert call.code in (1, 2)
        assert "mistake in assay" not in call.err
        assert "Traceback" not in call.err


@pytest.mark.parametrize("place", [0, 6])
def test_parsed_sentences_of_many_digits(place: int, tmp_path: Path) -> None:
    fields = ["1", "a", "a", "NOUN", "_", "_", "0", "root", "_", "_"]
    fields[place] = LONG
    file = tmp_path / "a.conllu"
    file.write_text("\t".join(fields) + "\n\n")
    with pytest.raises(AssayError, match="number"):
        list(read_conllu(file))


@pytest.mark.parametrize("name", ["offset", "limit"])
def test_pages_of_many_digits(name: str) -> None:
    with pytest.raises(AssayError, match="expected an integer"):
        parse_query("d", [(name, LONG)])
