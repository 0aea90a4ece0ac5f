"""Files of other tools: outputs, correct answers, prompts, contexts and scores, and what is not used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.execution.imported_scores import read_scores
from assay.records import read_examples, read_outputs
from assay.records.read import OutputFile, read_systems
from tests.conftest import Call
from tests.records.tools import synthetic as made
from tests.records.tools.synthetic import ANSWER, PASSAGES, USER
from tests.support.processor_time import processor_seconds


def written(tmp_path: Path, value: Any, name: str = "log.json") -> Path:
    path = tmp_path / name
    lines = "\n".join(map(json.dumps, value)) if isinstance(value, list) else json.dumps(value)
    path.write_text(lines)
    return path


def read(tmp_path: Path, value: Any) -> OutputFile:
    return read_systems(written(tmp_path, value))[0]


@pytest.mark.parametrize(
    ("value", "contexts", "references", "system", "source"),
    [
        (made.promptfoo(), PASSAGES[:1], (ANSWER,), "echo prompt 1", f"Answer: {USER}"),
        (made.deepeval(), PASSAGES, (ANSWER,), "log", USER),
        (made.deepeval_goldens(), PASSAGES, (ANSWER,), "log", USER),
        (made.ragas(), PASSAGES, (ANSWER,), "log", USER),
        (made.ragas_turns(), [], (ANSWER,), "log", f"{USER}\nlow"),
        (made.chats(), [], (), "m-1", f"Be short.\n{USER}"),
        (made.batch(), [], (), "m-1", None),
        (made.responses(), [], (), "m-1", None),
        (made.response_alone(), [], (), "m-1", None),
        (made.printed_spans(), PASSAGES, (), "harbour-bot", USER),
        (made.otlp_genai(), PASSAGES[:1], (), "m-1", USER),
        (made.otlp_openinference(), PASSAGES, (), "m-1", USER),
        (made.langfuse(), PASSAGES[:1], (), "log", f"Be short.\n{USER}"),
        (made.langfuse_observations(), PASSAGES, (), "m-1", f"Be short.\n{USER}"),
        (made.mlflow_trace(), PASSAGES, (ANSWER,), "log", USER),
    ],
)
def test_what_is_read_of_each(
    tmp_path: Path, value: Any, contexts: list[str], references: tuple[str, ...], system: str, source: str | None
) -> None:
    found = read(tmp_path, value)
    assert set(found.texts) == {ANSWER}
    assert found.system == system
    example = found.examples[0] if found.examples else None
    if source is not None:
        assert example is not None
        assert ([one.text for one in example.contexts], example.references) == (contexts, references)
        assert example.source == source


@pytest.mark.parametrize(
    ("value", "note"),
    [
        (made.promptfoo(), "promptfoo: not used: cost, latencyMs, gradingResult"),
        (made.deepeval(), "DeepEval: not used: success, runDuration"),
        (made.ragas(), "ragas: not used: reference_contexts"),
        (made.chats(), "OpenAI: not used: metadata"),
        (made.otlp_openinference(), "OTLP: times, token counts and other attributes"),
        (made.langfuse_observations(), "Langfuse: 1 observations that are no generation"),
        (made.mlflow_trace(), "MLflow traces: expectations that are not used: expected_facts"),
    ],
)
def test_what_is_not_used_is_reported_once(tmp_path: Path, value: Any, note: str) -> None:
    notes = read(tmp_path, value).notes
    assert sum(note.split(":")[0] in each for each in notes) == len(notes)
    wanted = note if "gradingResult" not in note else "promptfoo: not used: cost"
    assert sum(each.startswith(wanted) for each in notes) == 1


def test_notes_reach_the_result(tmp_path: Path) -> None:
    found = assay.score(written(tmp_path, made.ragas()), metrics="rouge1")
    assert found.scores["rouge1"].value == 1
    assert any("reference_contexts" in note for note in found.warnings)


@pytest.mark.parametrize(
    ("value", "name", "score"),
    [
        (made.promptfoo(), "has", 1.0),
        (made.deepeval(), "Relevancy", 0.7),
        (made.ragas(), "faithfulness", 0.5),
        (made.langfuse(), "helpful", 0.5),
        (made.mlflow_trace(), "relevance", 0.5),
        (made.otlp_genai(), "relevance", 0.25),
    ],
)
def test_scores_of_the_tool(tmp_path: Path, value: Any, name: str, score: float) -> None:
    by_system = read_scores(written(tmp_path, value)).values
    assert {each for columns in by_system.values() for each in columns[name].values()} == {score}


def test_each_prompt_of_promptfoo_is_a_system(tmp_path: Path) -> None:
    systems = read_systems(written(tmp_path, made.promptfoo()))
    assert [each.system for each in systems] == ["echo prompt 1", "echo prompt 2"]
    assert all(each.ids == ["1", "2"] for each in systems)


def test_a_prompt_of_two_providers_has_one_number(tmp_path: Path) -> None:
    log = made.promptfoo()
    other = [row | {"provider": {"id": "exec:x", "label": "alpha"}, "promptIdx": row["promptIdx"] + 2}
             for row in log["results"]["results"]]  # fmt: skip
    log["results"]["results"] += other
    systems = {one.system for one in read_systems(written(tmp_path, log))}
    assert systems == {"echo prompt 1", "echo prompt 2", "alpha prompt 1", "alpha prompt 2"}


def test_a_note_on_a_file_is_said_once(here: Callable[..., Call], tmp_path: Path) -> None:
    path = written(tmp_path, made.promptfoo())
    done = here("score", str(path), "-m", "lengths")
    assert done.code == 0
    assert done.err.count("not used: cost") == 1


def test_a_csv_without_known_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("question,[echo] Answer: {{q}},Status,Grader Reason\nWho?,Acme,PASS,ok\n")
    with pytest.raises(AssayError, match=r"results.csv:1: no known name among 4 columns .*promptfoo eval -o results"):
        read_outputs(path)


def test_a_failed_request_of_a_batch(tmp_path: Path) -> None:
    path = written(tmp_path, made.batch(failed=True))
    with pytest.raises(AssayError, match=r"log\.json:2: has no answer \(was not run in time\)\. .*--skip-bad"):
        read_outputs(path)
    found = read_outputs(path, skip_bad=True)
    assert found.ids == ["q0"]
    assert "1 unreadable line was left out" in found.notes[0]


def test_requests_and_answers_of_a_batch_are_joined_by_id(tmp_path: Path) -> None:
    outputs = written(tmp_path, made.batch()[:1])
    examples = written(tmp_path, made.batch_requests(), "requests.jsonl")
    items = assay.score(outputs, examples=examples, metrics="lengths")
    assert items.n == 1
    assert [one.role for one in read_examples(examples).examples[0].messages] == ["system", "user"]


def test_tool_calls_are_kept(tmp_path: Path) -> None:
    example = (read(tmp_path, made.ragas_turns()).examples or [])[0]
    assert example.messages[1].tool_calls == ({"name": "tide", "args": {"day": 1}},)


def test_some_items_without_a_correct_answer(tmp_path: Path) -> None:
    value = made.promptfoo()
    value["results"]["results"][0]["testCase"]["assert"] = [{"type": "contains", "value": "x"}]
    found = read_systems(written(tmp_path, value))[0]
    assert not (found.examples or [])[0].references
    assert "promptfoo: 1 of 4 items have no correct answer, so none is used; add them" in "\n".join(found.notes)


def test_two_retrievals_of_one_trace_have_different_ids(tmp_path: Path) -> None:
    rows = made.langfuse_observations()
    rows.insert(0, {**rows[0], "id": "o0", "output": [{"content": "A third passage."}]})
    example = (read(tmp_path, rows).examples or [])[0]
    assert [one.id for one in example.contexts] == ["1", "2", "3"]


@pytest.mark.parametrize("stream", [True, False])
def test_an_arrow_file(tmp_path: Path, stream: bool) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(made.arrow(stream))
    found = read_outputs(path)
    assert (found.texts, [one.text for one in (found.examples or [])[0].contexts]) == ([ANSWER], PASSAGES)


def test_damaged_arrow(tmp_path: Path) -> None:
    path = tmp_path / "data.arrow"
    path.write_bytes(made.arrow(False)[:60])
    with pytest.raises(AssayError, match="not valid Arrow"):
        read_outputs(path)


def test_cost_is_linear_in_the_number_of_spans() -> None:
    from assay.records.tools import Source, translate

    def seconds(count: int) -> float:
        document = made.otlp_openinference()
        spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
        spans += [{**spans[1], "spanId": f"x{i}"} for i in range(count)]
        return processor_seconds(lambda: translate(Source([document], str)))

    seconds(100)
    assert seconds(8000) < 40 * max(seconds(1000), 0.005)


def test_goldens_without_answers_are_examples(tmp_path: Path) -> None:
    """DeepEval writes `null` into JSON and an empty cell into CSV for an answer that is not there yet."""
    golden = made.deepeval_goldens()[0]
    for name, value in (("a.jsonl", [golden | {"actual_output": None}]), ("b.jsonl", [golden | {"actual_output": ""}])):
        path = written(tmp_path, value, name)
        assert read_examples(path).examples[0].references == (ANSWER,)
        with pytest.raises(AssayError, match="no output among its fields"):
            read_outputs(path)


def test_contexts_of_the_last_turn_of_a_conversation(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": USER}, {"role": "assistant", "content": ANSWER, "retrievalContext": PASSAGES}]
    run = {"testCases": [], "conversationalTestCases": [{"name": "c", "metricsData": [], "turns": turns}]}
    found = read(tmp_path, run).examples
    assert found is not None
    assert [one.text for one in found[0].contexts] == PASSAGES


@pytest.mark.parametrize(
    ("asked", "said", "kind", "retriever", "model"),
    [
        ("langfuse.observation.input", "langfuse.observation.output", "langfuse.observation.type", "retriever",
         "langfuse.observation.model.name"),
        ("mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.spanType", '"RETRIEVER"', "gen_ai.request.model"),
        ("ai.prompt", "ai.response.text", "openinference.span.kind", "RETRIEVER", "ai.model.id"),
    ],
)  # fmt: skip
def test_attributes_of_sdks(tmp_path: Path, asked: str, said: str, kind: str, retriever: str, model: str) -> None:
    found = read(tmp_path, made.otlp_of_sdk(asked, said, kind, retriever, model))
    assert (list(found.texts), found.system) == ([ANSWER], "m-1")
    assert found.examples is not None
    assert (found.examples[0].source, [one.text for one in found.examples[0].contexts]) == (USER, PASSAGES)


def test_expected_output_of_an_experiment(tmp_path: Path) -> None:
    value = made.otlp_of_sdk("input.value", "output.value", "openinference.span.kind", "RETRIEVER", "llm.model_name")
    spans = value["resourceSpans"][0]["scopeSpans"][0]["spans"]
    name = "langfuse.experiment.item.expected_output"
    spans[0]["attributes"].append({"key": name, "value": {"stringValue": json.dumps(ANSWER)}})
    found = read(tmp_path, value).examples
    assert found is not None
    assert found[0].references == (ANSWER,)
