"""`assay data render`: the text a model is given, and the example that does not fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.conftest import write_jsonl

Here = Callable[..., Any]


def test_rendered_lines_go_to_standard_output(run: Here, mucsum: Path, tmp_path: Path) -> None:
    piped = run("data", "read", "mucsum", mucsum, "-o", "-")
    assert piped.code == 0
    assert len(piped.out.splitlines()) == 3
    assert "3 examples" in piped.err
    examples = tmp_path / "e.jsonl"
    examples.write_text(piped.out, encoding="utf-8")
    call = run("data", "render", examples, "--as", "event-template:compat=eks-release", "--fields", "template_only")
    assert [json.loads(line)["id"] for line in call.out.splitlines()] == ["DOC.3", "DOC.1", "DOC.2"]
    assert "date: stage of completion: attempted" in call.out


def test_render_names_the_example_that_does_not_fit(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"id": "a", "input": {"kind": "event", "template": {}}}\n')
    call = here("data", "render", path, "--as", "event-template")
    assert (call.code, "id a" in call.err, "document" in call.err) == (1, True, True)
    path.write_text('{"id": "a", "source": "s"}\n')
    call = here("data", "render", path, "--as", "triples")
    assert "id a: form triples writes triples inputs; this one has no structured input" in call.err


def test_render_refuses_an_id_that_stands_twice(here: Here, tmp_path: Path) -> None:
    path, output = tmp_path / "e.jsonl", tmp_path / "i.jsonl"
    path.write_text('{"id": "a", "source": "s"}\n{"id": "b", "source": "s"}\n{"id": "a", "source": "t"}\n')
    call = here("data", "render", path, "--as", "source", "-o", output)
    assert (call.code, output.exists()) == (1, False)
    assert f"{path}: 1 id occur more than once: a. Keep one of each." in call.err


def test_render_warns_once_for_each_kind_of_trouble(here: Here, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    rows = [
        {"id": "a", "input": {"kind": "drs", "clauses": [["b1", "REF", "e1"], ["b1", "Agent", "e1", "x1"]]}},
        {"id": "b", "input": {"kind": "drs", "clauses": [["b1", "REF", "e1"]]}},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = here("data", "render", path, "--as", "drs", "-o", tmp_path / "i.jsonl")
    assert call.code == 0
    assert "! 1 of 2: has a referent that no REF clause introduces; it is written @0" in call.err
    path.write_text(json.dumps({"id": "a", "source": "a b", "references": ["a"]}))
    call = here("data", "render", path, "--as", "controls:nbchars=oracle")
    assert "! 1 of 1: contains control values computed from the reference" in call.err
    group = {"kind": "entities", "entities": ["A", "B"], "background": ["x y z", ""], "title": "T", "context": "c"}
    path.write_text(json.dumps({"id": "a", "input": group}))
    assert "its start was cut" in here("data", "render", path, "--as", "entities:words=3").err
    marked = {"kind": "annotated", "text": "It rose", "spans": [{"category": "std_sentence", "start": 0, "end": 7}]}
    path.write_text(json.dumps({"id": "a", "input": marked}))
    assert "lacks a mandatory category" in here("data", "render", path, "--as", "annotated").err


def test_inputs_with_nothing_in_them_are_counted(here: Here, tmp_path: Path) -> None:
    """They became empty texts, or brackets around nothing, without a word."""
    empty: dict[str, dict[str, object]] = {
        "slots": {"slots": []}, "triples": {"triples": []}, "concepts": {"concepts": []}, "drs": {"clauses": []},
        "table": {"table": [[{"value": "a"}]], "highlighted": []}, "acts": {"service": "S", "acts": [], "context": []},
    }  # fmt: skip
    for kind, fields in empty.items():
        path = write_jsonl(tmp_path / f"{kind}.jsonl", [{"id": "a", "input": {"kind": kind, **fields}}])
        call = here("data", "render", path, "--as", kind)
        assert call.code == 0, call.err
        assert "1 of 1: has no " in call.err


def test_entities_have_as_many_backgrounds(here: Here, tmp_path: Path) -> None:
    group = {"kind": "entities", "entities": ["A", "B"], "background": ["x"], "title": "T", "context": "c"}
    path = write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "input": group}])
    call = here("data", "render", path, "--as", "entities")
    assert "id a: input.background: has 1 texts for 2 entities" in call.err
