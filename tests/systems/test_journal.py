"""Kept answers stay kept: through kills, full disks and damage at every place, and whoever else comes along."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.errors import AssayError
from assay.records import Example
from assay.records.locks import BusyError, Lock
from assay.systems.answering import Done, answer
from assay.systems.tasks import Generate
from tests.support.faulty_disk import stopping, stops
from tests.support.systems_fixtures import Failing

EXAMPLES = [Example(id=str(i), source="word " * i) for i in range(6)]


def counting(good: int = 100) -> Failing:
    """A system that knows what it was asked, and breaks after so many answers."""
    system = Failing()
    system.good = good
    return system


def ask(out: Path, system: Failing | None = None, force: bool = False) -> Done:
    return answer(Generate(), system or counting(), EXAMPLES, out, force=force)


def interrupted(out: Path, after: int) -> Failing:
    system = counting(after)
    with pytest.raises(AssayError, match=f"{after} of 6 answers are kept"):
        ask(out, system)
    return system


def kept(out: Path) -> set[str]:
    """The ids of what is in the unfinished file, or in the finished one."""
    part = out.with_name(f"{out.name}.part")
    lines = (part if part.exists() else out).read_bytes().split(b"\n")[:-1] if part.exists() or out.exists() else []
    return {json.loads(line)["id"] for line in lines if b'"id"' in line}


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda handle: None)


@pytest.fixture
def whole(tmp_path: Path) -> bytes:
    ask(tmp_path / "whole.jsonl")
    return (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.parametrize(("before", "cut"), [(0, b""), (4, b""), (4, b'{"id": "0", "outp')])
def test_killed_anywhere_nothing_is_lost_or_asked_twice(tmp_path: Path, whole: bytes, before: int, cut: bytes) -> None:
    out = tmp_path / "o.jsonl"
    systems: list[Failing] = []

    def prepare() -> None:
        for file in tmp_path.glob("*o.jsonl*"):
            file.unlink()
        systems[:] = [interrupted(out, before)] if before else []
        if cut:
            with out.with_name("o.jsonl.part").open("ab") as stream:
                stream.write(cut)  # killed in the middle of a line

    def work() -> None:
        systems.append(counting())
        ask(out, systems[-1])

    for stop_at in stops(work, prepare):
        asked = [id for system in systems for id in system.asked]
        lost = set(asked) - kept(out)
        assert len(lost) <= 1, stop_at  # the one that was being written
        last = counting()
        ask(out, last)
        assert out.read_bytes() == whole, stop_at
        assert set(last.asked) == {example.id for example in EXAMPLES} - (set(asked) - lost), stop_at
        assert {file.name for file in tmp_path.glob("*o.jsonl*")} == {"o.jsonl", "o.jsonl.info.json"}, stop_at


@pytest.mark.parametrize("before", [0, 4])
def test_a_full_disk_loses_nothing(tmp_path: Path, whole: bytes, before: int) -> None:
    out = tmp_path / "o.jsonl"
    with stopping() as counted:
        ask(tmp_path / "counted.jsonl")
    for stop_at in range(1, counted.calls + 3):
        for file in tmp_path.glob("*o.jsonl*"):
            file.unlink()
        first = interrupted(out, before) if before else counting()
        system = counting()
        said = "No space left"
        with stopping(stop_at, full=True):
            try:
                ask(out, system)
            except (AssayError, OSError) as error:
                said = str(error)
        assert "No space left" in said, stop_at
        lost = {*first.asked, *system.asked} - kept(out)
        assert len(lost) <= 1, stop_at
        assert not set(first.asked) & lost, stop_at
        ask(out)
        assert out.read_bytes() == whole, stop_at


def test_a_journal_is_only_added_to(tmp_path: Path) -> None:
    out, part = tmp_path / "o.jsonl", tmp_path / "o.jsonl.part"
    interrupted(out, 2)
    first = part.read_bytes()
    with part.open("ab") as stream:
        stream.write(b'{"id": "5", "out')
    before = part.stat().st_ino
    system = counting(2)
    with pytest.raises(AssayError, match="4 of 6 answers are kept"):
        ask(out, system)
    assert part.read_bytes().startswith(first)
    assert part.stat().st_ino == before


@pytest.mark.parametrize("damage", ["a letter", "no JSON", "an id that is none", "zeros"])
def test_a_damaged_line_is_asked_again_and_the_others_stay(tmp_path: Path, whole: bytes, damage: str) -> None:
    out, part = tmp_path / "o.jsonl", tmp_path / "o.jsonl.part"
    interrupted(out, 4)
    lines = part.read_bytes().split(b"\n")
    harmed = {
        "a letter": lines[2].replace(b"answer", b"answar"),
        "no JSON": lines[2][3:],
        "an id that is none": b'{"id": ["4"], "output": "x"}',
        "zeros": b"\0" * len(lines[2]),
    }
    lines[2] = harmed[damage]
    part.write_bytes(b"\n".join(lines))
    system = counting()
    done = ask(out, system)
    assert sorted(system.asked) == ["0", "1", "4"]
    assert "1 line was damaged and is asked again" in done.usage["warnings"][0]
    assert out.read_bytes() == whole


def test_a_changed_answer_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    ask(out)
    text = out.read_text()
    out.write_text(text.replace("answer 3", "answer 4"))
    with pytest.raises(AssayError, match=r"o\.jsonl:4: id 3: was changed since it was answered; .*--force"):
        ask(out)
    out.write_text(text)
    info = tmp_path / "o.jsonl.info.json"
    info.write_text(info.read_text().replace('"n": 6', '"n": 7'))
    with pytest.raises(AssayError, match=r"info\.json: damaged"):
        ask(out)
    assert ask(out, force=True).reused == 0


def test_files_of_earlier_versions_are_taken(tmp_path: Path, whole: bytes) -> None:
    out, part = tmp_path / "o.jsonl", tmp_path / "o.jsonl.part"
    interrupted(out, 4)
    rows = [json.loads(line) for line in part.read_text().splitlines()]
    part.write_text("".join(json.dumps({k: v for k, v in row.items() if k != "_check"}) + "\n" for row in rows))
    assert ask(out).reused == 4
    info = tmp_path / "o.jsonl.info.json"
    said = json.loads(info.read_text())
    info.write_text(json.dumps({key: said[key] for key in ("by", "task", "system", "n")}))
    assert ask(out).reused == 6
    assert out.read_bytes() == whole


def test_the_second_says_at_once_who_is_first(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    interrupted(out, 4)
    before = (tmp_path / "o.jsonl.part").read_bytes()
    with Lock.of_file(out):
        for force in (False, True):
            with pytest.raises(BusyError, match=rf"o\.jsonl: is being written by process {os.getpid()} .*Wait until"):
                ask(out, force=force)
    assert (tmp_path / "o.jsonl.part").read_bytes() == before
    assert ask(out).reused == 4
