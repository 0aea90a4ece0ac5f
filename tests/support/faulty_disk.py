"""A disk that stops in the middle: the n-th call that changes a file, and every one after it, does not happen."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest.mock import patch

from assay.records.locks import Lock

CHANGING = "open write replace rename unlink rmdir mkdir fsync ftruncate truncate chmod link symlink".split()


class KilledError(BaseException):
    """The process ended here; nothing that would tidy up may run."""


class Disk:
    """Counts the calls that change files, and stops at one of them."""

    def __init__(self, stop_at: int | None, full: bool = False) -> None:
        self.stop_at = stop_at
        self.full = full
        """Whether only this one call fails, for lack of room, and the program goes on from there."""
        self.calls = 0

    def wrap(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            if name == "open" and not (arguments[1] & (os.O_CREAT | os.O_WRONLY | os.O_RDWR)):
                return call(*arguments, **options)
            self.calls += 1
            if self.stop_at is not None and self.calls >= self.stop_at:
                if not self.full:
                    raise KilledError
                if self.calls == self.stop_at:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return None if name == "fsync" else call(*arguments, **options)  # which would only take its time

        return wrapped


@contextmanager
def stopping(stop_at: int | None = None, full: bool = False) -> Iterator[Disk]:
    """Work on a disk that stops at a call, as after SIGKILL; locks are then let go, as the kernel would."""
    disk = Disk(stop_at, full)
    locks: list[Lock] = []
    take = Lock._take

    def taken(lock: Lock) -> Any:
        locks.append(lock)
        return take(lock)

    calls: dict[str, Any] = {name: disk.wrap(name, getattr(os, name)) for name in CHANGING}
    with suppress(KilledError), patch.multiple("os", **calls), patch.object(Lock, "_take", taken):
        yield disk
    for lock in locks:
        if lock._handle is not None:
            os.close(lock._handle)
            lock._handle = None


def stops(work: Callable[[], object], prepare: Callable[[], object]) -> Iterator[int]:
    """Every place at which some work can be killed, each reached from the same beginning; one more than there are
    calls, so that the last is undisturbed."""
    prepare()
    with stopping() as counted:
        work()
    for stop_at in range(1, counted.calls + 2):
        prepare()
        with stopping(stop_at):
            work()
        yield stop_at
