"""Benchmarks that make their outputs themselves: configs, some systems only, what fails and what goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.execution.config import read_config
from tests.conftest import Call, write_jsonl
from tests.support.systems_fixtures import Server

Run = Callable[..., Call]

CONFIG = """
name = "mine"
ci = 0
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1"]
[[systems]]
name = "lead"
system = "lead:k=1"
[[systems]]
name = "chance"
system = "random-sentence"
seeds = [1, 2]
"""


def test_a_run_sees_that_its_training_examples_changed(here: Run, tmp_path: Path) -> None:
    rows = [{"id": "a", "source": "One x. Two y.", "references": ["One x."]}]
    write_jsonl(tmp_path / "e.jsonl", rows)
    write_jsonl(tmp_path / "t.jsonl", rows)
    config = tmp_path / "c.toml"
    text = CONFIG.replace('examples = "e.jsonl"', 'examples = "e.jsonl"\ntrain = "t.jsonl"')
    config.write_text(text.replace("lead:k=1", "frequency"), encoding="utf-8")
    assert here("run", config, "-o", tmp_path / "out").code == 0
    write_jsonl(tmp_path / "t.jsonl", [{"id": "a", "references": ["Other."]}])
    stale = here("run", config, "-o", tmp_path / "out")
    assert stale.code == 1
    assert "learned from" in stale.out + stale.err
    assert here("run", config, "-o", tmp_path / "out", "--force").code == 0
    assert "Other." in (tmp_path / "out/d/lead/answers.jsonl").read_text()


def test_run_makes_outputs_itself(here: Run, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One x. Two y. Three z.", "references": ["One x."]}])
    config = tmp_path / "c.toml"
    config.write_text(CONFIG, encoding="utf-8")
    call = here("run", config, "-o", tmp_path / "out", "--json")
    assert [run["system"] for run in call.json["runs"]] == ["lead", "chance-1", "chance-2"]
    groups = json.loads((tmp_path / "out/groups.json").read_text())["groups"]
    row = next(row for row in groups if row["number"] == "rouge1")
    scores = [
        json.loads((tmp_path / f"out/d/chance-{i}/run.json").read_text())["scores"]["rouge1"]["value"] for i in (1, 2)
    ]
    assert row["mean"] == pytest.approx(sum(scores) / 2)
    assert row["runs"] == 2
    again = here("run", config, "-o", tmp_path / "out", "--system", "lead:k=2")
    assert "lead-k-2" in again.out
    assert "1 reused" in again.out
    assert here("report", tmp_path / "out", "-o", tmp_path / "r.html").code == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('system = "lead:k=1"', ""), "needs either outputs or system"),
        (('system = "lead:k=1"', 'system = "hf:{model}"'), "uses {model} but has no recipe"),
    ],
)
def test_bad_configs(here: Run, tmp_path: Path, change: tuple[str, str], message: str) -> None:
    config = tmp_path / "c.toml"
    config.write_text(CONFIG.replace(*change), encoding="utf-8")
    call = here("run", config, "-o", tmp_path / "out")
    assert call.code == 1
    assert message in call.err


@pytest.mark.parametrize("where", ["first", "last"])
def test_an_unreadable_dataset_does_not_end_the_others(here: Run, tmp_path: Path, where: str) -> None:
    write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One x. Two y.", "references": ["One x."]}])
    (tmp_path / "broken.jsonl").write_text("{broken\n", encoding="utf-8")
    head, system = CONFIG.split("[[systems]]")[:2]
    broken = '[[datasets]]\nname = "b"\nexamples = "broken.jsonl"\nmetrics = ["rouge1"]\n'
    start, own = head.split("[[datasets]]")
    datasets = [broken, f"[[datasets]]{own}"] if where == "first" else [f"[[datasets]]{own}", broken]
    config = tmp_path / "c.toml"
    config.write_text("".join([start, *datasets, f"[[systems]]{system}"]), encoding="utf-8")
    call = here("run", config, "-o", tmp_path / "out")
    assert call.code == 1
    assert "broken.jsonl" in call.out + call.err
    assert (tmp_path / "out/d/lead/run.json").is_file()
    states = {(run["dataset"], run["state"]) for run in here("run", "status", tmp_path / "out", "--json").json["runs"]}
    assert states == {("d", "finished"), ("b", "failed")}


@pytest.mark.parametrize("plan", [True, False])
def test_remedies_are_those_of_a_config(here: Run, tmp_path: Path, plan: bool) -> None:
    """`assay run` advised options of `assay score`, which it does not have."""
    write_jsonl(tmp_path / "e.jsonl", [{"id": str(i), "references": ["One."]} for i in range(3)])
    write_jsonl(tmp_path / "o.jsonl", [{"id": "1", "output": "One."}])
    (tmp_path / "broken.jsonl").write_text('{"id": "1"}\n{broken\n', encoding="utf-8")
    config = tmp_path / "c.toml"
    datasets = [f'[[datasets]]\nname = "{n}"\nexamples = "{n}.jsonl"\nmetrics = ["chrf"]\n' for n in ("e", "broken")]
    text = "".join([*datasets, '[[systems]]\nname = "a"\noutputs = "o.jsonl"\n'])
    config.write_text(f'name = "n"\n{text}', encoding="utf-8")
    call = here("run", config, "-o", tmp_path / "out", *(["--plan"] if plan else []))
    assert "--" not in call.out
    assert "score the common items with `allow_missing = true` at the top of the config." in call.out
    assert "Fix the line.\n" in call.out
    config.write_text(f'name = "n"\nallow_missing = true\n{text}', encoding="utf-8")
    assert "no output" not in here("run", config, "-o", tmp_path / "out", "--only", "a").out


def test_only_some_systems(here: Run, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "e.jsonl", [{"id": "a", "source": "One x. Two y.", "references": ["One x."]}])
    config = tmp_path / "c.toml"
    config.write_text(CONFIG, encoding="utf-8")
    call = here("run", config, "-o", tmp_path / "out", "--only", "chance", "--json")
    assert [run["system"] for run in call.json["runs"]] == ["chance-1", "chance-2"]
    here("run", config, "-o", tmp_path / "out", "--only", "lead")
    entries = json.loads((tmp_path / "out/results.json").read_text("utf-8"))["entries"]
    assert [entry["system"] for entry in entries] == ["lead", "chance-1", "chance-2"]  # what was there is kept
    wrong = here("run", config, "-o", tmp_path / "out", "--only", "laed")
    assert wrong.code == 2
    assert "did you mean lead" in wrong.err


def test_a_server_that_is_down_fails_the_run_and_keeps_the_rest(here: Run, server: Server, tmp_path: Path) -> None:
    """Other systems are scored, finished answers are kept, the exit code is 1, and the same command goes on."""
    rows = [{"id": str(i), "source": f"One {i}. Two.", "references": [f"One {i}."]} for i in range(8)]
    write_jsonl(tmp_path / "e.jsonl", rows)
    config = tmp_path / "c.toml"
    spec = f"chat:toy:base={server.url}:backoff=0.01:retries=0:concurrency=1:cache=none"
    config.write_text(CONFIG.replace("random-sentence", spec).replace("seeds = [1, 2]", ""), encoding="utf-8")
    server.behave = lambda number, body: (200, server.answer("ok")) if number < 3 else (500, {})
    call = here("run", config, "-o", tmp_path / "out")
    assert call.code == 1
    assert "1 of 2 runs failed, chance on d first" in call.err
    assert "3 of 8 answers are kept" in call.err
    assert (tmp_path / "out/d/lead/run.json").exists()
    assert not (tmp_path / "out/d/chance/run.json").exists()
    asked = len(server.calls)
    server.behave = lambda number, body: (200, server.answer("ok"))
    again = here("run", config, "-o", tmp_path / "out", "--json")
    assert again.code == 0
    assert len(server.calls) == asked + 5
    assert [run["system"] for run in again.json["runs"]] == ["lead", "chance"]


@pytest.mark.parametrize(
    ("name", "only"),
    [
        ("eks", "lead-3"), ("tesa", "random"), ("tesa", "frequency"),
        pytest.param("fomc", "lead", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_examples_take_any_model_unchanged(here: Run, tiny: Path, tmp_path: Path, name: str, only: str) -> None:
    """The example files as they are, with one more model given by its folder: all of its tasks run and are scored."""
    config = Path(__file__).parents[2] / "examples" / f"{name}.toml"
    call = here("run", config, "-o", tmp_path / "out", "--only", only, "--system", f"hf:{tiny}:max_new=3", "--json")
    assert call.code == 0, call.err
    assert call.json["failed"] == []
    settings, _ = read_config(config)
    asked = {(run["dataset"], Path(run["path"]).name == only) for run in call.json["runs"]}
    assert {(dataset.name, False) for dataset in settings.datasets} <= asked
    assert here("report", tmp_path / "out", "-o", tmp_path / "report.html").code == 0
