"""Files of other tools as input: outputs, targets, prompts and numbers, and what is wrong with them in one line."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

import assay
from assay.errors import AssayError
from assay.records.read import read_outputs, read_systems
from tests.conftest import Call, write_jsonl

TEXTS = ["The cat sat.", "A dog ran.", "It rained."]


def harness(filter: str = "none", n: int = 3) -> list[dict[str, Any]]:
    return [
        {
            "doc_id": i, "doc": {"q": "x"}, "target": TEXTS[i],
            "arguments": {"gen_args_0": {"arg_0": f"Say {i}", "arg_1": {}}},
            "resps": [[f" {TEXTS[i]}"]], "filtered_resps": [TEXTS[i]], "filter": filter, "metrics": ["exact_match"],
            "doc_hash": "a", "prompt_hash": "b", "target_hash": "c", "exact_match": 1.0 if i else 0.0,
        }
        for i in range(n)
    ]  # fmt: skip


def log(epochs: int = 1) -> dict[str, Any]:
    samples = [
        {
            "id": i, "epoch": epoch, "input": [{"role": "user", "content": [{"type": "text", "text": f"Say {i}"}]}],
            "target": TEXTS[i], "output": {"completion": TEXTS[i], "choices": []},
            "scores": {"match": {"value": "C" if i else "I"}, "judge": {"value": 0.5, "answer": "x"}},
        }
        for epoch in range(1, epochs + 1)
        for i in range(3)
    ]  # fmt: skip
    return {"version": 2, "status": "success", "eval": {"task": "t", "model": "openai/gpt"}, "samples": samples}


def archive(value: dict[str, Any]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("header.json", json.dumps({key: each for key, each in value.items() if key != "samples"}))
        for sample in value["samples"]:
            file.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    return made.getvalue()


def lighteval(path: Path, old: bool = False) -> Path:
    if old:
        rows: list[dict[str, Any]] = [
            {"full_prompt": "Say", "predictions": str([text]), "gold": [text], "metrics": {"em": 1.0}} for text in TEXTS
        ]
    else:
        rows = [
            {
                "doc": {"query": "Say", "choices": [text, "no"], "gold_index": [0], "id": str(i)},
                "model_response": {"text": [text], "input": "Say"},
                "metric": {"em": 1.0},
            }
            for i, text in enumerate(TEXTS)
        ]
    polars.DataFrame(rows).write_parquet(path)
    return path


def mlflow(path: Path) -> Path:
    path.mkdir(parents=True)
    columns = ["inputs", "ground_truth", "outputs", "answer_similarity/v1/score"]
    table = {"columns": columns, "data": [["Say", text, text, 4] for text in TEXTS]}
    (path / "eval_results_table.json").write_text(json.dumps(table))
    return path


def saved(path: Path) -> Path:
    """As `Dataset.save_to_disk` leaves it."""
    path.mkdir()
    (path / "state.json").write_text("{}")
    for number, some in enumerate((TEXTS[:2], TEXTS[2:])):
        frame = polars.DataFrame({"prediction": some, "reference": some})
        frame.write_ipc_stream(path / f"data-0000{number}-of-00002.arrow")
    return path


def paths(folder: Path) -> dict[str, Path]:
    (folder / "log.json").write_text(json.dumps(log()))
    (folder / "log.eval").write_bytes(archive(log()))
    shards = folder / "hub" / "data"
    shards.mkdir(parents=True)
    polars.DataFrame({"prediction": TEXTS, "reference": TEXTS}).write_parquet(shards / "test-00000-of-00001.parquet")
    return {
        "harness": write_jsonl(folder / "samples_t.jsonl", harness()),
        "inspect": folder / "log.json",
        "archive": folder / "log.eval",
        "lighteval": lighteval(folder / "details.parquet"),
        "old lighteval": lighteval(folder / "old.parquet", old=True),
        "mlflow": mlflow(folder / "run" / "artifacts").parent,
        "saved": saved(folder / "saved"),
        "hub": folder / "hub",
    }


@pytest.mark.parametrize(
    "kind", ["harness", "inspect", "archive", "lighteval", "old lighteval", "mlflow", "saved", "hub"]
)
def test_each_is_scored_as_it_is(kind: str, tmp_path: Path) -> None:
    found = assay.score(paths(tmp_path)[kind], metrics="rouge1,bleu")
    assert found.n == 3
    assert found.scores["rouge1"].value == 1


def test_prompts_models_and_epochs(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(json.dumps(log(2)))
    found = read_outputs(tmp_path / "log.json")
    assert found.system == "openai/gpt"
    assert found.ids == ["0", "1", "2", "0 (2)", "1 (2)", "2 (2)"]
    assert found.examples is not None
    assert (found.examples[3].parent, found.examples[3].source) == ("0", "Say 0")
    made = read_outputs(write_jsonl(tmp_path / "s.jsonl", harness()))
    assert made.examples is not None
    assert made.examples[1].source == "Say 1"


def test_numbers_of_the_tool_stand_beside_ours(tmp_path: Path) -> None:
    path = paths(tmp_path)
    found = assay.score(path["harness"], metrics="rouge1", scores=path["harness"], ci=50)
    assert found.scores["exact_match"].value == pytest.approx(2 / 3)
    assert found.scores["exact_match"].low is None  # three items
    found = assay.score(path["archive"], metrics="rouge1", scores=path["archive"])
    assert found.scores["match"].value == pytest.approx(2 / 3)
    assert found.scores["judge"].value == 0.5
    found = assay.score(path["mlflow"], metrics="rouge1", scores=path["mlflow"])
    assert found.scores["answer_similarity.v1"].value == 4


def test_two_logs_of_one_model_keep_their_own_scores(here: Callable[..., Call], tmp_path: Path) -> None:
    better = log()
    for name, value in (("a", log()), ("b", better)):
        (tmp_path / f"{name}.eval").write_bytes(archive(value))
        for sample in better["samples"]:
            sample["scores"]["match"]["value"] = "C"
    files = [tmp_path / "a.eval", tmp_path / "b.eval"]
    call = here("compare", *files, "-m", "rouge1", "--scores", files[0], "--scores", files[1], "--json")
    assert call.json["metrics"]["match"]["a"] == pytest.approx(2 / 3)
    assert call.json["metrics"]["match"]["b"] == 1


def test_several_filters_and_splits_have_to_be_chosen(here: Callable[..., Call], tmp_path: Path) -> None:
    both = write_jsonl(tmp_path / "s.jsonl", [*harness("strict"), *harness("flexible")])
    call = here("score", both, "-m", "rouge1")
    assert call.code == 1
    assert "2 filters (strict, flexible). Choose one with --dataset" in call.err
    assert here("score", both, "-m", "rouge1", "--dataset", "strict", "--json").json["n"] == 3
    (tmp_path / "dict").mkdir()
    for split in ("train", "test"):
        saved(tmp_path / "dict" / split)
    (tmp_path / "dict" / "dataset_dict.json").write_text("{}")
    call = here("score", tmp_path / "dict", "-m", "rouge1")
    assert "has the splits test, train. Choose one with --dataset" in call.err
    assert here("score", tmp_path / "dict", "-m", "rouge1", "--dataset", "test", "--json").json["n"] == 3


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("s.jsonl", json.dumps(harness()[0] | {"filtered_resps": [[-1.2, False]]}), "answers are not texts"),
        ("log.json", json.dumps(log() | {"samples": [{"id": 1, "output": {}}]}), "sample 1: has no completion"),
        ("log.json", json.dumps(log() | {"samples": [3]}), "sample 1: has no id"),
        ("t.json", json.dumps({"columns": ["outputs"], "data": [[1, 2]]}), "row 1: not a list of 1 cells"),
        ("log.eval", "PK\x03\x04broken", "not an archive of inspect_ai"),
        ("log.json", json.dumps(log() | {"samples": [{"id": 1, "output": {"choices": 3}}]}), "is incomplete"),
        ("log.json", json.dumps(log() | {"samples": [log()["samples"][0] | {"scores": [1]}]}), "is incomplete"),
    ],
)
def test_damage_is_one_line(name: str, content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(AssayError, match=said) as refused:
        read_outputs(tmp_path / name)
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)


def test_one_file_with_many_systems(here: Callable[..., Call], tmp_path: Path) -> None:
    rows = [{"id": str(i), "output": text, "system": "good"} for i, text in enumerate(TEXTS * 8)]
    rows += [{"id": str(i), "output": "The end.", "system": "bad"} for i in range(24)]
    many = write_jsonl(tmp_path / "many.jsonl", rows)
    examples = write_jsonl(
        tmp_path / "e.jsonl", [{"id": str(i), "references": [text]} for i, text in enumerate(TEXTS * 8)]
    )
    assert [each.system for each in read_systems(many)] == ["good", "bad"]
    call = here("score", many, "-e", examples, "-m", "rouge1")
    assert call.code == 0
    assert [line.split(" · ")[0] for line in call.out.splitlines() if " · 24 outputs" in line] == ["good", "bad"]
    out = tmp_path / "items.jsonl"
    call = here(
        "score", many, "-e", examples, "-m", "rouge1", "--json", "--save", tmp_path / "runs", "--per-example", out
    )
    found = call.json["systems"]
    assert {name: one["n"] for name, one in found.items()} == {"good": 24, "bad": 24}
    assert found["good"]["scores"]["rouge1"]["value"] == 1 > found["bad"]["scores"]["rouge1"]["value"]
    assert [json.loads(line)["system"] for line in out.read_text().splitlines()] == ["good"] * 24 + ["bad"] * 24
    again = here("compare", tmp_path / "runs" / "good", tmp_path / "runs" / "bad", "--json").json
    assert again["metrics"]["rouge1"]["a"] == 1
    found = here("score", many, "-e", examples, "-m", "rouge1", "--system", "good", "--per-example", out, "--json").json
    assert (found["system"], found["scores"]["rouge1"]["value"]) == ("good", 1)
    assert json.loads(out.read_text().splitlines()[0])["system"] == "good"
    call = here("score", many, "-e", examples, "-m", "rouge1", "--system", "god")
    assert "no system god among 2 systems" in call.err
    found = here("compare", many, "-e", examples, "-m", "rouge1", "--json").json
    assert found["metrics"]["rouge1"]["a"] == 1
    assert here("compare", many, "-e", examples, "--system", "good").code == 2
    assert here("table", many, "-e", examples, "-m", "rouge1").out.count("good") == 1
    assert list(assay.score_all(many, examples=examples, metrics="rouge1")) == ["good", "bad"]
    assert assay.score(many, examples=examples, metrics="rouge1", system="bad").system == "bad"


def test_a_number_where_a_name_belongs_is_no_name(tmp_path: Path) -> None:
    odd = [row | {"filter": 3 + i} for i, row in enumerate(harness())]
    assert read_outputs(write_jsonl(tmp_path / "s.jsonl", odd)).ids == ["0", "1", "2"]


def test_items_that_are_of_one_system_each(here: Callable[..., Call], tmp_path: Path) -> None:
    """As in FRANK: an item is one summary of an article, so no system has answered all of them."""
    ids = [f"{article}/{system}" for article in "abc" for system in ("p", "q")]
    outputs = [{"id": id, "output": TEXTS[i % 3], "system": id[-1]} for i, id in enumerate(ids)]
    examples = write_jsonl(tmp_path / "e.jsonl", [{"id": id, "references": [TEXTS[0]]} for id in ids])
    many = write_jsonl(tmp_path / "many.jsonl", outputs)
    found = here("score", many, "-e", examples, "-m", "rouge1", "--json").json["systems"]
    assert {name: one["n"] for name, one in found.items()} == {"p": 3, "q": 3}
    for name, one in found.items():
        alone = here("score", many, "-e", examples, "-m", "rouge1", "--system", name, "--allow-missing", "--json").json
        assert one["scores"]["rouge1"]["value"] == alone["scores"]["rouge1"]["value"]
    short = write_jsonl(tmp_path / "short.jsonl", outputs[:-1])
    call = here("score", short, "-e", examples, "-m", "rouge1")
    assert (call.code, call.err.count("\n")) == (1, 1)
    assert "no output of p for 1 id of" in call.err
    assert "c/q" in call.err
    assert here("score", short, "-e", examples, "-m", "rouge1", "--allow-missing").code == 0


def test_a_system_that_is_no_name_of_a_folder(here: Callable[..., Call], tmp_path: Path) -> None:
    rows = [{"id": "1", "output": "a", "system": name} for name in ("../up", "down")]
    many = write_jsonl(tmp_path / "many.jsonl", rows)
    call = here("score", many, "-m", "ttr", "--save", tmp_path / "runs")
    assert (call.code, (tmp_path / "up").exists()) == (1, False)
    assert "'../up' cannot be a folder name" in call.err
