"""Streaming access to files: damage becomes a record with a problem, hostile XML is refused, memory stays small."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets import dataset, markup, sources, tables
from assay.datasets.record import Record, RecordError, Report
from assay.errors import AssayError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=6), st.sampled_from((None, 1)))
def test_json_items_are_those_of_the_json_module(
    tmp_path_factory: pytest.TempPathFactory, values: list[object], indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("json") / "list.json"
    path.write_text(json.dumps(values, indent=indent), encoding="utf-8")
    records = list(sources.json_items(path))
    assert [record.value for record in records] == values
    assert [record.index for record in records] == list(range(len(values)))
    keyed = {f"k{i}": value for i, value in enumerate(values)}
    path.write_text(json.dumps(keyed, indent=indent), encoding="utf-8")
    assert {record.where.removeprefix("key "): record.value for record in sources.json_items(path)} == keyed


@pytest.mark.parametrize(
    "text", ["[1, 2", "[1, 2, ]", "[1 2]", '{"a": 1', '{"a" 1}', "{1: 2}", '[1, 2] x"', "7", "[" * 5000]
)
def test_damaged_json_ends_in_a_problem_after_what_could_be_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    records = list(sources.json_items(path))
    whole = text == '[1, 2] x"'  # what follows a finished list is not looked at
    assert bool(records[-1].problem) is not whole
    assert all(record.problem is None for record in records[:-1])


def test_table_rows_name_missing_columns_and_bad_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('a,b\n1,"two, or\nthree"\n4\n5,6\n')
    rows = list(tables.table_rows(path, ("a", "b")))
    assert [row.value for row in rows] == [{"a": "1", "b": "two, or\nthree"}, None, {"a": "5", "b": "6"}]
    assert rows[1].problem == "has 1 cells under 2 columns"
    assert rows[1].where == "line 4"
    with pytest.raises(AssayError, match="column 'c' is missing; columns: a, b"):
        list(tables.table_rows(path, ("a", "c")))


def test_parallel_files_of_unequal_length_are_a_problem(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n2\n")
    (tmp_path / "b").write_text("1\n")
    records = list(sources.parallel_lines({"a": tmp_path / "a", "b": tmp_path / "b"}))
    assert records[0].value == {"a": "1", "b": "1"}
    assert "b has only 1 lines" in str(records[1].problem)


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY file SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("declaration", [BOMB, OUTSIDE, '<!DOCTYPE x SYSTEM "http://example.org/x.dtd">'])
def test_xml_that_declares_entities_is_refused(tmp_path: Path, declaration: str) -> None:
    path = tmp_path / "rdf-to-text-generation-test-data-with-refs-en.xml"
    entry = (
        '<entry eid="Id1" category="c"><modifiedtripleset><mtriple>a | b | &file;</mtriple></modifiedtripleset></entry>'
    )
    path.write_text(f"<?xml version='1.0'?>{declaration}<benchmark>{entry}</benchmark>")
    with pytest.raises(AssayError, match="rejected"):
        list(dataset("web_nlg_en").read(path))


def test_xml_is_streamed_and_keeps_what_comes_before_the_damage(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    entry = "<entry eid='{}'><lex>text</lex></entry>"
    path.write_text("<b>" + "".join(entry.format(i) for i in range(5)) + "<entry eid='5'><lex>")
    records = list(markup.xml_elements(path, "entry", "eid"))
    assert [record.where for record in records[:-1]] == [f"entry {i + 1} id {i}" for i in range(5)]
    assert records[-1].where == "after entry 5"
    assert "not well-formed" in str(records[-1].problem)


def test_reading_json_lines_takes_constant_memory(tmp_path: Path) -> None:
    """Ten times the lines, the same peak: nothing is kept of what was read."""

    def peak(lines: int) -> int:
        path = tmp_path / f"de_test_{lines}.jsonl"
        row = json.dumps(
            {"text": "wort " * 200, "summary": "kurz", "topic": "t", "url": "u", "title": "t", "date": "d"}
        )
        with path.open("w") as stream:
            for _ in range(lines):
                stream.write(row + "\n")
        tracemalloc.start()
        count = sum(1 for _ in dataset("mlsum_de").read(path, "test"))
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == lines
        return used

    peak(200)  # what is imported on first use
    assert peak(4000) < 1.5 * peak(400)


def test_record_fields_are_validated() -> None:
    record = Record(Path("f.json"), "item 3", {"id": "x", "n": 1, "t": "a", "l": ["a", 1], "o": {"k": "v"}}, "id")
    assert record.label == "f.json item 3 id x"
    assert record.inner("o").text("k") == "v"
    assert record.number("n") == 1.0
    for call, reason in (
        (lambda: record.text("n"), "field 'n' is a number, not text"),
        (lambda: record.text("zz"), "field 'zz' is missing"),
        (lambda: record.texts("l"), r"field 'l\[1\]' is a number, not text"),
        (lambda: record.choice("t", ("b", "c")), "field 't' is not one of b, c: 'a'"),
        (lambda: record.items("l"), r"field 'l\[0\]' is text, not an object"),
    ):
        with pytest.raises(RecordError, match=f"f.json item 3 id x: {reason}"):
            call()


def test_a_lenient_report_counts_by_reason() -> None:
    report = Report("x", lenient=True)
    records = [Record(Path("f"), f"line {i}", {"t": text}) for i, text in enumerate(("a", 1, 2))]
    assert list(report.checked(records, lambda record: [record.text("t")])) == ["a"]
    assert report.bad == {"field 't' is a number, not text": 2}
    assert list(report.first_bad.values()) == ["f:1: field 't' is a number, not text"]


@pytest.mark.parametrize("text", ['[1, "\\ud800"]', '{"a": 1, "\\udfff": 2}', '[1, ["\\uD83D"]]'])
def test_half_a_character_is_a_problem(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert [bool(record.problem) for record in sources.json_items(path)] == [False, True]
    path.write_text('{"t": "\\ud83d\\ude00"}\n{"t": "\\ud83d"}\n')
    whole, half = sources.json_lines(path)
    assert (whole.value, half.problem) == ({"t": "😀"}, sources.HALF_CHARACTER)


@pytest.mark.parametrize("encoding", ["u-f-8", "utf-7", "shift_jis", "utf-16"])
def test_xml_in_an_unknown_encoding_is_a_problem(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.xml"
    path.write_text(f"<?xml version='1.0' encoding='{encoding}'?><b><entry eid='1'/></b>")
    (record,) = markup.xml_elements(path, "entry", "eid")
    assert "not well-formed" in str(record.problem)
