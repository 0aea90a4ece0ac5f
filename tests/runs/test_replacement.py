"""A run is replaced once and whole: killed anywhere, a folder holds the one run or the other, never some of each."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.records.digests import FileDigest
from assay.results.result import Result
from assay.runs.manifest import current, digests_of, read_manifest
from faulty_disk import stops

A = ["the cat sat on the mat", "a dog ran home", "it rained all day"]
B = ["cats sat on mats", "the dog ran to its home", "rain fell"]
REFERENCES = ["the cat sat on a mat", "the dog ran home", "it rained the whole day"]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.runs.saved_run.PAUSE", 0.0)  # the owner of a lock is this very process, and not gone
    monkeypatch.setattr("os.fsync", lambda handle: None)


def scored(outputs: list[str], folder: Path | None, metrics: str = "rouge1,lengths", force: bool = False) -> Result:
    system = "a" if outputs is A else "b"
    return assay.score(outputs, REFERENCES, metrics=metrics, save=folder, force=force, system=system, ci=20)


def held(folder: Path) -> dict[str, object]:
    """What a reader sees: numbers and texts, each from where it is to be read; and that they belong together."""
    result = assay.load_run(folder)
    for name, digest in digests_of(read_manifest(folder)).items():
        assert digest.change(current(folder, name)) is None, name
    texts = [json.loads(line)["output"] for line in current(folder, "outputs.jsonl").read_text().splitlines()]
    assert texts == (A if result.system == "a" else B)
    return {"system": result.system, "scores": result.scores}


def seen(result: Result) -> dict[str, object]:
    return {"system": result.system, "scores": result.scores}


def is_mixed(folder: Path) -> bool:
    """Whether somebody who looks at the files by themselves finds one run's numbers beside the other's texts."""
    file = folder / "run.json"
    if not file.exists():
        return False
    said = json.loads(file.read_text())["files"]["outputs.jsonl"]
    return str(said["sha256"]) != FileDigest.of(folder / "outputs.jsonl").sha256


Change = Callable[[Path], Result]
CHANGES: dict[str, Change] = {
    "another system": lambda folder: scored(B, folder, force=True),
    "the same computed again": lambda folder: scored(A, folder, force=True),
    "some of it computed again": lambda folder: scored(A, folder, "rouge1", force=True),
    "one more metric": lambda folder: scored(A, folder, "chrf"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_killed_anywhere_it_is_the_old_run_or_the_new_one(tmp_path: Path, change: str) -> None:
    """And the same call, given again, comes to the end it would have come to."""
    first, folder, other = tmp_path / "first", tmp_path / "run", tmp_path / "other"
    old = seen(scored(A, first))
    shutil.copytree(first, other)
    CHANGES[change](other)
    new = held(other)

    def prepare() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(first, folder)

    places = 0
    for stop_at in stops(lambda: CHANGES[change](folder), prepare):
        places += 1
        assert held(folder) in (old, new), stop_at
        assert not is_mixed(folder), stop_at
        if stop_at % 5 == 1:
            CHANGES[change](folder)
            assert held(folder) == new, stop_at
            assert {file.name for file in folder.iterdir()} == {file.name for file in other.iterdir()}, stop_at
            assert not list(folder.rglob("*.part")), stop_at
    assert held(folder) == new
    assert places > 20


def test_a_first_run_that_is_killed_is_no_run(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    whole = seen(scored(A, tmp_path / "whole"))
    for stop_at in stops(lambda: scored(A, folder), lambda: shutil.rmtree(folder, ignore_errors=True)):
        if (folder / "run.json").exists():
            assert held(folder) == whole, stop_at
        else:
            with pytest.raises(AssayError, match="not a finished run"):
                assay.load_run(folder)
        if stop_at % 5 == 1:
            assert seen(scored(A, folder)) == whole, stop_at
            assert held(folder) == whole, stop_at
            assert sorted(file.name for file in folder.iterdir()) == [
                "content", "examples.jsonl", "items.parquet", "log.jsonl", "outputs.jsonl", "run.json", "statistics"
            ]  # fmt: skip


def test_what_is_not_ours_stays_where_it_is(tmp_path: Path) -> None:
    scored(A, tmp_path)
    (tmp_path / "judgements.jsonl").write_text("{}\n")
    (tmp_path / "notes").mkdir()
    scored(B, tmp_path, force=True)
    assert (tmp_path / "judgements.jsonl").read_text() == "{}\n"
    assert (tmp_path / "notes").is_dir()


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    folder, outside = tmp_path / "run", tmp_path / "outside"
    scored(A, folder)
    scored(B, tmp_path / "b")
    shutil.copytree(tmp_path / "b", folder / ".replacement")
    shutil.rmtree(folder / "statistics")
    outside.mkdir()
    (folder / "statistics").symlink_to(outside)
    with pytest.raises(AssayError, match="a link stands where"):
        scored(B, folder)
    assert not list(outside.iterdir())
