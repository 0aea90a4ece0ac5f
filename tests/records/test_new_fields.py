"""Contexts, messages and expected answers of examples: read, joined, written, and absent without a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import assay
from assay.errors import AssayError
from assay.records import Example, Items, digest_of, read_examples, write_jsonl
from assay.records.types import Message, Passage

FULL = Example(
    id="1",
    references=("A text.",),
    contexts=(Passage("d1", "One."), Passage("d2", "Two.")),
    messages=(Message(role="user", content="What?"), Message(role="assistant", tool_calls=({"name": "t"},))),
    expected={"year": 1999, "names": ["Ada"]},
)


def test_round_trip(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "e.jsonl", [FULL])
    assert read_examples(tmp_path / "e.jsonl").examples == [FULL]
    assert read_examples([FULL]).examples == [FULL]
    (tmp_path / "e.json").write_text(json.dumps([msgspec.to_builtins(FULL)]))
    assert read_examples(tmp_path / "e.json").examples == [FULL]


def test_examples_without_them_keep_their_digest() -> None:
    old = Example(id="1", references=("A text.",), source="A source.", language="en", tags={"a": "b"})
    assert digest_of([old]) == "d7e7d6b621cce53d2f53"
    assert digest_of([FULL]) != digest_of([msgspec.structs.replace(FULL, contexts=())])


def test_a_saved_run_keeps_them(tmp_path: Path) -> None:
    assay.score([assay.Output(id="1", output="A text.")], examples=[FULL], metrics="rouge1", save=tmp_path / "run")
    stored = next((tmp_path / "run").rglob("examples*.jsonl"))
    assert read_examples(stored).examples == [FULL]


@pytest.mark.parametrize(
    ("value", "passages"),
    [
        (["One.", "Two."], (Passage("1", "One."), Passage("2", "Two."))),
        ([{"id": 7, "text": "One."}], (Passage("7", "One."),)),
        ([{"page_content": "One.", "metadata": {}}], (Passage("1", "One."),)),
        ("One.", (Passage("1", "One."),)),
        ([], ()),
    ],
)
@pytest.mark.parametrize("name", ["contexts", "retrieved_contexts"])
def test_shapes_of_contexts(name: str, value: Any, passages: tuple[Passage, ...]) -> None:
    assert read_examples([{"id": "1", name: value}]).examples[0].contexts == passages


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"contexts": 3}, r"item 1 id 1: contexts is a number \(3\)"),
        ({"contexts": ["a", {"title": "b"}]}, "an entry of contexts has no text"),
        ({"contexts": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}, "the same id"),
        ({"messages": "hello"}, "messages is a str"),
        ({"messages": [{"content": "no role"}]}, "messages is a list of 1"),
    ],
)
def test_what_is_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(AssayError, match=problem):
        read_examples([{"id": "1", **fields}])


def test_parts_of_messages() -> None:
    parts = [{"type": "text", "text": "What"}, {"type": "image_url", "image_url": {"url": "x"}}, "is it?"]
    rows = [{"id": "1", "messages": [{"role": "user", "content": parts}]}]
    assert read_examples(rows).examples[0].messages == (Message(role="user", content="What\nis it?"),)


def test_lists_in_cells_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "e.csv").write_text('id,output,contexts,expected\n1,x,"[""One."", ""Two.""]",4\n')
    example = read_examples(tmp_path / "e.csv").examples[0]
    assert [one.text for one in example.contexts] == ["One.", "Two."]
    assert example.expected == "4"


def test_later_files_add_them(tmp_path: Path) -> None:
    from assay.execution.loading import load_items

    items = load_items(
        [{"id": "1", "output": "A text."}], examples=[{"id": "1", "source": "x"}], references=[FULL], sources=None
    )
    assert items.examples[0].contexts == FULL.contexts
    assert items.examples[0].expected == FULL.expected


def test_needs() -> None:
    items = Items(("a", "b"), (FULL, Example(id="2", expected=0)))
    assert [items.has(need) for need in ("contexts", "messages", "expected")] == [False, False, True]
