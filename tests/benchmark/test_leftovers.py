"""Leftovers of a killed process: folders with texts of submissions are removed by the next one."""

from __future__ import annotations

import os
import time
from pathlib import Path

from assay.benchmark.submission_store import INCOMING
from assay.execution.run_entry import TRACEBACK, _why
from assay.records.temporary import remove_abandoned


def test_abandoned_folders_are_removed(tmp_path: Path) -> None:
    for name, age in (("old", 3600), ("new", 1)):
        folder = tmp_path / f"{INCOMING}{name}"
        folder.mkdir()
        (folder / "submission.json").write_text("private")
        os.utime(folder, (time.time() - age,) * 2)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"{INCOMING}link").symlink_to(tmp_path / "elsewhere")
    remove_abandoned(tmp_path, INCOMING)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{INCOMING}link", f"{INCOMING}new", "elsewhere"]
    remove_abandoned(tmp_path, INCOMING, age=0.0)  # by the holder of the lock
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{INCOMING}link", "elsewhere"]


def test_tracebacks_are_private_and_have_no_texts(tmp_path: Path) -> None:
    try:
        raise KeyError("a private text")
    except KeyError as error:
        why = _why(error, tmp_path)
    assert str(tmp_path / TRACEBACK) in why
    assert "a private text" not in (tmp_path / TRACEBACK).read_text().replace('raise KeyError("a private text")', "")
    assert (tmp_path / TRACEBACK).stat().st_mode & 0o77 == 0
