"""format_valid: each form, right and wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.metrics.answers.format_valid import FormatValid


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("json", '{"a": [1]}', "```json\n{}\n```"),
        ("fenced-json", "```json\n{}\n```", "{a: 1}"),
        ("xml", "<a><b>x</b></a>", "<a><b></a>"),
        ("number", "-1,234.5", "12 apples"),
        ("choice", "(B)", "Bananas"),
        ("list", "- one\n- two", "one\n- two"),
        ("line", "one line", "two\nlines"),
    ],
)
def test_forms(form: str, good: str, bad: str) -> None:
    found = assay.score([good, bad], metrics=f"format_valid:form={form}")
    assert found.scores["format_valid"].value == 0.5


def test_words_and_schema(tmp_path: Path) -> None:
    assert not FormatValid(form="line", max_words=2).fits("three words here")
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"type": "object", "required": ["a"]}))
    assert FormatValid(schema=str(path)).fits('{"a": 1}')
    assert not FormatValid(schema=str(path)).fits("{}")
    with pytest.raises(AssayError, match="a schema is of JSON"):
        FormatValid(form="xml", schema=str(path))
    with pytest.raises(AssayError, match="max_words"):
        FormatValid(max_words=-1)


def test_entities_are_not_expanded() -> None:
    assert not FormatValid(form="xml").fits('<!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>')
