"""One writer at a time in a folder that a URL names: a file there says who, and changes as long as they live."""

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
"""Seconds from one sign of life to the next."""
SILENCE = 60.0
"""Seconds without one after which a writer is taken for dead."""
GLANCES = 5
"""How often a lock that cannot be read is looked at."""


class _Claim(Owner, frozen=True):
    """Who writes there, with a number that grows as long as they live."""

    beat: int = 0
    token: str = ""
    """Of this one claim, and no other's."""
    space: str = ""
    """Where its process has its number: containers of one machine each have a first process."""

    def is_here(self) -> bool:
        return super().is_here() and self.host == platform.node() and self.space == _space()

    def is_gone(self) -> bool:
        """Only of a process of this very place it can be told: machines, too, may have the same name."""
        return self.is_here() and super().is_gone()


class RemoteLock:
    """The lock of one folder there."""

    def __init__(self, url: str, system: Any, folder: str) -> None:
        self.url, self.system = url, system
        self.lock = f"{folder}/.lock"
        self.beat, self.token = 0, secrets.token_hex(8)
        self.robbed = ""
        """Who has taken us for dead."""
        self._at_lock = threading.Lock()

    @contextmanager
    def held(self) -> Iterator[None]:
        """One writer at a time, as far as the store lets us say so."""
        with blaming_store(self.url):
            self._wait_for_silence()
            make_folder(self.system, self.lock)
            self._claim()
        try:
            with repeated(self._show_life, BEAT):
                yield
        finally:
            with suppress(Exception):
                if not self.lost():
                    self.system.rm_file(self.lock)

    def _claimed(self) -> _Claim | None:
        for _ in range(GLANCES):
            self.system.invalidate_cache()
            with suppress(msgspec.DecodeError, UnicodeDecodeError):
                try:
                    return msgspec.json.decode(self.system.cat_file(self.lock), type=_Claim)
                except FileNotFoundError:
                    return None
            time.sleep(0.1)  # a disk shows files that are being written
        return None

    def _owner(self) -> _Claim | None:
        """Who writes there, unless it was this process, whose own lock says that it no longer does."""
        owner = self._claimed()
        return None if owner and owner.is_here() and owner.pid == os.getpid() else owner

    def _wait_for_silence(self) -> None:
        """Refuse where somebody is at work. Whether one on another machine is alive only their beat can tell: clocks of
        two machines need not agree."""
        first, since = self._owner(), time.monotonic()
        while (owner := self._owner()) is not None and not owner.is_gone():
            if owner != first or owner.is_here():
                raise BusyError(f"{self.url}: is being written by {owner}; wait until it is done")
            if time.monotonic() - since > SILENCE:
                return
            time.sleep(min(1.0, SILENCE / 10))

    def _claim(self) -> None:
        self.beat += 1
        me = msgspec.structs.asdict(Owner.me())
        claim = _Claim(**me, beat=self.beat, token=self.token, space=_space())
        self.system.pipe_file(self.lock, msgspec.json.encode(claim))

    def _show_life(self, stopped: Event) -> None:
        with self._at_lock:
            if not self._robber():
                self._claim()

    def lost(self) -> str:
        """Who has taken us for dead, asked anew: a process that was asleep may not know yet for how long."""
        with self._at_lock:
            return self._robber()

    def _robber(self) -> str:
        """Also one who is done, and has taken the lock away."""
        if not self.robbed and ((claim := self._claimed()) is None or claim.token != self.token):
            self.robbed = str(claim or "somebody who is done")
        return self.robbed


@contextmanager
def repeated(work: Callable[[Event], None], every: float) -> Iterator[None]:
    """Something that is done again and again beside what is done meanwhile. A store that does not answer now may do so
    the next time; whether it ever did is seen at the end."""
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
    """For a file to be put in."""
    with suppress(OSError, NotImplementedError):  # stores without folders need none
        system.makedirs(file.rpartition("/")[0], exist_ok=True)


def _space() -> str:
    """The numbers that processes have here are those of this space."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115
    except OSError:
        return ""
