"""`assay run status`: what is finished, being worked on, stopped, failed or skipped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.execution import measure
from assay.execution.scoring import score_outputs
from assay.records.locks import Lock
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
CONFIG = """
name = "mine"
ci = 0
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1", "bleu"]
[[systems]]
name = "lead"
system = "lead:k={k}"
[systems.matrix]
k = [1, 2]
[[systems]]
name = "absent"
outputs = "nowhere.jsonl"
"""


@pytest.fixture
def results(here: Run, tmp_path: Path) -> Path:
    rows = [{"id": f"{i}", "source": f"One {i}. Two y.", "references": ["One x."]} for i in range(9)]
    write_jsonl(tmp_path / "e.jsonl", rows)
    (tmp_path / "c.toml").write_text(CONFIG, encoding="utf-8")
    assert here("run", tmp_path / "c.toml", "-o", tmp_path / "out").code == 0
    return tmp_path / "out"


def test_every_run_of_a_results_folder(here: Run, results: Path) -> None:
    found = here("run", "status", results, "--json").json
    assert found["states"] == {"finished": 2, "skipped": 1}
    first = found["runs"][0]
    assert (first["system"], first["setting"], first["items"]) == ("lead-1", {"k": "1"}, 9)
    assert first["metrics"] == ["rouge", "bleu"]
    assert "nowhere.jsonl" in found["runs"][2]["why"]
    text = here("run", "status", results).out
    assert "3 runs: 2 finished, 1 skipped" in text
    assert "lead-2" in text


def test_one_that_is_being_written_names_who_is_at_it(here: Run, results: Path) -> None:
    with Lock.of_folder(results / "d" / "lead-1"):
        found = here("run", "status", results, "--json").json
    assert found["runs"][0]["state"] == "running"
    assert found["runs"][0]["by"].startswith("process ")
    assert here("run", "status", results / "d" / "lead-1", "--json").json["states"] == {"finished": 1}


def test_one_that_was_stopped_says_how_far_it_came(here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "SHARD", 2)
    outputs = {str(i): "the cat sat" for i in range(6)}

    class Stopped:
        def map(self, work, shards):  # type: ignore[no-untyped-def]
            yield from work(shards[0])
            yield from work(shards[1])
            raise KeyboardInterrupt

    from assay.execution.request import ScoreRequest

    request = ScoreRequest(metrics="bleu,chrf", references=dict.fromkeys(outputs, "a cat sat"), executor=Stopped())
    with pytest.raises(KeyboardInterrupt):
        score_outputs(outputs, request, tmp_path / "results" / "d" / "s")
    found = here("run", "status", tmp_path / "results", "--json").json
    assert found["states"] == {"stopped": 1}
    assert found["runs"][0]["shards"] == {"bleu": 2, "chrf": 2}
    assert "resume what was stopped" in here("run", "status", tmp_path / "results").out


def test_variants_of_a_metric_are_told_apart_and_a_shard_counts_once(
    here: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "SHARD", 2)
    outputs = {str(i): "the cat sat" for i in range(6)}

    class Stopped:
        def map(self, work, shards):  # type: ignore[no-untyped-def]
            yield from work(shards[0])
            yield from work(shards[0])  # as if it had been damaged, and made anew
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.score(
            outputs, dict.fromkeys(outputs, "a cat sat"), metrics="bleu,chrf,chrf:word_order=2", executor=Stopped(),
            save=tmp_path / "d" / "s",
        )  # fmt: skip
    (found,) = here("run", "status", tmp_path, "--json").json["runs"]
    assert sorted(found["shards"].values()) == [1, 1, 1]
    assert "bleu" in found["shards"]
    variants = {name for name in found["shards"] if name != "bleu"}
    assert variants == {folder.stem for folder in (tmp_path / "d/s/statistics").glob("chrf-*.partial")}


@pytest.mark.parametrize("kept", [[], ["items.parquet", "outputs.jsonl"]])
def test_one_that_was_killed_very_early_says_what_is_there(here: Run, tmp_path: Path, kept: list[str]) -> None:
    """Before the first shard is finished there is a lock of nobody, and perhaps the texts."""
    run = tmp_path / "d" / "s"
    run.mkdir(parents=True)
    for name in (".lock", ".examples.jsonl.part", *kept):
        (run / name).touch()
    for folder in (run, tmp_path):
        (found,) = here("run", "status", folder, "--json").json["runs"]
        assert (found["dataset"], found["system"], found["state"]) == ("d", "s", "stopped")
        said = ", ".join(kept) or "nothing"
        assert found["why"] == f"ended before the first shard was finished; {said} is kept"


def test_a_folder_without_runs_is_told_by_what_it_holds(here: Run, tmp_path: Path) -> None:
    assert "it is empty" in here("run", "status", tmp_path).err
    (tmp_path / "d").mkdir()
    for number in range(7):
        (tmp_path / "d" / f"{number}.txt").touch()
    assert "it contains d/0.txt, d/1.txt, d/2.txt, d/3.txt, d/4.txt, 2 more)" in here("run", "status", tmp_path).err


@pytest.mark.parametrize(("name", "said"), [("nowhere", "no such folder"), ("", "no run was started")])
def test_what_is_no_results_folder_is_one_line(here: Run, tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "empty").mkdir()
    call = here("run", "status", tmp_path / name if name else tmp_path / "empty")
    assert call.code == 1
    assert said in call.err


def test_a_folder_of_runs_that_were_saved_one_by_one_and_a_file(here: Run, tmp_path: Path) -> None:
    outputs = write_jsonl(tmp_path / "a.jsonl", [{"id": "1", "output": "a"}])
    for name in ("first", "second"):
        assay.score(outputs, ["a"], metrics="rouge1", save=tmp_path / "runs" / name)
    told = here("run", "status", tmp_path / "runs").out
    assert "runs         first" in told
    assert "2 runs: 2 finished" in told
    assert "is a file" in here("run", "status", outputs).err
