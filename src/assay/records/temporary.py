"""Temporary folders that do not stay: gone with what they were made for, with the process, or with the next one."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from weakref import finalize

from assay.records.locks import FLAGS, Lock, flock

YOUNG = 60.0
"""Seconds in which a folder may be somebody's who has not locked it yet."""


def temporary_folder(prefix: str, owner: object) -> Path:
    """A folder that nobody else may look into, for as long as there is its owner. What was left by processes that were
    killed is taken away first: texts are not public."""
    home = Path(tempfile.gettempdir())
    for folder in home.glob(f"{prefix}*"):
        _remove_abandoned(folder)
    made = Path(tempfile.mkdtemp(prefix=prefix))
    lock = Lock.of_folder(made)
    lock.acquire()
    finalize(owner, _remove, made, lock)
    return made


def _remove(folder: Path, lock: Lock) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    lock.release()


def _remove_abandoned(folder: Path) -> None:
    """If it is ours, and locked by nobody."""
    try:
        about = folder.lstat()
        if about.st_uid != os.geteuid() or folder.is_symlink() or time.time() - about.st_mtime < YOUNG:
            return
        handle = os.open(folder / ".lock", FLAGS & ~os.O_CREAT)  # without one it is no folder of ours
    except (OSError, AttributeError):
        return
    try:
        if flock(handle):
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)
