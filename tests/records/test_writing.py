"""Files are put in place whole, what killed processes left is used again, and devices stay devices."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from assay.records.files import append_line, replacing, write_text
from assay.records.temporary import temporary_folder
from tests.support.faulty_disk import stopping, stops


def test_killed_anywhere_the_file_is_old_or_new_and_the_next_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"

    def prepare() -> None:
        for left in tmp_path.iterdir():
            left.unlink()
        write_text(file, "old")

    for _ in stops(lambda: write_text(file, "new"), prepare):
        assert file.read_text() in ("old", "new")
        write_text(file, "newer")
        assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~mask


def test_a_failure_leaves_no_folder_behind(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    for file in ("new/folder/a.txt", "old/a.txt"):
        with suppress(KeyError), replacing(tmp_path / file) as stream:
            stream.write("half")
            raise KeyError
    assert [path.name for path in tmp_path.rglob("*")] == ["old"]


def test_folders_that_others_use_stay(tmp_path: Path) -> None:
    with suppress(KeyError), replacing(tmp_path / "new" / "folder" / "a.txt") as stream:
        stream.write("half")
        (tmp_path / "new" / "b.txt").write_text("mine")
        raise KeyError
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["b.txt", "new"]


def test_two_at_once_do_not_meet(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    with replacing(file) as first, replacing(file) as second:
        first.write("first")
        second.write("second")
    assert file.read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("kind", ["link", "hard link"])
def test_what_stands_where_we_write_is_not_written_through(tmp_path: Path, kind: str) -> None:
    precious, file = tmp_path / "precious", tmp_path / "a.txt"
    precious.write_text("mine")
    beside = tmp_path / ".a.txt.part"
    beside.symlink_to(precious) if kind == "link" else os.link(precious, beside)
    write_text(file, "new")
    assert precious.read_text() == "mine"
    assert file.read_text() == "new"


def test_a_device_and_a_pipe_stay_what_they_are(tmp_path: Path) -> None:
    write_text(Path(os.devnull), "x")
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_line_that_was_cut_off_stays_the_only_one(tmp_path: Path) -> None:
    log = tmp_path / "log"
    append_line(log, "one")
    with log.open("ab") as stream:
        stream.write(b"tw")
    append_line(log, "three")
    assert log.read_text() == "one\ntw\nthree\n"


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    refused = 0
    for stop_at in range(1, 9):
        write_text(file, "old")
        with stopping(stop_at, full=True):
            try:
                write_text(file, "new")
            except OSError:
                refused += 1
                assert file.read_text() == "old"
        write_text(file, "newer")
        assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert refused > 2


def test_temporary_folders_go_with_their_owner_or_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("assay.records.temporary.GRACE", 0.0)

    class Owner:
        pass

    first, second = Owner(), Owner()
    one = temporary_folder("assay-test-", first)
    two = temporary_folder("assay-test-", second)
    assert one.is_dir()  # locked, so it is somebody's
    assert stat.S_IMODE(one.stat().st_mode) == 0o700
    del first
    assert not one.exists()
    left = tmp_path / "assay-test-left"
    left.mkdir()
    (left / ".lock").touch()
    others = tmp_path / "assay-test-others"
    others.mkdir()
    third = Owner()
    temporary_folder("assay-test-", third)
    assert not left.exists()
    assert others.exists()  # it has no lock, so it was not made here
    assert two.exists()
