"""A lock on a remote folder: a file with its owner and a heartbeat, so that there is one writer at a time."""

from __future__ import annotations

import os
import platform
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event
from typing import Any

import msgspec

from assay.records.locks import BusyError, Owner
from assay.records.remote import blaming_store

BEAT = 15.0
"""Seconds between two heartbeats."""
SILENCE = 60.0
"""Seconds without a heartbeat after which a writer counts as dead."""
READ_ATTEMPTS = 5
"""Number of attempts to read a lock that is not valid JSON."""


class _Claim(Owner, frozen=True):
    """The owner of a remote lock, with a counter that grows at each heartbeat."""

    beat: int = 0
    token: str = ""
    """Random identifier of this claim."""
    space: str = ""
    """Process namespace: containers of one machine can have equal process ids."""

    def is_here(self) -> bool:
        return super().is_here() and self.host == platform.node() and self.space == _space()

    def is_gone(self) -> bool:
        """Return whether the process has ended; this is only known for processes of the same namespace."""
        return self.is_here() and super().is_gone()


class RemoteLock:
    """The lock of one remote folder."""

    def __init__(self, url: str, system: Any, folder: str) -> None:
        self.url, self.system = url, system
        self.lock = f"{folder}/.lock"
        self.beat, self.token = 0, secrets.token_hex(8)
        self.new_owner = ""
        """The writer that has taken the lock over."""
        self._at_lock = threading.Lock()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock in this context. Stores without atomic writes allow a race in rare cases."""
        with blaming_store(self.url):
            self._wait_until_free()
            make_folder(self.system, self.lock)
            self._claim()
        try:
            with repeated(self._heartbeat, BEAT):
                yield
        finally:
            with suppress(Exception):
                if not self.lost():
                    self.system.rm_file(self.lock)

    def _claimed(self) -> _Claim | None:
        for _ in range(READ_ATTEMPTS):
            self.system.invalidate_cache()
            with suppress(msgspec.DecodeError, UnicodeDecodeError):
                try:
                    return msgspec.json.decode(self.system.cat_file(self.lock), type=_Claim)
                except FileNotFoundError:
                    return None
            time.sleep(0.1)  # on a disk the file may be only half written
        return None

    def _owner(self) -> _Claim | None:
        """Return the writer, unless it is this process: its local lock shows that an earlier run has ended."""
        owner = self._claimed()
        return None if owner and owner.is_here() and owner.pid == os.getpid() else owner

    def _wait_until_free(self) -> None:
        """Wait until the last writer counts as dead; raise an error if it shows a heartbeat.

        Times are not compared, because the clocks of two machines can differ.
        """
        first, since = self._owner(), time.monotonic()
        while (owner := self._owner()) is not None and not owner.is_gone():
            if owner != first or owner.is_here():
                raise BusyError(f"{self.url}: is being written by {owner}. Wait until it has finished.")
            if time.monotonic() - since > SILENCE:
                return
            time.sleep(min(1.0, SILENCE / 10))

    def _claim(self) -> None:
        self.beat += 1
        me = msgspec.structs.asdict(Owner.me())
        claim = _Claim(**me, beat=self.beat, token=self.token, space=_space())
        self.system.pipe_file(self.lock, msgspec.json.encode(claim))

    def _heartbeat(self, stopped: Event) -> None:
        with self._at_lock:
            if not self._taken_by():
                self._claim()

    def lost(self) -> str:
        """Return the writer that has taken the lock over, or "". The lock is read again."""
        with self._at_lock:
            return self._taken_by()

    def _taken_by(self) -> str:
        if not self.new_owner and ((claim := self._claimed()) is None or claim.token != self.token):
            self.new_owner = str(claim or "a process that has finished")
        return self.new_owner


@contextmanager
def repeated(work: Callable[[Event], None], every: float) -> Iterator[None]:
    """Repeat work in a background thread. Errors are ignored, because a store may answer the next time."""
    stopped = Event()

    def repeat() -> None:
        while not stopped.wait(every):
            with suppress(Exception):
                work(stopped)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def make_folder(system: Any, file: str) -> None:
    """Create the folder of a file."""
    with suppress(OSError, NotImplementedError):  # stores without folders need none
        system.makedirs(file.rpartition("/")[0], exist_ok=True)


def _space() -> str:
    """Return the process namespace, or "" if it is unknown."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115
    except OSError:
        return ""
