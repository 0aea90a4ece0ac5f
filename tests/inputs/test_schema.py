"""Any schema of annotation: read from a file, written and read back, counted, chosen by."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.challenges.equivalence import instances
from assay.datasets.equivalence_classes import read_classes
from assay.errors import AssayError
from assay.inputs.schema import FOMC, read_schema, schema
from assay.inputs.spans import from_text, to_text, warnings
from assay.records import Example, read_examples
from assay.records.kinds import Span
from tests.conftest import Call

Run = Callable[..., Call]
OPINIONS = """
name = "opinions"
whole = "statement"

[[categories]]
name = "statement"

[[categories]]
name = "opinion"
mandatory = true
repeatable = false
comment = "required"

[[categories]]
name = "holder"
start = "<who>"
end = "</who>"
comment = "never"
"""
TEXT = "Ada likes the port."
SPANS = [Span("statement", 0, 19), Span("holder", 0, 3), Span("opinion", 4, 18, "praise")]
MARKED = "[STATEMENT_START] <who> Ada </who> [OPINION_START] likes the port (praise) [OPINION_END] . [STATEMENT_END]"


@pytest.fixture
def opinions(tmp_path: Path) -> Path:
    path = tmp_path / "opinions.toml"
    path.write_text(OPINIONS)
    return path


def test_written_and_read_back(opinions: Path) -> None:
    known = read_schema(opinions)
    assert to_text(TEXT, SPANS, known) == MARKED
    parsed = from_text(MARKED, known)
    assert (parsed.text, parsed.problems) == (TEXT, [])
    assert sorted(parsed.spans, key=str) == sorted(SPANS, key=str)
    assert known.tokens == [
        "[STATEMENT_START]", "[OPINION_START]", "<who>", "[STATEMENT_END]", "[OPINION_END]", "</who>",
    ]  # fmt: skip
    assert known.without_markers(MARKED) == "Ada likes the port (praise) ."
    assert schema("") is FOMC
    assert len(FOMC.tokens) == 16


def test_annotations_are_checked_against_the_schema(opinions: Path) -> None:
    known = read_schema(opinions)
    problems = warnings(
        TEXT, [SPANS[0], Span("holder", 0, 3, "who"), Span("opinion", 4, 9), Span("opinion", 10, 18, "x")], known
    )
    assert problems == [
        "holder 0-3: has a comment, against the schema",
        "opinion 4-9: has no comment, against the schema",
        "sentence 0-19 has 2 of opinion, where the schema allows one",
    ]
    assert warnings(TEXT, SPANS[:2], known) == ["sentence 0-19 has no opinion"]
    with pytest.raises(AssayError, match="already contains a marker: '<who>'"):
        to_text("a <who> b", [], known)
    with pytest.raises(AssayError, match="no category 'act'"):
        to_text(TEXT, [Span("act", 0, 3)], known)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "x"\ncategories = []', "at least one category"),
        ('name = "x"\nwhole = "b"\n[[categories]]\nname = "a"', "whole names the category b"),
        ('name = "x"\n[[categories]]\nname = "a"\n[[categories]]\nname = "a"', "the same name"),
        ('name = "x"\n[[categories]]\nname = "A b"', "not an annotation schema"),
        ('name = "x"\n[[categories]]\nname = "a"\nstart = "*"\nend = "*"', "the same text"),
        ('name = "x"\n[[categories]]\nname = "a"\ncolour = "red"', "colour"),
        ("name", "TOML"),
    ],
)
def test_invalid_schemas_are_reported(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(AssayError, match=message):
        read_schema(path)


def test_a_custom_schema_through_the_commands(here: Run, opinions: Path, tmp_path: Path) -> None:
    """Annotations to targets, back to annotations, statistics, marker counts and the equivalence test."""
    rows = [
        {"id": f"{d}-{t}-{n}", "document": d, "target": t, "text": TEXT, "source": "A long text." if n == 0 else None,
         "spans": [{"category": s.category, "start": s.start, "end": s.end, "comment": s.comment} for s in SPANS]}
        for d, t, n in (("a", "x", 0), ("a", "x", 1), ("a", "y", 0), ("b", "x", 0))
    ]  # fmt: skip
    annotations, corpus, back = tmp_path / "annotations.jsonl", tmp_path / "c.jsonl", tmp_path / "back.jsonl"
    annotations.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = here("data", "markup", "targets", annotations, "--schema", opinions, "-o", corpus, "--json")
    assert call.code == 0, call.err
    assert call.json == {"statements": 4, "targets": 3, "documents": 2}
    documents = read_examples(corpus).examples
    assert [(one.id, one.source) for one in documents] == [("a", "A long text."), ("b", "A long text.")]
    assert documents[0].references == (f"{MARKED}<sent>{MARKED}", MARKED)
    call = here("data", "markup", "parse", corpus, "--schema", opinions, "-o", back, "--json")
    assert (call.json["statements"], call.json["spans"], call.json["problems"]) == (4, 12, [])
    assert json.loads(back.read_text().splitlines()[0])["text"] == TEXT
    again = tmp_path / "again.jsonl"
    assert here("data", "markup", "targets", back, "--schema", opinions, "-o", again).code == 0
    assert [one.references for one in read_examples(again).examples] == [one.references for one in documents]
    stats = here("data", "markup", "stats", corpus, "--schema", opinions, "--json").json
    assert stats["sizes"]["annotations"] == {"documents": 2, "targets": 3}
    assert stats["statistics"]["annotations"]["statements a target"] == {
        "n": 3,
        "mean": 4 / 3,
        "sd": pytest.approx(2**0.5 / 3),
        "most": 2,
    }
    assert stats["statistics"]["annotations"]["markers a target"]["mean"] == 8
    assert stats["statistics"]["annotations"]["words a target"]["most"] == 12
    outputs = tmp_path / "o.jsonl"
    outputs.write_text(json.dumps({"id": "a", "output": MARKED}) + "\n")
    scores = here("score", outputs, "-m", f"markers:schema={opinions}", "--json").json["scores"]
    assert (scores["spans-holder"]["value"], scores["closed_correctly"]["value"]) == (1, 1)
    classes = tmp_path / "classes.json"
    members = [["likes the port", "loves the port"], ["hates the port"]]
    classes.write_text(json.dumps([
        {"annotation": "opinion", "evaluation": "opinion", "part": "text", "equivalence_classes": members,
         "class_names": ["for", "against"]},
        {"annotation": "opinion", "evaluation": "label", "part": "comment",
         "equivalence_classes": [["praise"], ["blame"]]},
    ]))  # fmt: skip
    call = here(
        "system", "choose", corpus, "--classes", classes, "--system", "random", "-o", tmp_path / "x.jsonl", "--json"
    )
    assert call.code == 0, call.err
    assert {name: row["n"] for name, row in call.json["evaluations"].items()} == {"opinion": 4, "label": 4}
    made = read_examples(tmp_path / "x.instances.jsonl").examples
    assert (made[-1].input or {})["positive"] == "(praise)"
    assert str((made[-1].input or {})["prefix"]).endswith("[OPINION_START] likes the port")


def test_classes_of_one_document_and_plain_prefixes(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps([
        {"annotation": "victim", "evaluation": "victim", "document": document,
         "equivalence_classes": [["two men"], [other]]}
        for document, other in (("a", "a judge"), ("b", "a clerk"))
    ]))  # fmt: skip
    marked = "They shot [VICTIM_START] two men [VICTIM_END] ."
    examples = [Example(id=f"{d}.1", references=(marked,), tags={"document": d}) for d in ("a", "b")]
    (made,) = instances(read_classes(path), examples, plain=True)
    assert (made.evaluation, made.positives) == ("victim", 2)
    pairs = [((one.input or {})["prefix"], (one.input or {})["negative"]) for one in made.instances]
    assert pairs == [("They shot", "a judge"), ("They shot", "a clerk")]
