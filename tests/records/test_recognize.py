"""Every kind of file is known by its content; every kind of damage is named with its place."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import AssayError
from assay.records import read_examples, read_judgements, read_outputs, read_references, read_sources, read_table

TEXTS = ["one text", 'with "quotes", and a comma', "ünïcode 😀 — ไทย", ""]


def as_csv(delimiter: str) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    writer.writerow(["id", "output"])
    writer.writerows([[f"x{i}", text] for i, text in enumerate(TEXTS)])
    return stream.getvalue()


def as_parquet(path: Path) -> None:
    polars.DataFrame({"id": [f"x{i}" for i in range(len(TEXTS))], "output": TEXTS}).write_parquet(path)


ROWS = [{"id": f"x{i}", "output": text} for i, text in enumerate(TEXTS)]
GEM: dict[str, Any] = {"submission_name": "mine", "param_count": 1}
FORMS: dict[str, tuple[str, bool]] = {
    "jsonl": ("".join(json.dumps(row) + "\n" for row in ROWS), True),
    "json list of objects": (json.dumps(ROWS), True),
    "json list, indented": (json.dumps(ROWS, indent=2), True),
    "json list of strings": (json.dumps(TEXTS), False),
    "json object by id": (json.dumps({row["id"]: row["output"] for row in ROWS}), True),
    "gem, bare strings": (json.dumps({**GEM, "tasks": {"e2e_nlg_test": {"values": TEXTS}}}), False),
    "gem, keys beside": (
        json.dumps({**GEM, "tasks": {"e2e": {"values": TEXTS, "keys": [row["id"] for row in ROWS]}}}),
        True,
    ),
    "gem, gem_id inside": (
        json.dumps(
            {**GEM, "tasks": {"e2e": {"values": [{"gem_id": r["id"], "generated": r["output"]} for r in ROWS]}}},
            indent=1,
        ),
        True,
    ),
    "gem, single dataset": (json.dumps({"language": "en", "values": TEXTS}), False),
    "csv": (as_csv(","), True),
    "tsv": (as_csv("\t"), True),
    "plain text": ("".join(text + "\n" for text in TEXTS), False),
    "byte-order mark": ("\ufeff" + "".join(json.dumps(row) + "\n" for row in ROWS), True),
    "windows lines": ("".join(json.dumps(row) + "\r\n" for row in ROWS), True),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compress", [False, True])
def test_each_file_format_is_recognized_and_read(tmp_path: Path, form: str, compress: bool) -> None:
    text, has_ids = FORMS[form]
    data = text.encode()
    path = tmp_path / "a file with no telling name"
    path.write_bytes(gzip.compress(data) if compress else data)
    read = read_outputs(path)
    assert [output.output for output in read.outputs] == TEXTS
    assert read.has_ids is has_ids
    if has_ids:
        assert [output.id for output in read.outputs] == ["x0", "x1", "x2", "x3"]
    if "gem" in form and "single" not in form:
        assert read.system == "mine"


def test_parquet(tmp_path: Path) -> None:
    as_parquet(tmp_path / "outputs")
    assert [output.output for output in read_outputs(tmp_path / "outputs").outputs] == TEXTS
    whole = (tmp_path / "outputs").read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AssayError, match=r"cut: damaged Parquet"):
        read_outputs(tmp_path / "cut")


def test_plain_text_that_begins_like_json(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("[ACT] hello\n{name} is here\n", encoding="utf-8")
    assert [output.output for output in read_outputs(path).outputs] == ["[ACT] hello", "{name} is here"]


def test_a_line_is_a_line(tmp_path: Path) -> None:
    """Only a newline ends an item: not a form feed, not U+2028, which str.splitlines would cut at."""
    path = tmp_path / "lines"
    path.write_text("a\u2028b\x0cc\nd\n", encoding="utf-8")
    assert [output.output for output in read_outputs(path).outputs] == ["a\u2028b\x0cc", "d"]


def test_several_tasks_want_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "submission.json"
    tasks = {"e2e_nlg_val": {"values": ["a"]}, "web-nlg_test": {"values": ["b", "c"]}}
    path.write_text(json.dumps({**GEM, "tasks": tasks}), encoding="utf-8")
    with pytest.raises(AssayError, match=r"has 2 tasks. Choose one with --dataset: e2e_nlg_val, web-nlg_test"):
        read_outputs(path)
    assert len(read_outputs(path, dataset="web_nlg_test").outputs) == 2
    assert len(read_outputs(path, dataset="e2e-nlg-validation").outputs) == 1


REFERENCE_FORMS: dict[str, Any] = {
    "strings": ["a", "b"],
    "lists": [["a", "c"], ["b"]],
    "objects": [{"id": "1", "references": ["a", "c"]}, {"id": "2", "references": ["b"]}],
    "target": [{"gem_id": "1", "target": "a"}, {"gem_id": "2", "target": "b"}],
    "gem": {"language": "en", "values": [{"references": ["a", "c"]}, {"target": "b"}]},
}


@pytest.mark.parametrize("form", REFERENCE_FORMS)
def test_reference_forms(tmp_path: Path, form: str) -> None:
    path = tmp_path / "references"
    path.write_text(json.dumps(REFERENCE_FORMS[form]), encoding="utf-8")
    examples = read_references(path).examples
    assert [example.references[0] for example in examples] == ["a", "b"]


def test_numbered_reference_columns(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text("id,source,reference1,reference2\n1,s,a,b\n2,t,c,\n", encoding="utf-8")
    examples = read_examples(path).examples
    assert [example.references for example in examples] == [("a", "b"), ("c",)]
    assert examples[0].source == "s"


def test_examples_keep_everything(tmp_path: Path) -> None:
    row = {
        "id": "1",
        "references": ["a"],
        "source": "s",
        "input": {"type": "slots", "slots": {"x": "y"}},
        "language": "cs",
        "split": "test",
        "parent": "0",
        "tags": {"topic": "sport", "size": 3},
    }
    (tmp_path / "e").write_text(json.dumps(row) + "\n" + json.dumps({**row, "id": "2"}), encoding="utf-8")
    example = read_examples(tmp_path / "e").examples[0]
    assert example.tags == {"topic": "sport", "size": "3"}
    assert (example.language, example.split, example.parent, example.input) == ("cs", "test", "0", row["input"])


BROKEN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", r"file: the file is empty"),
    "only spaces": (b" \n \n", r"file: the file is empty"),
    "line 7": (
        b'{"id": "1", "output": "a"}\n' * 6 + b'{"id": "7", outp\n',
        r"file:7: not JSON .*valid items before it: 6",
    ),
    "one cut line": (b'{"id": "1", "output": "a"\n', r"file:1: not JSON"),
    "first line": (b'{"id": "1", outp\n' + b'{"id": "2", "output": "a"}\n' * 3, r"file:1: not JSON"),
    "cut list": (b'[{"output": "a"},\n {"output": ', r"file:2: not JSON"),
    "latin-1": ("a\nüb".encode("latin-1"), r"file:2: not valid UTF-8 \(byte 0xfc\). Convert"),
    "number": (b'{"id": "a", "output": "x"}\n{"id": "b", "output": 5}', r"file:2 id b: output is a number"),
    "null": (b'{"id": "a", "output": null}\n{"id": "b", "output": "x"}', r":1 id a: output is null"),
    "no output": (b'{"id": "a", "words": "x"}\n{"id": "b", "words": "y"}', r"no output among its fields \(id, words\)"),
    "id missing once": (
        b'{"id": "a", "output": "x"}\n{"output": "y"}',
        r':2: "id" is missing, but other items have one',
    ),
    "cut gzip": (gzip.compress(b"a\n" * 50)[:-9], r"file: damaged gzip"),
    "ragged csv": (b"id,output\n1,a\n2,b,c\n", r"file:3: 3 cells for 2 columns"),
    "keys": (b'{"values": ["a", "b"], "keys": ["x"]}', r"2 values but 1 keys"),
    "two systems": (
        b'{"id":"1","output":"a","system":"p"}\n{"id":"2","output":"b","system":"q"}',
        r"outputs of 2 systems \(p, q\)",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_damage_is_named(tmp_path: Path, case: str) -> None:
    data, message = BROKEN[case]
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(AssayError, match=message) as caught:
        read_outputs(tmp_path / "file")
    assert "\n" not in str(caught.value)


def test_bad_lines_can_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(BROKEN["line 7"][0])
    read = read_outputs(tmp_path / "file", skip_bad=True)
    assert (len(read.outputs), read.skipped) == (6, ((7, 7),))


def test_empty_references_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r").write_text('{"id": "a", "references": ["x"]}\n{"id": "b", "references": []}', encoding="utf-8")
    with pytest.raises(AssayError, match=r":2 id b: references is an empty list"):
        read_references(tmp_path / "r")


def test_judgements(tmp_path: Path) -> None:
    good = {"id": "1", "system": "s", "annotator": "a", "criterion": "c", "value": 3, "seconds": 4.5}
    (tmp_path / "j").write_text(json.dumps(good) + "\n" + json.dumps({**good, "value": "yes"}), encoding="utf-8")
    judgements = read_judgements(tmp_path / "j")
    assert [judgement.value for judgement in judgements] == [3, "yes"]
    (tmp_path / "j").write_text(json.dumps(good) + "\n" + json.dumps({"id": "1"}), encoding="utf-8")
    with pytest.raises(AssayError, match=r"j:2: not a judgement"):
        read_judgements(tmp_path / "j")


def test_judgements_may_number_items_systems_and_people() -> None:
    numbered = {"id": 1, "system": 2, "annotator": 3, "criterion": 4, "value": 5}
    (judgement,) = read_judgements([numbered])
    assert (judgement.id, judgement.system, judgement.annotator, judgement.criterion) == ("1", "2", "3", "4")
    assert judgement.value == 5
    for wrong in (True, 1.5, [1]):
        with pytest.raises(AssayError, match="not a judgement"):
            read_judgements([{**numbered, "id": wrong}])


@pytest.mark.parametrize("key", ["value", "seconds"])
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-inf"])
def test_judgements_that_are_not_finite_are_refused(tmp_path: Path, key: str, number: str) -> None:
    row = {"id": "x7", "system": "s", "annotator": "a", "criterion": "c", "value": "3", "seconds": "1"}
    table = [",".join(row), ",".join(row.values()), ",".join({**row, key: number}.values())]
    (tmp_path / "j.csv").write_text("\n".join(table), encoding="utf-8")
    lines = [json.dumps({**row, key: value}) for value in (1.5, float(number))]
    (tmp_path / "j.jsonl").write_text("\n".join(lines), encoding="utf-8")
    for name, line in (("j.csv", 3), ("j.jsonl", 2)):
        with pytest.raises(AssayError, match=rf"{name}:{line} id x7: {key} is -?(nan|inf), not a finite number"):
            read_judgements(tmp_path / name)


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_reader(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "file"
    path.write_bytes(data)
    why = str(path)
    try:
        read_outputs(path)
    except AssayError as error:
        why = str(error)
    assert str(path) in why


@given(st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"])), min_size=1))
def test_jsonl_round_trip(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("round") / "file"
    path.write_text("".join(json.dumps({"id": i, "output": t}) + "\n" for i, t in enumerate(texts)), encoding="utf-8")
    assert [output.output for output in read_outputs(path).outputs] == texts


def test_kinds_of_python_data() -> None:
    import pandas

    frame = {"id": ["1", "2"], "output": ["a", "b"]}
    kinds: list[Callable[[], Any]] = [
        lambda: ["a", "b"],
        lambda: {"1": "a", "2": "b"},
        lambda: polars.DataFrame(frame),
        lambda: pandas.DataFrame(frame),
        lambda: [{"id": "1", "output": "a"}, {"id": "2", "output": "b"}],
    ]
    for kind in kinds:
        assert [output.output for output in read_outputs(kind()).outputs] == ["a", "b"]
    with pytest.raises(AssayError, match="int has no items"):
        read_outputs(5)  # type: ignore[arg-type]


def test_table_says_where(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a\nb\n", encoding="utf-8")
    assert [row.where for row in read_table(tmp_path / "t").rows] == ["line 1", "line 2"]


def test_a_table_with_unknown_columns_is_not_read_as_texts(tmp_path: Path) -> None:
    path = tmp_path / "outputs.tsv"
    path.write_text("meaning\tsystem output\nname[Mill]\tThe Mill.\n")
    with pytest.raises(AssayError, match="no known name among 2 tab-separated columns"):
        read_table(path)
    path.write_text("a text\twith a tab\na text without\n")
    assert len(read_table(path).rows) == 2


def test_scores_of_a_submission_are_no_outputs(tmp_path: Path) -> None:
    """`param_count` was read as an item whose output is a number."""
    file = tmp_path / "scores.json"
    file.write_text('{"submission_name": "A", "param_count": 0, "xsum_test": {"N": 5, "bleu": 3.1}}', encoding="utf-8")
    with pytest.raises(AssayError, match=r"scores.json: scores of a submission, not outputs"):
        read_outputs(file)


@pytest.mark.parametrize("name", ["outputs.csv", "outputs"])
def test_a_table_with_semicolons_is_read_as_a_table(tmp_path: Path, name: str) -> None:
    """Spreadsheets in languages with a decimal comma write semicolons; rows were scored as texts."""
    path = tmp_path / name
    path.write_text(
        'id;output\n1;"Es kostet 2,50 Euro; mehr nicht."\n2;Die Brücke, die alte, ist offen.\n', encoding="utf-8"
    )
    assert [output.output for output in read_outputs(path).outputs] == [
        "Es kostet 2,50 Euro; mehr nicht.",
        "Die Brücke, die alte, ist offen.",
    ]


def test_a_csv_with_semicolons_and_unknown_columns_is_not_read_as_texts(tmp_path: Path) -> None:
    path = tmp_path / "outputs.csv"
    path.write_text("Zeile;Ausgabe\n1;Die Brücke, die alte.\n2;Ein Text.\n", encoding="utf-8")
    with pytest.raises(AssayError, match=r"no known name among 2 columns \(Zeile, Ausgabe\)"):
        read_table(path)
    path.write_text("Die Brücke, die alte.\nEin Text; und noch einer.\n", encoding="utf-8")
    assert len(read_table(path).rows) == 2


@pytest.mark.parametrize("content", ["id,system,rouge1\n1,a,0.5\n", '{"id": "1", "system": "a", "rouge1": 0.5}\n'])
def test_a_file_of_scores_is_no_file_of_outputs(tmp_path: Path, content: str) -> None:
    """The remedy named a field for the text, of which such a file has none."""
    path = tmp_path / "scores"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(AssayError, match=r"It has scores, not texts: give a file of outputs, .*--scores"):
        read_outputs(path)


@pytest.mark.parametrize("read", [read_references, read_sources])
@pytest.mark.parametrize("content", ["id,Referans\n1,bir metin\n", '{"id": 1, "metin": "bir"}\n', '{"id": "1"}\n'])
def test_references_and_sources_without_a_text_are_refused(
    tmp_path: Path, read: Callable[[Path], object], content: str
) -> None:
    """Metrics were skipped as if no references were given."""
    path = tmp_path / "refs"
    path.write_text(content, encoding="utf-8")
    what = "reference" if read is read_references else "source"
    with pytest.raises(AssayError, match=rf'no {what} among its fields \(id.*"{what}"'):
        read(path)
