"""Files as tools save them: repeated runs, tables, refusals, fields of some items, files without rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

from assay.errors import AssayError
from assay.records import read_outputs
from assay.records.read import OutputFile, read_systems
from assay.records.types import Example
from tests.conftest import Call
from tests.records.tools import synthetic as made
from tests.records.tools.synthetic import ANSWER, PASSAGES, USER
from tests.records.tools.test_tools import read, written


def examples(found: OutputFile) -> list[Example]:
    assert found.examples is not None
    return list(found.examples)


def test_a_json_answer_among_correct_texts_of_promptfoo(tmp_path: Path) -> None:
    """`equals` has a text for one test and an object for another, and a third test only checks a property."""
    value = made.promptfoo()
    rows = value["results"]["results"] = [
        row | {"testIdx": i} for i, row in enumerate(json.loads(json.dumps(value["results"]["results"][:1] * 3)))
    ]
    rows[1]["testCase"]["assert"] = [{"type": "equals", "value": {"tide": "low"}}]
    found = examples(read(tmp_path, value))
    assert [one.references for one in found] == [(ANSWER,), ('{"tide": "low"}',), (ANSWER,)]
    rows[2]["testCase"]["assert"] = [{"type": "contains", "value": "low"}]
    assert [one.references for one in examples(read(tmp_path, value))] == [(), (), ()]


def test_repetitions_of_promptfoo_are_linked(tmp_path: Path) -> None:
    value = made.promptfoo()
    again = [
        row | {"testIdx": row["testIdx"] + 2, "vars": row["vars"] | {"q": "?"}} for row in value["results"]["results"]
    ]
    value["results"]["results"] += again
    found = read_systems(written(tmp_path, value))
    assert [one.parent for one in examples(found[0])] == [None, "1", None, "3"]


def test_a_refusal_is_the_answer(tmp_path: Path) -> None:
    """The API of OpenAI writes refusals of structured outputs into a field of their own."""
    row = made.completion()
    row["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "I cannot help with that."}
    assert list(read(tmp_path, [row]).texts) == ["I cannot help with that."]


def test_further_choices_are_noted(tmp_path: Path) -> None:
    row = made.completion()
    row["choices"].append(row["choices"][0] | {"index": 1})
    assert "OpenAI: 1 choices after the first of a completion are not scored" in read(tmp_path, [row]).notes


@pytest.mark.parametrize("with_trace", [True, False])
def test_the_table_of_search_traces_as_csv(tmp_path: Path, with_trace: bool) -> None:
    """Its cells are printed by Python; a column of current versions has the whole trace as JSON."""
    trace = made.mlflow_trace()
    row = {
        "trace_id": "tr-1", "trace": json.dumps(trace), "state": "OK", "request": str({"question": USER}),
        "response": ANSWER, "spans": str(trace["data"]["spans"]), "assessments": str(trace["info"]["assessments"]),
        "trace_metadata": str(trace["info"]["trace_metadata"]),
    }  # fmt: skip
    path = tmp_path / "traces.csv"
    polars.DataFrame([row if with_trace else {k: v for k, v in row.items() if k != "trace"}]).write_csv(path)
    found = read_outputs(path)
    (example,) = examples(found)
    assert (list(found.texts), example.source, example.references) == ([ANSWER], USER, (ANSWER,))
    assert [one.text for one in example.contexts] == PASSAGES


def test_null_and_listed_values_of_a_trace(tmp_path: Path) -> None:
    value = made.mlflow_trace()
    written = {"serialization_format": "JSON_FORMAT", "value": '["a", "b"]'}
    expectation = {"assessment_name": "expected_response", "expectation": {"serialized_value": written}}
    value["info"]["assessments"] = [expectation]
    assert examples(read(tmp_path, value))[0].references == ("a", "b")
    value["data"]["spans"][0]["attributes"]["mlflow.spanOutputs"] = "null"
    with pytest.raises(AssayError, match="has no response"):
        read(tmp_path, value)


def test_a_frame_that_pandas_wrote_by_column(tmp_path: Path) -> None:
    rows = [made.ragas()[0], made.ragas()[0] | {"response": "No."}]
    value = {name: {str(i): row[name] for i, row in enumerate(rows)} for name in rows[0]}
    found = read(tmp_path, value)
    assert list(found.texts) == [ANSWER, "No."]
    assert [one.text for one in examples(found)[1].contexts] == PASSAGES


@pytest.mark.parametrize(
    ("field", "value"), [("contexts", PASSAGES), ("messages", made.TURNS), ("expected", 4), ("reference", "x")]
)
def test_fields_that_the_first_item_lacks_are_read(tmp_path: Path, field: str, value: Any) -> None:
    """The first row decided whether a file had anything besides outputs."""
    found = examples(read(tmp_path, [{"id": "1", "output": ANSWER}, {"id": "2", "output": ANSWER, field: value}]))
    assert found[1].contexts or found[1].messages or found[1].references


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("<!doctype html>\n<html>\n<p>A text.</p>\n</html>\n", "HTML or XML"),
        ('<?xml version="1.0"?>\n<tests>\n</tests>\n', "HTML or XML"),
        ("<promptfoo>\n  <evalId>e</evalId>\n</promptfoo>\n", "promptfoo eval -o results.json"),
        ("evalId: eval-1\nresults:\n  version: 3\n", "promptfoo eval -o results.json"),
    ],
)
def test_documents_are_not_read_as_lines(tmp_path: Path, text: str, remedy: str) -> None:
    path = tmp_path / "results.txt"
    path.write_text(text)
    with pytest.raises(AssayError, match=remedy):
        read_outputs(path)


def test_lines_of_markup_are_outputs(tmp_path: Path) -> None:
    path = tmp_path / "pages.txt"
    path.write_text("<html><p>One.</p></html>\n<html><p>Two.</p></html>\n<b>\n")
    assert len(read_outputs(path).texts) == 3


def test_metadata_and_tool_calls_of_inspect_are_noted(tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "input": USER, "target": ANSWER, "output": {"completion": ANSWER}, "scores": {},
              "metadata": {"passage": PASSAGES[0], "empty": None},
              "messages": [{"role": "assistant", "content": "", "tool_calls": [{"id": "c"}]}]}  # fmt: skip
    log = {"version": 2, "status": "success", "eval": {"model": "m-1"}, "samples": [sample]}
    assert read(tmp_path, log).notes == ["inspect_ai: not used: metadata.passage, tool calls"]


def test_support_says_which_items_have_no_contexts(tmp_path: Path, here: Callable[..., Call]) -> None:
    rows = [{"id": "1", "output": ANSWER, "source": USER}, {"id": "2", "output": ANSWER, "contexts": PASSAGES}]
    done = here("support", str(written(tmp_path, rows, "rows.jsonl")))
    assert done.code == 0
    assert "1 of 2 items have no contexts (id 1 first)" in done.err


def test_metrics_without_references_accept_items_that_lack_them(tmp_path: Path, here: Callable[..., Call]) -> None:
    """The reference of a chat belongs to its last turn, so that no chat with one could be scored."""
    chat = made.ragas_turns()[0]
    chat["user_input"][1]["content"] = "Let me look at the harbour."
    turns = tmp_path / "turns.jsonl"
    assert here("data", "turns", str(written(tmp_path, [chat])), "-o", str(turns)).code == 0
    assert here("score", str(turns), "-m", "conversation,lengths", "--json").json["n"] == 2
    done = here("score", str(turns), "-m", "conversation,rouge1")
    assert done.code == 1
    assert "1 item without references, while others have some: 1:1. Add references" in done.err


def test_checks_are_no_reference(tmp_path: Path, here: Callable[..., Call]) -> None:
    rows = [{"id": "1", "output": ANSWER, "expected": {"checks": {"max_words": 4}}}, {"id": "2", "output": ANSWER}]
    path = written(tmp_path, rows, "rows.jsonl")
    assert here("score", str(path), "-m", "instructions,lengths", "--json").json["scores"]["instructions"]["value"] == 1
    found = examples(read_outputs(path))
    assert [one.references for one in found] == [(), ()]
    assert examples(read(tmp_path, [{"output": "x", "expected": {"checks": "a"}}]))[0].references


def test_contexts_of_a_chat_belong_to_its_last_turn(tmp_path: Path, here: Callable[..., Call]) -> None:
    turns = [{"role": "user", "content": USER}, {"role": "assistant", "content": "Wait."},
             {"role": "assistant", "content": ANSWER, "retrievalContext": PASSAGES}]  # fmt: skip
    run = {"testCases": [], "conversationalTestCases": [{"name": "c", "metricsData": [], "turns": turns}]}
    target = tmp_path / "turns.jsonl"
    assert here("data", "turns", str(written(tmp_path, run)), "-o", str(target)).code == 0
    first, last = examples(read_outputs(target))
    assert not first.contexts
    assert [one.text for one in last.contexts] == PASSAGES


def test_two_kinds_of_context_of_deepeval(tmp_path: Path) -> None:
    value = made.deepeval()
    value["testCases"][0]["context"] = ["What should have been retrieved."]
    assert "DeepEval: context of 1 items is not used: they have a retrieval context" in read(tmp_path, value).notes
