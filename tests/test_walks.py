"""The walks of `examples/`: each script runs from its first command to its last, on data of no paper."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.systems_fixtures import Server
from tests.systems.test_completions import answer

EXAMPLES = Path(__file__).parents[1] / "examples"
Walk = Callable[[str], str]


@pytest.fixture
def walk(tmp_path: Path) -> Walk:
    """Return a function that runs a script in a new folder and returns what it prints."""

    def run(name: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", str(EXAMPLES / name), str(tmp_path)], capture_output=True, text=True, timeout=300,
            env=os.environ | {"PATH": path}, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run


@pytest.mark.slow
def test_frank_on_your_own_summaries(walk: Walk, tmp_path: Path) -> None:
    printed = walk("frank-own.sh")
    assert "lessons of the typology frank" in printed
    lessons = [json.loads(line) for line in (tmp_path / "lessons.jsonl").read_text().splitlines()]
    assert {lesson["part"] for lesson in lessons} == {"tutorial", "qualification"}
    taught = {lesson["text"] for lesson in lessons if lesson["part"] == "tutorial"}
    assert not taught & {lesson["text"] for lesson in lessons if lesson["part"] == "qualification"}
    assert "factual · 191 items of 24 inputs, 3 annotators" in printed
    assert "kind · 46 items" in printed
    table = printed[printed.index("model_name held constant") :]
    for metric in ("coverage", "rougeL", "novel-2"):  # of both files
        assert f"\n  {metric} " in table


@pytest.mark.slow
def test_tesa_from_a_raw_corpus(walk: Walk, tmp_path: Path) -> None:
    printed = walk("tesa-own.sh")
    assert "In this article, Eva Okoro and Gia Vale are discussed. The two people..." in printed  # no placeholder
    assert "160 documents with" in printed
    assert "Human ceiling, each annotator left out: 74.2 %" in printed
    assert "logistic is significantly better on map" in printed
    gold = [json.loads(line) for line in (tmp_path / "gold.jsonl").read_text().splitlines()]
    assert all(len(row["references"]) >= 1 for row in gold)


def test_equivalence_classes_of_your_own(walk: Walk, tmp_path: Path) -> None:
    printed = walk("classes-own.sh")
    assert "9 different spans of effect" in printed
    assert "adjusted Rand index 1.000" in printed
    assert "version 019d1dcda9a5" in printed
    assert "cough confused with" in printed  # names of classes
    assert "32 of 35 instances correct by the majority" in printed
    assert "ngram is significantly worse on eq_accuracy" in printed
    assert (tmp_path / "proposed.html").stat().st_size > 3000


@pytest.mark.slow
def test_span_annotation_to_model(walk: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    monkeypatch.setenv("EPOCHS", "1")
    printed = walk("spans-own.sh")
    assert "850 spans agreed, 50 kept by decision" in printed
    assert "train 240 · valid 30 · test 30" in printed
    assert "closed_correctly:schema=claims.toml" in printed
    assert "|text:without-markers-claims-" in printed
    target = json.loads((tmp_path / "splits/test.jsonl").read_text().splitlines()[0])
    assert target["references"][0].startswith("[CLAIM_START] [DOSE_START]")
    assert (tmp_path / "splits" / target["tags"]["schema"]).resolve() == (tmp_path / "claims.toml").resolve()


@pytest.mark.slow
def test_likelihoods_of_a_model_on_a_server(
    walk: Walk, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def behave(number: int, body: dict[str, object]) -> tuple[int, object]:
        if "messages" not in body:
            return answer(number, body)
        return 200, {"choices": [{"message": {"content": "The lift needs oil."}}], "usage": {}}

    server.behave = behave
    for name, value in {"SERVER": server.url, "NAME": "m", "DIALECT": "vllm", "SIZE": "6", "FEW": "2",
                        "ASSAY_CACHE": str(tmp_path / "cache")}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    printed = walk("likelihoods-own.sh")
    assert "12 answers in choices-model.jsonl" in printed
    assert "perplexity" in printed
    for by in ("fixed", "random", "nearest"):
        assert json.loads((tmp_path / f"{by}.jsonl.info.json").read_text())["shots"].startswith(f"3 {by} of 400 (")
    prompts = [body["messages"] for body in server.calls if "messages" in body]
    assert sorted(map(len, prompts)) == [1, 1, 7, 7, 7, 7, 7, 7]  # two items, without and with three demonstrations
    assert any("prompt_logprobs" in body for body in server.calls)


@pytest.mark.slow
def test_likelihoods_of_a_model_trained_here(walk: Walk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    for name, value in {"EPOCHS": "1", "SIZE": "4", "FEW": "2"}.items():
        monkeypatch.setenv(name, value)
    printed = walk("likelihoods-own.sh")
    assert "8 answers in choices-model.jsonl" in printed
    assert "4 answers in rankings-model.jsonl" in printed
    assert "bartscore" in printed
    assert json.loads((tmp_path / "nearest.jsonl.info.json").read_text())["shots"].startswith("3 nearest of 400 (")
