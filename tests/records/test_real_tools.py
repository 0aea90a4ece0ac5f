"""What the tools themselves write, field by field, with synthetic texts.

Modelled on files that inspect_ai 0.3.285 (its mock model), lm-evaluation-harness 0.4.13 (its dummy model), lighteval
0.13.0 (its own tracker) and MLflow 3.17.2 (a local store) wrote; ids, hashes and times are shortened.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.errors import AssayError
from assay.records.archives import ZSTANDARD
from assay.records.read import read_outputs
from tests.conftest import Call, write_jsonl

CALM = [f"Harbour {i} is calm." for i in range(4)]


def sample(number: int, *, failed: bool = False, chat: bool = False) -> dict[str, Any]:
    asked = [{"id": "m", "content": "Be short.", "role": "system"}, {"id": "n", "content": "How?", "role": "user"}]
    message = {"id": "x", "content": CALM[number], "source": "generate", "role": "assistant", "model": "mockllm/model"}
    answered = {
        "model": "mockllm/model", "choices": [{"message": message, "stop_reason": "stop"}],
        "completion": CALM[number], "usage": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}, "time": 1e-4,
    }  # fmt: skip
    judged = {"value": {"fluency": 0.5, "truth": number / 4}, "history": []}
    return {
        "id": f"q{number}", "epoch": 1, "input": asked if chat else f"How is harbour {number}?",
        "target": [CALM[number], f"Calm at {number}."] if number % 2 else CALM[number], "messages": [],
        "output": {"model": "mockllm/model", "choices": [], "completion": ""} if failed else answered,
        "scores": {} if failed else {"includes": {"value": "C", "answer": "x", "history": []}, "rated": judged},
        "metadata": {"size": number}, "store": {}, "events": [], "uuid": "u", "error_retries": [], "attachments": {},
        "error": {"message": "RuntimeError('no answer came')", "traceback": "…"} if failed else None,
    }  # fmt: skip


def log(*samples: dict[str, Any]) -> dict[str, Any]:
    about = {"task": "harbours", "model": "mockllm/model", "dataset": {"name": "harbours"}, "packages": {}}
    metrics = {"accuracy": {"name": "accuracy", "value": 0.5, "params": {}}}
    scores = [{"name": "includes", "scorer": "includes", "scored_samples": 4, "params": {}, "metrics": metrics}]
    results = {"total_samples": 4, "completed_samples": 4, "scores": scores}
    return {"version": 2, "status": "success", "eval": about, "plan": {}, "results": results, "samples": list(samples)}


def packed(value: dict[str, Any], method: int = ZSTANDARD) -> bytes:
    """An archive as inspect_ai writes it: journal, a file a sample, summaries, and the header at the end."""
    zstandard = pytest.importorskip("zstandard")
    made = io.BytesIO()
    entries: dict[str, Any] = {"_journal/start.json": {"version": 2, "eval": value["eval"]}}
    entries |= {f"samples/{each['id']}_epoch_1.json": each for each in value["samples"]}
    entries |= {"summaries.json": [], "header.json": {key: one for key, one in value.items() if key != "samples"}}
    with zipfile.ZipFile(made, "w") as archive:
        for name, each in entries.items():
            content = json.dumps(each).encode()
            archive.writestr(name, zstandard.compress(content))
            info = archive.getinfo(name)
            info.compress_type, info.file_size, info.CRC = method, len(content), zlib.crc32(content)
    return made.getvalue()


def test_an_archive_packed_with_zstandard(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(packed(log(*(sample(i) for i in range(4)))))
    found = assay.score(path, metrics="rouge1", scores=path)
    assert (found.system, found.n, found.scores["rouge1"].value) == ("mockllm/model", 4, 1.0)
    assert found.scores["includes"].value == 1
    assert found.scores["rated.truth"].value == pytest.approx(0.375)


def test_such_an_archive_in_a_report(tmp_path: Path, here: Callable[..., Call]) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "log.eval").write_bytes(packed(log(sample(0))))
    assert here("report", tmp_path / "logs", "-o", tmp_path / "r.md").code == 0
    assert "accuracy" in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_a_damaged_entry_is_named(tmp_path: Path) -> None:
    data = packed(log(sample(0)))
    place = data.index(b"samples/q0_epoch_1.json") + 60
    path = tmp_path / "log.eval"
    path.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
    with pytest.raises(AssayError, match=r"log\.eval"):
        read_outputs(path)


def test_samples_that_ended_in_an_error(tmp_path: Path, here: Callable[..., Call]) -> None:
    """Their empty completion is no answer: scored as one, it would count as a text that says nothing."""
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log(sample(0), sample(1, chat=True), sample(2, failed=True))), encoding="utf-8")
    call = here("score", path, "-m", "rouge1")
    assert call.code == 1
    assert "sample 3 (q2): ended in an error (RuntimeError('no answer came'))" in call.err
    assert "--skip-bad" in call.err
    found = here("score", path, "-m", "rouge1", "--skip-bad", "--scores", path, "--json").json
    assert (found["n"], found["scores"]["rouge1"]["value"]) == (2, 1.0)
    assert any("could not be read" in note or "left out" in note for note in found["warnings"])


def harness(target: str, answers: list[Any], **numbers: Any) -> dict[str, Any]:
    return {
        "doc_id": 0, "doc": {"question": "How?"}, "target": target,
        "arguments": {"gen_args_0": {"arg_0": "How?", "arg_1": {"until": ["\n"], "max_gen_toks": 8}}},
        "resps": [answers], "filtered_resps": answers, "filter": "none", "metrics": list(numbers), "doc_hash": "1a",
        "prompt_hash": "47", "target_hash": "5f", **numbers,
    }  # fmt: skip


def test_several_targets_are_written_as_one_text(tmp_path: Path) -> None:
    row = harness("['Harbour 0 is calm.', 'Calm at 0.']", ["Calm at 0."], exact_match=0.0, bleu=["a", "b"])
    found = read_outputs(write_jsonl(tmp_path / "samples_quays_2026.jsonl", [row]))
    assert found.examples is not None
    assert list(found.examples[0].references) == ["Harbour 0 is calm.", "Calm at 0."]
    bracketed = harness("[not a list", ["x"])
    found = read_outputs(write_jsonl(tmp_path / "s.jsonl", [bracketed]))
    assert found.examples is not None
    assert list(found.examples[0].references) == ["[not a list"]


def test_choices_are_no_texts_but_have_numbers(tmp_path: Path, here: Callable[..., Call]) -> None:
    """A likelihood is written as a text and must not be scored as one."""
    row = harness("0", [["-0.6127", "False"], ["-0.6566", "False"]], acc=1.0)
    path = write_jsonl(tmp_path / "samples_choice.jsonl", [row | {"resps": [[["-0.6127", "False"]]]}])
    call = here("score", path, "-m", "rouge1")
    assert call.code == 1
    assert "answers are not texts (multiple choice?)" in call.err
    outputs = write_jsonl(tmp_path / "o.jsonl", [{"id": "0", "output": "calm", "references": ["calm"]}])
    assert here("score", outputs, "-m", "rouge1", "--scores", path, "--json").json["scores"]["acc"]["value"] == 1
    said = harness("calm", ["-0.5"], exact_match=0.0)  # a number that a model wrote is its answer
    assert read_outputs(write_jsonl(tmp_path / "n.jsonl", [said])).outputs[0].output == "-0.5"


def lighteval(path: Path, answers: list[list[str]], cleaned: list[list[str]] | None) -> Path:
    rows = [
        {
            "doc": {"query": "How?", "choices": [CALM[i], "Calm."], "gold_index": [0, 1] if i else [0], "id": str(i),
                    "task_name": "harbours|0", "specific": None, "fewshot_samples": [], "num_samples": 1},
            "model_response": {"input": "How?", "input_tokens": [1], "text": each, "output_tokens": [[3]],
                               "text_post_processed": cleaned[i] if cleaned else None, "logprobs": []},
            "metric": {"rouge1": 0.5, "exact": 1},
        }
        for i, each in enumerate(answers)
    ]  # fmt: skip
    polars.DataFrame(rows).write_parquet(path)
    return path


def test_lighteval_scores_what_it_cleaned(tmp_path: Path) -> None:
    thought = [[f"<think>hm</think>{text}"] for text in CALM[:2]]
    plain = lighteval(tmp_path / "details_a.parquet", [[text] for text in CALM[:2]], None)
    cleaned = lighteval(tmp_path / "details_b.parquet", thought, [[text] for text in CALM[:2]])
    for path in (plain, cleaned):
        assert [each.output for each in read_outputs(path).outputs] == CALM[:2]
    found = read_outputs(cleaned)
    assert found.examples is not None
    assert list(found.examples[1].references) == [CALM[1], "Calm."]


@pytest.mark.parametrize("form", ["parquet", "json", "csv"])
def test_a_table_logged_by_mlflow(form: str, tmp_path: Path) -> None:
    frame = polars.DataFrame({"inputs": ["How?"] * 4, "predictions": CALM, "ground_truth": CALM})
    path = tmp_path / f"eval_results_table.{form}"
    if form == "parquet":
        frame.write_parquet(path)
    elif form == "csv":
        frame.write_csv(path)
    else:
        path.write_text(json.dumps({"columns": frame.columns, "data": [list(row) for row in frame.rows()]}))
    found = assay.score(path, metrics="rouge1")
    assert (found.n, found.scores["rouge1"].value) == (4, 1.0)
