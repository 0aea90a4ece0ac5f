"""One writer at a time, and no lock that outlives its owner."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from assay.errors import AssayError
from assay.records import locks
from assay.records.locks import BusyError, Lock, Owner

HOLDER = """
import sys, time
from pathlib import Path
from assay.records.locks import Lock
lock = Lock.of_folder(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
time.sleep(60)
"""

COUNTER = """
import sys
from pathlib import Path
from assay.records.locks import Lock
folder = Path(sys.argv[1])
for _ in range(40):
    with Lock.of_folder(folder).waiting(60):
        number = int((folder / "number").read_text())
        (folder / "number").write_text(str(number + 1))
"""


@pytest.fixture
def no_kernel_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr("fcntl.flock", refuse)


def held_by(folder: Path, **changes: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / ".lock").write_bytes(msgspec.json.encode(msgspec.structs.replace(Owner.me(), **changes)))
    return folder


def test_a_lock_says_who_has_it_and_dies_with_them(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    start = time.monotonic()
    with pytest.raises(BusyError, match=rf"{tmp_path}: is being written by process {holder.pid} \(-c .*Wait until"):
        Lock.of_folder(tmp_path).acquire()
    assert time.monotonic() - start < 1
    assert locks.owner_of(tmp_path / ".lock") is not None
    holder.kill()
    holder.wait()
    assert locks.owner_of(tmp_path / ".lock") is None
    with Lock.of_folder(tmp_path) as lock:
        assert lock.held
    assert not list(tmp_path.iterdir())


def test_nothing_is_counted_twice_or_lost(tmp_path: Path) -> None:
    (tmp_path / "number").write_text("0")
    workers = [subprocess.Popen([sys.executable, "-c", COUNTER, str(tmp_path)]) for _ in range(3)]
    assert [worker.wait(120) for worker in workers] == [0, 0, 0]
    assert (tmp_path / "number").read_text() == "120"
    assert [file.name for file in tmp_path.iterdir()] == ["number"]


def test_another_machine_is_believed(tmp_path: Path) -> None:
    """The kernel here knows of no owner, but may know nothing of theirs."""
    held_by(tmp_path, host="elsewhere", boot="another")
    with pytest.raises(BusyError, match=r"on elsewhere .*delete .*\.lock if it is not running any more"):
        Lock.of_folder(tmp_path).acquire()
    held_by(tmp_path, boot="before the restart")
    with Lock.of_folder(tmp_path) as lock:
        assert lock.held


@pytest.mark.parametrize("text", ["", "no JSON", '{"pid": "x"}'])
def test_a_file_that_names_nobody_is_nobodys(tmp_path: Path, text: str) -> None:
    (tmp_path / ".lock").write_text(text)
    with Lock.of_folder(tmp_path) as lock:
        assert lock.held
        with pytest.raises(BusyError):
            Lock.of_folder(tmp_path).acquire()


@pytest.mark.usefixtures("no_kernel_locks")
def test_without_locks_of_the_kernel_the_process_is_looked_for(tmp_path: Path) -> None:
    with Lock.of_folder(tmp_path), pytest.raises(BusyError, match=f"process {os.getpid()}"):
        Lock.of_folder(tmp_path).acquire()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for changes in ({"pid": gone.pid}, {"started": "1"}):  # ended; another process with the same number
        held_by(tmp_path, **changes)
        with Lock.of_folder(tmp_path) as lock:
            assert lock.held
        assert not (tmp_path / ".lock").exists()


def test_folders_made_for_a_lock_do_not_stay(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with Lock.of_folder(folder):
        assert folder.is_dir()
    assert not list(tmp_path.iterdir())
    with Lock.of_folder(folder):
        (folder / "file").touch()
    assert (folder / "file").exists()


def test_a_lock_is_an_error_of_ours() -> None:
    assert issubclass(BusyError, AssayError)


def test_a_lock_of_nobody_is_to_be_deleted_where_the_kernel_knows_none(tmp_path: Path, no_kernel_locks: None) -> None:
    """Killed between making the file and saying who made it: nobody can tell, and it would be waited for for ever."""
    (tmp_path / ".lock").touch()
    with pytest.raises(BusyError, match=r"by another process. Wait, or delete .*/\.lock if it is not running any more"):
        Lock.of_folder(tmp_path).acquire()
    (tmp_path / ".lock").unlink()
    with Lock.of_folder(tmp_path):
        pass
