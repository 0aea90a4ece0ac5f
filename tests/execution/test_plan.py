"""The plan of a run, settings of a matrix, and computing only what changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.execution.config import read_config
from tests.conftest import Call, write_jsonl

Run = Callable[..., Call]
CONFIG = """
name = "mine"
ci = 0
[[datasets]]
name = "d"
examples = "e.jsonl"
metrics = ["rouge1", "bleu", "sari"]
[[systems]]
name = "given"
outputs = "{step}.jsonl"
[systems.matrix]
step = ["a", "b"]
[[systems]]
name = "lead"
system = "lead:k={k}"
[systems.matrix]
k = [1]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    rows = [{"id": f"{i}", "references": ["One x."], "source": "One x. Two y."} for i in range(6)]
    write_jsonl(tmp_path / "e.jsonl", [*rows[:5], {"id": "5", "references": ["x"], "source": "A b."}])
    for name in "ab":
        write_jsonl(tmp_path / f"{name}.jsonl", [{"id": f"{i}", "output": f"One {name}."} for i in range(6)])
    path = tmp_path / "c.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_a_plan_tells_what_is_computed_reused_asked_and_impossible(here: Run, config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    plan = here("run", config, "-o", out, "--plan", "--json").json
    assert not out.exists()
    assert [run["system"] for run in plan["plan"]] == ["given-a", "given-b", "lead-1"]
    assert plan["total"]["compute"] == 9
    assert plan["total"]["ask"] == 6
    assert isinstance(plan["plan"][0]["seconds"], float)  # of six short texts it may round to 0
    assert plan["plan"][2]["seconds"] is None
    assert here("run", config, "-o", out, "--only", "given").code == 0
    before = files(out)
    (tmp_path / "b.jsonl").unlink()
    again = here("run", config, "-o", out, "--plan", "--json").json["plan"]
    assert again[0]["reuse"] == ["rouge", "bleu", "sari"]
    assert again[0]["seconds"] == 0
    assert "no outputs at" in again[1]["why"]
    assert files(out) == before
    text = here("run", config, "-o", out, "--plan", "--engine", "processes", "--workers", "2").out
    assert "3 metrics to compute, 3 reused" in text
    assert "2 workers" in text


def test_a_skipped_metric_says_why(here: Run, config: Path, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "e.jsonl", [{"id": f"{i}", "references": ["One x."]} for i in range(6)])
    plan = here("run", config, "--plan", "--json", "--only", "given-a").json["plan"]
    assert plan[0]["skip"] == {"sari": "needs sources, and none were given"}


def test_only_what_changed_is_computed(here: Run, config: Path, tmp_path: Path) -> None:
    """A run of other outputs is refused, replaced by --changed, and no other is touched."""
    out = tmp_path / "out"
    assert here("run", config, "-o", out).code == 0
    kept = files(out / "d" / "given-a")
    write_jsonl(tmp_path / "b.jsonl", [{"id": f"{i}", "output": "One y."} for i in range(6)])
    refused = here("run", config, "-o", out, "--json")
    assert refused.code == 1
    assert "given-b on d first" in refused.err
    planned = here("run", config, "-o", out, "--plan", "--changed", "--json").json["plan"]
    assert [len(run["compute"]) for run in planned] == [0, 3, 0]
    assert here("run", config, "-o", out, "--changed").code == 0
    now = files(out / "d" / "given-a")
    log = str(out / "d" / "given-a" / "log.jsonl")
    assert {**now, log: b""} == {**kept, log: b""}
    assert "One y." in (out / "d/given-b/outputs.jsonl").read_text()


def test_a_system_whose_settings_changed_is_asked_again(here: Run, config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert here("run", config, "-o", out, "--only", "lead").code == 0
    config.write_text(CONFIG.replace('"lead:k={k}"', '"random-sentence:k={k}"'), encoding="utf-8")
    (planned,) = here("run", config, "-o", out, "--only", "lead", "--plan", "--json").json["plan"]
    assert "was made by another system" in planned["why"]
    assert here("run", config, "-o", out, "--only", "lead").code == 1
    before = files(out)
    (planned,) = here("run", config, "-o", out, "--only", "lead", "--plan", "--changed", "--json").json["plan"]
    assert (planned["ask"], len(planned["compute"]), planned["reuse"]) == (6, 3, [])
    assert files(out) == before
    assert here("run", config, "-o", out, "--only", "lead", "--changed").code == 0
    (planned,) = here("run", config, "-o", out, "--only", "lead", "--plan", "--json").json["plan"]
    assert (planned["ask"], planned["compute"], len(planned["reuse"])) == (0, [], 3)


def test_a_damaged_run_does_not_hide_the_others(here: Run, config: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert here("run", config, "-o", out).code == 0
    (out / "d" / "given-b" / "run.json").write_text("{", encoding="utf-8")
    runs = here("run", "status", out, "--json").json["runs"]
    assert [run["state"] for run in runs] == ["finished", "failed", "finished"]
    assert "given-b/run.json: damaged" in runs[1]["why"]


def test_a_number_of_a_matrix_stays_what_it_is(config: Path) -> None:
    config.write_text(CONFIG.replace("k = [1]", "k = [0.12345678, 0.12345679, 0.5]"), encoding="utf-8")
    read, _ = read_config(config)
    assert [system.system for system in read.systems[2:]] == ["lead:k=0.12345678", "lead:k=0.12345679", "lead:k=0.5"]


def test_a_matrix_is_one_entry_for_each_setting(config: Path) -> None:
    text = CONFIG.replace('"lead:k={k}"', '"lead:k={k}:seed={s}"').replace("k = [1]", "k = [1, 2]\ns = [3, 4]")
    config.write_text(text, encoding="utf-8")
    read, _ = read_config(config)
    assert [system.name for system in read.systems[2:]] == ["lead-1-3", "lead-1-4", "lead-2-3", "lead-2-4"]
    assert read.systems[3].system == "lead:k=1:seed=4"
    assert read.systems[3].sweep == "lead"
    assert read.systems[3].setting == {"k": "1", "s": "4"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("k = [1]", "k = []", "needs distinct values"),
        ("k = [1]", "k = [1, 1]", "needs distinct values"),
        ("k = [1]", "k = [1]\nj = [2]", "matrix.j has no effect"),
        ("k = [1]", "k = [1]\nseed = [2]", "another name"),
        ("k = [1]", "k = [1]\nK = [2]", "starts with a lower-case letter"),
        ("k = [1]", f"k = {list(range(10_001))}", "10,001 settings"),
    ],
)
def test_a_matrix_that_means_nothing_is_refused(config: Path, old: str, new: str, said: str) -> None:
    config.write_text(CONFIG.replace(old, new), encoding="utf-8")
    with pytest.raises(AssayError, match=said):
        read_config(config)
