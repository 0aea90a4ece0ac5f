"""`assay store verify`: damage of every kind is found, and what can be computed again is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.execution.run_config import run_config
from assay.records.locks import Lock
from assay.store.config_records import Config, Dataset, System
from tests.conftest import write_jsonl

Run = Callable[..., Any]
OUTPUTS = [f"the cat number {i} sat" for i in range(12)]
REFERENCES = [f"the cat number {i} sat on the mat" for i in range(12)]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "run"
    assay.score(OUTPUTS, REFERENCES, metrics="rouge1,bleu,ngrams", ci=50, save=folder, system="cats")
    return folder


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    shutil.copytree(saved, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder with judgements, answers and a group of seeds."""
    home = tmp_path_factory.mktemp("made")
    rows = [{"id": str(i), "source": f"One {i}. Two.", "references": [f"One {i}."]} for i in range(6)]
    judged = [{"id": str(i), "system": "lead", "annotator": "a", "criterion": "q", "value": i % 5} for i in range(6)]
    examples, judgements = write_jsonl(home / "e.jsonl", rows), write_jsonl(home / "j.jsonl", judged)
    config = Config(
        name="mine", ci=20,
        datasets=[Dataset(name="d", examples=str(examples), judgements=str(judgements), metrics=["rouge1"])],
        systems=[System(name="lead", system="lead:k=1"), System(name="any", system="random-sentence", seeds=[1, 2])],
    )  # fmt: skip
    assert not run_config(config, home / "results").missing
    return home / "results"


def flip(file: Path, place: float = 0.5, bit: int = 1) -> None:
    data = bytearray(file.read_bytes())
    data[int(len(data) * place)] ^= bit
    file.write_bytes(data)


def scores(folder: Path) -> Any:
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))["scores"]


def test_a_whole_run(here: Run, saved: Path) -> None:
    call = here("store", "verify", saved)
    assert call.code == 0
    assert "run · 7 files · whole" in call.out
    found = here("store", "verify", saved.parent, "--json").json
    assert found["whole"] is True
    assert [(one["kind"], one["files"], one["findings"]) for one in found["checked"]] == [("run", 7, [])]


@pytest.mark.parametrize("name", ["run.json", "items.parquet", "content", "statistics/rouge*", "statistics/tokens*"])
@pytest.mark.parametrize("harm", ["flipped", "zeroed", "cut", "gone"])
def test_what_can_be_computed_is(here: Run, saved: Path, folder: Path, name: str, harm: str) -> None:
    file = next(folder.glob(name))
    if harm == "flipped":
        flip(file)
    elif harm == "zeroed":
        file.write_bytes(bytes(file.stat().st_size))
    elif harm == "cut":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    else:
        file.unlink()
    call = here("store", "verify", folder)
    assert call.code == 1
    assert file.name in call.err
    assert call.err.count("\n") == 1
    mended = here("store", "verify", folder, "--repair")
    if (name, harm) == ("run.json", "gone"):  # then it is a run that was not finished
        assert "run the same command again" in mended.err
        assay.score(OUTPUTS, REFERENCES, metrics="rouge1,bleu,ngrams", ci=50, save=folder, system="cats")
    else:
        assert mended.code == 0, mended.err
        assert "recomputed from its texts" in mended.out
    assert scores(folder) == scores(saved)
    assert assay.load_run(folder).scores == assay.load_run(saved).scores
    assert here("store", "verify", folder).code == 0


def test_statistics_of_another_run_are_not_taken(here: Run, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assay.score(REFERENCES, OUTPUTS, metrics="rouge1", save=other)
    shutil.copy(next(other.glob("statistics/rouge*")), next(folder.glob("statistics/rouge*")))
    assert "rouge" in here("store", "verify", folder).err
    assert here("score", folder).code == 1
    assert here("store", "verify", folder, "--repair").code == 0


def test_texts_cannot_be_computed(here: Run, folder: Path) -> None:
    flip(folder / "outputs.jsonl")
    call = here("store", "verify", folder, "--repair")
    assert call.code == 1
    assert "outputs.jsonl first (not the texts that were scored: its content has changed)" in call.err
    flip(next(folder.glob("statistics/rouge*")))
    call = here("store", "verify", folder, "--repair", "--json")
    assert call.json["whole"] is False
    assert "missing or damaged" in call.json["not_mended"][0]
    assay.score(OUTPUTS, REFERENCES, metrics="lengths", save=folder, system="cats")  # writes the texts anew
    assert here("store", "verify", folder, "--repair").code == 0


def test_texts_that_were_taken_away_are_no_damage(here: Run, folder: Path) -> None:
    (folder / "outputs.jsonl").unlink()
    call = here("store", "verify", folder)
    assert call.code == 0
    assert "outputs.jsonl: removed; scores do not need the texts" in call.out


def test_folders_of_earlier_versions_get_digests(here: Run, saved: Path, folder: Path) -> None:
    file = folder / "run.json"
    said = json.loads(file.read_text(encoding="utf-8"))
    old = {key: value for key, value in said.items() if key not in ("files", "digest")}
    file.write_text(json.dumps(old), encoding="utf-8")
    shown = here("score", folder)
    assert shown.code == 0
    assert "saved without digests" in " ".join(shown.err.split())
    assert here("store", "verify", folder).code == 1
    assert "digests added" in here("store", "verify", folder, "--repair").out
    assert json.loads(file.read_text(encoding="utf-8"))["files"] == said["files"]
    old["scores"]["rouge1"]["value"] += 0.01
    file.write_text(json.dumps(old), encoding="utf-8")
    assert f"has rouge1 {old['scores']['rouge1']['value']}, the statistics give" in here("store", "verify", folder).out
    assert here("store", "verify", folder, "--repair").code == 0
    assert scores(folder) == scores(saved)


def test_what_killed_processes_left_is_taken_away(here: Run, folder: Path) -> None:
    for name in (".lock", ".run.json.part", "statistics/.rouge.parquet.x1.part"):
        (folder / name).touch()
    (folder.parent / ".run.new").mkdir()
    assert here("store", "verify", folder).code == 1
    assert here("store", "verify", folder, "--repair").code == 0
    assert not [*folder.glob("**/.*"), *folder.parent.glob(".*")]
    with Lock.of_folder(folder):
        call = here("store", "verify", folder)
        assert call.code == 0
        assert "is being written by process" in call.out


@pytest.mark.parametrize(
    ("file", "mended"),
    [
        ("results.json", False), ("groups.json", True), ("d/examples.jsonl", False), ("d/judgements.jsonl", False),
        ("d/lead/run.json", True), ("d/any-1/items.parquet", True), ("d/lead/answers.jsonl", False),
        ("d/lead/answers.jsonl.info.json", False),
    ],
)  # fmt: skip
def test_a_results_folder(here: Run, made: Path, tmp_path: Path, file: str, mended: bool) -> None:
    results = tmp_path / "results"
    shutil.copytree(made, results)
    assert here("store", "verify", results).code == 0
    flip(results / file)
    call = here("store", "verify", results)
    assert call.code == 1
    assert Path(file).name in call.err
    assert (here("store", "verify", results, "--repair").code == 0) == mended
    if mended:
        assert here("store", "verify", results).code == 0


def test_a_lock_that_a_killed_run_left(here: Run, made: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(made, results)
    (results / ".lock").touch()
    assert here("store", "verify", results).code == 1
    assert here("store", "verify", results, "--repair").code == 0
    assert not (results / ".lock").exists()


def test_unfinished_answers(here: Run, tmp_path: Path) -> None:
    part = tmp_path / "o.jsonl.part"
    part.write_text('{"by": "x"}\n{"id": "a", "output": "x"}\nnot json\n')
    call = here("store", "verify", tmp_path / "o.jsonl")
    assert call.code == 1
    assert "2 problems found" in call.err
    assert "not finished: 1 answers are kept" in call.out


def test_what_is_neither(here: Run, tmp_path: Path) -> None:
    call = here("store", "verify", tmp_path)
    assert call.code == 1
    assert "neither a saved run, nor a results folder, nor answers" in call.err


def test_the_former_name_of_repair_is_accepted_and_not_shown(here: Run, made: Path) -> None:
    assert here("store", "verify", made, "--mend").code == 0
    assert "--mend" not in here("store", "verify", "--help").out
