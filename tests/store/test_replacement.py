"""A run is replaced once and whole: killed anywhere, a folder holds the one run or the other, never some of each."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.errors import AssayError
from assay.execution.repair import repair
from assay.results.result import Result
from assay.store import replacement
from assay.store.run_manifest import digests_of, read_manifest
from assay.store.verify import check
from tests.support.faulty_disk import stops

A = ["the cat sat on the mat", "a dog ran home", "it rained all day"]
B = ["cats sat on mats", "the dog ran to its home", "rain fell"]
REFERENCES = ["the cat sat on a mat", "the dog ran home", "it rained the whole day"]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


def scored(outputs: list[str], folder: Path | None, metrics: str = "rouge1,lengths", force: bool = False) -> Result:
    system = "a" if outputs is A else "b"
    return assay.score(outputs, REFERENCES, metrics=metrics, save=folder, force=force, system=system, ci=20)


def held(folder: Path) -> dict[str, object]:
    """What a reader sees, and that numbers and texts belong together."""
    result = assay.load_run(folder)
    for name, digest in digests_of(read_manifest(folder)).items():
        assert digest.change(folder / name) is None, name
    texts = [json.loads(line)["output"] for line in (folder / "outputs.jsonl").read_text().splitlines()]
    assert texts == (A if result.system == "a" else B)
    return {"system": result.system, "scores": result.scores}


def seen(result: Result) -> dict[str, object]:
    return {"system": result.system, "scores": result.scores}


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
    names = {file.name for file in tmp_path.iterdir()} | {"first", "run", "other"}
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
        if stop_at % 5 == 1:
            CHANGES[change](folder)
            assert held(folder) == new, stop_at
            assert {file.name for file in folder.iterdir()} == {file.name for file in other.iterdir()}, stop_at
            assert not list(folder.rglob("*.part")), stop_at
            assert {file.name for file in tmp_path.iterdir()} == names, stop_at
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


@pytest.mark.parametrize("way", ["at once", "one after the other"])
def test_what_is_not_ours_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way != "at once":
        monkeypatch.setattr(replacement, "_exchange", lambda a, b: False)
    folder, first = tmp_path / "run", tmp_path / "first"
    scored(A, first)
    (first / "judgements.jsonl").write_text("{}\n")
    (first / "notes").mkdir()
    (first / "notes" / "mine.txt").write_text("mine")
    (first / "link").symlink_to("judgements.jsonl")
    new = seen(scored(B, None))

    def prepare() -> None:
        for left in ("run", ".run.new", ".run.old"):
            shutil.rmtree(tmp_path / left, ignore_errors=True)
        shutil.copytree(first, folder, symlinks=True)

    for stop_at in stops(lambda: scored(B, folder, force=True), prepare):
        if way == "at once":
            assert held(folder)["system"] in ("a", "b"), stop_at
            assert (folder / "judgements.jsonl").read_text() == "{}\n", stop_at
        if stop_at % 4 == 0:
            scored(B, folder, force=True)
            assert held(folder) == new, stop_at
            assert (folder / "notes" / "mine.txt").read_text() == "mine", stop_at
            assert (folder / "link").is_symlink(), stop_at
            assert sorted(file.name for file in tmp_path.iterdir()) == ["first", "run"], stop_at


@pytest.mark.parametrize("by", ["the next writer", "mending"])
def test_killed_after_the_old_run_has_gone_the_new_one_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    """Where folders cannot change places; whoever comes next has made the folder anew, to lock it."""
    folder = tmp_path / "run"
    scored(A, folder)
    (folder / "notes").mkdir()
    (folder / "notes" / "mine.txt").write_text("mine")
    rename = Path.rename

    def killed(self: Path, target: Path) -> Path:
        if self.name == ".run.new":
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(replacement, "_exchange", lambda a, b: False)
        patch.setattr(Path, "rename", killed)
        with pytest.raises(KeyboardInterrupt):
            scored(B, folder, force=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == [".run.new", ".run.old"]
    if by == "mending":
        (checked,) = check(folder)
        repair(checked)
    else:
        assert all(measurement.reused for measurement in scored(B, folder).measurements)
    assert held(folder) == seen(scored(B, None))
    assert (folder / "notes" / "mine.txt").read_text() == "mine"
    assert [file.name for file in tmp_path.iterdir()] == ["run"]


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    scored(A, tmp_path / "disk" / "run")
    (tmp_path / "run").symlink_to(tmp_path / "disk" / "run")
    scored(B, tmp_path / "run", force=True)
    assert (tmp_path / "run").is_symlink()
    assert held(tmp_path / "disk" / "run")["system"] == "b"


def test_the_current_folder_is_not_pulled_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scored(A, tmp_path)
    monkeypatch.chdir(tmp_path / "statistics")
    with pytest.raises(AssayError, match="cannot be replaced from inside"):
        scored(B, tmp_path, force=True)
    assert held(tmp_path)["system"] == "a"


def test_readers_never_see_half_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another process replaces a run again and again, whoever reads finds one of the two."""
    monkeypatch.setattr("assay.store.saved_run.PATIENCE", 30.0)
    folder = tmp_path / "run"
    both = [seen(scored(A, None)), seen(scored(B, None))]
    scored(A, folder)
    script = (
        "import sys, assay\n"
        f"texts, references = {[A, B]!r}, {REFERENCES!r}\n"
        "for i in range(1, 31):\n"
        "    assay.score(texts[i % 2], references, metrics='rouge1,lengths', save=sys.argv[1], force=True, ci=20,"
        " system='ab'[i % 2])\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(folder)])
    reads = 0
    while writer.poll() is None:
        assert seen(assay.load_run(folder)) in both
        reads += 1
    assert writer.returncode == 0
    assert reads > 20
