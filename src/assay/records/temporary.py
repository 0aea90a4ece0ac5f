"""Temporary folders that are removed with their owner, at the end of the process, or by the next process."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from weakref import finalize

from assay.records.locks import FLAGS, Lock, flock

GRACE = 60.0
"""Seconds in which the process that creates a folder may not have locked it yet."""


ABANDONED = 600.0
"""Seconds after which an unfinished folder belongs to a killed process: filling one takes less than a second."""


def remove_abandoned(folder: Path, prefix: str, age: float = ABANDONED) -> None:
    """Remove unfinished folders of killed processes below a folder: they can hold texts that are not public.

    Those changed in the last `age` seconds stay; a caller who holds the lock of the folder passes 0.
    """
    for old in folder.glob(f"{prefix}*"):
        with suppress(OSError):
            if not old.is_symlink() and old.is_dir() and time.time() - old.stat().st_mtime >= age:
                shutil.rmtree(old, ignore_errors=True)


def temporary_folder(prefix: str, owner: object) -> Path:
    """Create a private folder that exists as long as its owner object.

    Folders of killed processes are removed first, because they can hold texts that are not public.
    """
    home = Path(tempfile.gettempdir())
    for old in home.glob(f"{prefix}*"):
        _remove_abandoned(old)
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    lock = Lock.of_folder(folder)
    lock.acquire()
    finalize(owner, _remove, folder, lock)
    return folder


def _remove(folder: Path, lock: Lock) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    lock.release()


def _remove_abandoned(folder: Path) -> None:
    """Remove a folder of this user that no process has locked."""
    try:
        about = folder.lstat()
        if about.st_uid != os.geteuid() or folder.is_symlink() or time.time() - about.st_mtime < GRACE:
            return
        handle = os.open(folder / ".lock", FLAGS & ~os.O_CREAT)  # folders of other programs have none
    except (OSError, AttributeError):
        return
    try:
        if flock(handle):
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)
