"""Span annotations of other tools, adjudication of annotators, and parts by document."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.datasets.annotation_files import category, read_annotations
from assay.errors import AssayError
from assay.inputs.schema import Category, Schema
from assay.records import read_examples
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
TEXT = "2 mg of Alvan helps sleep."
SPANS = [
    {"category": "dose", "start": 0, "end": 4},
    {"category": "main_effect", "start": 14, "end": 25, "comment": "sleep"},
]


def brat(folder: Path) -> Path:
    (folder / "b").mkdir()
    (folder / "b/doc.txt").write_text(TEXT)
    (folder / "b/doc.ann").write_text(
        "T1\tDose 0 4\t2 mg\nT2\tMain-Effect 14 25\thelps sleep\n#1\tAnnotatorNotes T2\tsleep\nR1\tof Arg1:T1 Arg2:T2\n"
    )
    return folder / "b"


def label_studio(folder: Path) -> Path:
    region = {"id": "x", "type": "labels", "value": {"start": 14, "end": 25, "labels": ["Main-Effect"]}}
    note = {"id": "x", "type": "textarea", "value": {"text": ["sleep"]}}
    dose = {"id": "y", "type": "labels", "value": {"start": 0, "end": 4, "labels": ["Dose"]}}
    task = {"id": 1, "data": {"text": TEXT}, "annotations": [{"completed_by": 7, "result": [region, note, dose]}]}
    (folder / "l.json").write_text(json.dumps([task]))
    return folder / "l.json"


def webanno(folder: Path) -> Path:
    lines = [
        "#FORMAT=WebAnno TSV 3.3", "#T_SP=webanno.custom.Claim|value|comment", "", "", f"#Text={TEXT}",
        "1-1\t0-1\t2\tDose[1]\t_\t", "1-2\t2-4\tmg\tDose[1]\t_\t", "1-3\t5-7\tof\t_\t_\t", "1-4\t8-13\tAlvan\t_\t_\t",
        "1-5\t14-19\thelps\tMain-Effect[2]\tsleep[2]\t", "1-6\t20-25\tsleep\tMain-Effect[2]\tsleep[2]\t",
        "1-7\t25-26\t.\t_\t_\t",
    ]  # fmt: skip
    (folder / "w.tsv").write_text("\n".join(lines) + "\n")
    return folder / "w.tsv"


def uima(folder: Path) -> Path:
    features: list[dict[str, Any]] = [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": TEXT},
        {"%ID": 2, "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token", "begin": 0, "end": 1},
        {"%ID": 3, "%TYPE": "custom.Span", "begin": 0, "end": 4, "label": "Dose"},
        {"%ID": 4, "%TYPE": "custom.Span", "begin": 14, "end": 25, "label": "Main-Effect", "comment": "sleep"},
    ]
    (folder / "u.json").write_text(json.dumps({"%FEATURE_STRUCTURES": features}))
    return folder / "u.json"


@pytest.mark.parametrize(
    ("kind", "make"), [("brat", brat), ("label-studio", label_studio), ("webanno", webanno), ("uima", uima)]
)
def test_the_same_annotations_of_every_tool(tmp_path: Path, kind: str, make: Callable[[Path], Path]) -> None:
    made = read_annotations(make(tmp_path), kind)
    (record,) = made.records
    assert record["text"] == TEXT
    assert record["spans"] == SPANS
    assert made.left_out == ({"relations": 1} if kind == "brat" else {})


def test_annotations_that_are_no_export_of_doccano_are_not_read_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"id": "a", "text": "x y", "spans": [{"category": "c", "start": 0, "end": 1}]}\n')
    with pytest.raises(AssayError, match="it is no export of doccano; annotations of assay"):
        read_annotations(path, "doccano")
    path.write_text('{"id": "a", "text": "x y", "label": []}\n')
    assert read_annotations(path, "doccano").records[0]["spans"] == []


def test_doccano_has_no_comments_of_spans(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "text": TEXT, "label": [[0, 4, "Dose"]], "Comments": ["?"]},
        {"id": 2, "text": TEXT, "entities": [{"start_offset": 0, "end_offset": 4, "label": "Dose"}]},
    ]
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = read_annotations(tmp_path / "d.jsonl", "doccano")
    assert [record["spans"] for record in made.records] == [SPANS[:1]] * 2
    assert made.left_out["comments on texts"] == 1


def test_stacked_and_single_labels_of_webanno(tmp_path: Path) -> None:
    lines = [
        "#FORMAT=WebAnno TSV 3.3", "#T_SP=custom.Claim|value", "", "#Text=a b",
        "1-1\t0-1\ta\tDose|Main-Effect[1]\t", "1-2\t2-3\tb\tMain-Effect[1]\t",
    ]  # fmt: skip
    (tmp_path / "w.tsv").write_text("\n".join(lines))
    (record,) = read_annotations(tmp_path / "w.tsv", "webanno").records
    assert [(span["category"], span["start"], span["end"]) for span in record["spans"]] == [
        ("main_effect", 0, 3), ("dose", 0, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("width", [1, 2])
def test_offsets_of_webanno_in_units_of_utf16(tmp_path: Path, width: int) -> None:
    """An emoji counts as one character, or as two units: the text is the same, without blanks that it never had."""
    lines = [
        "#FORMAT=WebAnno TSV 3.3", "#T_SP=custom.Claim|value", "", "#Text=\U0001f600! 3 mg",
        f"1-1\t0-{width}\t\U0001f600\t_\t", f"1-2\t{width}-{width + 1}\t!\t_\t",
        f"1-3\t{width + 2}-{width + 3}\t3\tDose[1]\t", f"1-4\t{width + 4}-{width + 6}\tmg\tDose[1]\t",
    ]  # fmt: skip
    (tmp_path / "w.tsv").write_text("\n".join(lines), encoding="utf-8")
    (record,) = read_annotations(tmp_path / "w.tsv", "webanno").records
    assert record["text"] == "\U0001f600! 3 mg"
    assert record["spans"] == [{"category": "dose", "start": 3, "end": 7}]


def test_wrong_files_and_labels(tmp_path: Path) -> None:
    only = Schema("s", (Category("dose"),))
    with pytest.raises(AssayError, match="the label main_effect is no category of the schema s, which has dose"):
        read_annotations(label_studio(tmp_path), "label-studio", only)
    with pytest.raises(AssayError, match="not a list of tasks"):
        read_annotations(uima(tmp_path), "label-studio")
    with pytest.raises(AssayError, match="FEATURE_STRUCTURES"):
        read_annotations(label_studio(tmp_path), "uima")
    with pytest.raises(AssayError, match="not #FORMAT=WebAnno TSV 3"):
        read_annotations(label_studio(tmp_path), "webanno")
    with pytest.raises(AssayError, match="must start with a letter"):
        category("12")


def test_labels_in_other_scripts_stay_apart(tmp_path: Path) -> None:
    labels = ["Ölçü", "Şikâyet", "Σκοπός", "Main-Effect", "main effect"]
    row = {"id": 1, "text": TEXT, "label": [[0, 4, label] for label in labels]}
    (tmp_path / "d.jsonl").write_text(json.dumps(row) + "\n")
    made = read_annotations(tmp_path / "d.jsonl", "doccano")
    assert [span["category"] for span in made.records[0]["spans"]] == [
        "ölçü", "şikâyet", "σκοπός", "main_effect", "main_effect",
    ]  # fmt: skip
    assert made.merged == ["the labels 'Main-Effect', 'main effect' are one category, main_effect"]


def test_what_is_no_span_is_counted(tmp_path: Path) -> None:
    """Relations, other features, predictions, tasks and notes without a span."""
    task = json.loads(label_studio(tmp_path).read_text())[0]
    task["data"] = {"title": "A study of Alvan and of other drugs", **task["data"]}
    result = task["annotations"][0]["result"]
    result[0]["value"]["text"] = "helps sleep"  # so that the title is not the text
    result += [
        {"type": "relation", "from_id": "x", "to_id": "y"},
        {"id": "z", "type": "textarea", "value": {"text": ["?"]}},
    ]
    (tmp_path / "l.json").write_text(json.dumps([task, {"id": 2, "data": {"text": "x"}, "predictions": [{}]}]))
    made = read_annotations(tmp_path / "l.json", "label-studio")
    assert made.records[0]["text"] == TEXT
    assert made.left_out == {
        "relations": 1, "text areas of no span": 1, "tasks without annotations": 1, "predictions": 1,
    }  # fmt: skip
    lines = webanno(tmp_path).read_text().split("\n")
    lines[1] = "#T_SP=webanno.custom.Claim|value|certainty"
    lines.insert(2, "#T_RL=webanno.custom.Link|BT_webanno.custom.Claim")
    (tmp_path / "w.tsv").write_text("\n".join(lines))
    assert read_annotations(tmp_path / "w.tsv", "webanno").left_out == {
        "values of the feature certainty": 1, "layers of relations": 1,
    }  # fmt: skip
    cas = json.loads(uima(tmp_path).read_text())
    cas["%FEATURE_STRUCTURES"][-1]["certainty"] = "low"
    cas["%FEATURE_STRUCTURES"].append(
        {"%ID": 5, "%TYPE": "custom.Link", "begin": 0, "end": 4, "@Governor": 3, "@Dependent": 4, "label": "of"}
    )
    (tmp_path / "u.json").write_text(json.dumps(cas))
    made = read_annotations(tmp_path / "u.json", "uima")
    assert made.records[0]["spans"] == SPANS
    assert made.left_out == {"values of the feature certainty": 1, "relations": 1}
    folder = brat(tmp_path)
    with (folder / "doc.ann").open("a") as file:
        file.write("#2\tAnnotatorNotes T2\tat night\n#3\tAnnotatorNotes R1\t?\n")
    made = read_annotations(folder, "brat")
    assert made.records[0]["spans"][1]["comment"] == "sleep at night"
    assert made.left_out == {"relations": 1, "notes on other things than spans": 1}


def annotated(who: str, *spans: tuple[str, int, int]) -> dict[str, Any]:
    marks = [{"category": name, "start": start, "end": end} for name, start, end in spans]
    return {"id": f"d/{who}", "document": "d", "target": who, "text": TEXT, "spans": marks}


def test_adjudication(here: Run, tmp_path: Path) -> None:
    """One of two doses is agreed on; F1 of exact spans 2/4, of overlapping ones 1."""
    path, gold = tmp_path / "a.jsonl", tmp_path / "g.jsonl"
    write_jsonl(
        path, [annotated("x", ("dose", 0, 4), ("effect", 14, 25)), annotated("y", ("dose", 0, 1), ("effect", 14, 25))]
    )
    arguments = ("data", "markup", "adjudicate", path, "-o", gold)
    call = here(*arguments, "--disagreements", tmp_path / "open.jsonl")
    assert call.code == 1
    assert "2 spans are undecided (1 agreed)" in call.err
    assert not gold.exists()
    rows = [json.loads(line) for line in (tmp_path / "open.jsonl").read_text().splitlines()]
    assert [(row["text"], row["by"], row["keep"]) for row in rows] == [("2 mg", ["x"], None), ("2", ["y"], None)]
    write_jsonl(tmp_path / "done.jsonl", [{**row, "keep": row["text"] == "2 mg"} for row in rows])
    call = here(*arguments, "--decisions", tmp_path / "done.jsonl", "--json")
    assert call.json["agreement"]["all"] == {"spans": 4, "exact_f1": 0.5, "overlap_f1": 1.0}
    (record,) = [json.loads(line) for line in gold.read_text().splitlines()]
    assert [(span["category"], span["end"]) for span in record["spans"]] == [("dose", 4), ("effect", 25)]
    write_jsonl(path, [annotated("x", ("dose", 0, 4))])
    assert "no document has two annotators" in here(*arguments).err


def test_parts_by_document(here: Run, tmp_path: Path) -> None:
    rows = [{"id": f"i{n}", "references": ["x"], "tags": {"document": f"d{n // 2}"}} for n in range(20)]
    write_jsonl(tmp_path / "c.jsonl", rows)
    assert here("data", "markup", "split", tmp_path / "c.jsonl", "-o", tmp_path / "s", "--shares", "8:1:1").code == 0
    documents = [
        {one.tags["document"] for one in read_examples(tmp_path / f"s/{name}.jsonl").examples}
        for name in ("train", "valid", "test")
    ]
    assert [len(part) for part in documents] == [8, 1, 1]
    assert not documents[0] & documents[1] & documents[2]
    assert here("data", "markup", "split", tmp_path / "c.jsonl", "-o", tmp_path / "s", "--shares", "8:1").code == 2


def test_comments_that_differ_are_disagreements(here: Run, tmp_path: Path) -> None:
    """The comment of a span decides its class: none of two annotators is silently preferred."""
    path, gold, open_rows = tmp_path / "a.jsonl", tmp_path / "g.jsonl", tmp_path / "open.jsonl"
    rows = []
    for who, label in (("x", "raised"), ("y", "cut")):
        row = annotated(who, ("dose", 0, 4), ("effect", 14, 25)) | {"source": f"Report. {TEXT}"}
        row["spans"][1]["comment"] = label
        rows.append(row)
    rows.append({**annotated("x", ("dose", 0, 4)), "id": "e/x", "document": "e"})
    write_jsonl(path, rows)
    arguments = ("data", "markup", "adjudicate", path, "-o", gold)
    call = here(*arguments, "--disagreements", open_rows)
    assert "1 comments are undecided (3 agreed). Set comment in" in call.err
    (row,) = [json.loads(line) for line in open_rows.read_text().splitlines()]
    assert (row["keep"], row["comments"], row["comment"]) == (True, {"x": "raised", "y": "cut"}, None)
    write_jsonl(open_rows, [{**row, "comment": "cut"}])
    call = here(*arguments, "--decisions", open_rows)
    assert call.code == 0, call.err
    assert "1 document with one annotator: all its spans are kept" in call.err
    first = json.loads(gold.read_text().splitlines()[0])
    assert (first["spans"][1]["comment"], first["source"]) == ("cut", f"Report. {TEXT}")
    call = here(*arguments, "--majority")
    assert "1 comment without a majority: the first was kept" in call.err
    assert json.loads(gold.read_text().splitlines()[0])["spans"][1]["comment"] == "raised"
