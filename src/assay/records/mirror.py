"""A folder that a URL names, to be written: made here, and copied there while it grows.

What is finished is added there every few seconds, so that whoever is killed has lost little, and the same command goes
on from there on any machine. Nothing that was there before is touched until the end.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.records.cache_folder import cache_home
from assay.records.locks import BusyError, Lock
from assay.records.remote import blaming_store, inner_name, store_of
from assay.records.remote_lock import RemoteLock, make_folder, repeated

Known = dict[str, tuple[str, int, int]]
MANIFESTS = ("run.json", "benchmark.json", "config.json")
"""Of a run, a benchmark and a trained model: they are the last to come, and tell that the rest is there."""
JOURNALS = ("unfinished.jsonl", "answers.jsonl.part")
"""They only ever grow, and say of what stands beside them that it is whole."""
OWN = re.compile(r"\..*\.lock|\.lock|\.mirror\.json")
"""What speaks of this machine: who writes what, which on another would stand in everybody's way; and our own notes."""
EVERY = 30.0
"""Seconds from one look for what is finished to the next."""


@contextmanager
def mirrored(url: str) -> Iterator[Path]:
    """A folder here for what a URL holds, copied there as it grows and at the end, manifests last, also after an error:
    what was computed stays."""
    with blaming_store(url):
        system, path = store_of(url)
    name = path.rstrip("/").rpartition("/")[2]
    if not name:
        raise AssayError(f"{url}: names no folder; write {url.rstrip('/')}/NAME")
    folder = cache_home() / "remote" / f"work-{hashlib.sha256(url.encode()).hexdigest()[:24]}" / name
    mirror = _Mirror(url, system, path.rstrip("/"), folder)
    with Lock.of_file(folder, url), mirror.lock.held():
        with blaming_store(url):
            mirror.pull()
            mirror.hold()  # of two who came at the same moment, one has it
        try:
            with repeated(mirror.add_finished, EVERY):
                yield folder
        except BaseException as error:
            if isinstance(error, AssayError):  # of what was asked for, not of where it is made
                error.args = (str(error).replace(str(folder), url.rstrip("/")),)
            try:
                mirror.push()
            except AssayError as another:
                if isinstance(error, AssayError):
                    raise AssayError(f"{error}; and {another}") from None
            raise
        mirror.push()


class _Mirror:
    """A folder there, and its copy here."""

    def __init__(self, url: str, system: Any, path: str, folder: Path) -> None:
        self.url, self.system, self.path, self.folder = url, system, path, folder
        self.lock = RemoteLock(url, system, path)
        self.known: Known = {}
        """Of every file that is the same in both places: what it is there, and its size and time here."""
        self.added: set[str] = set()
        """What was not there before us, and may be taken away again."""
        with suppress(OSError, msgspec.MsgspecError):
            self.known = msgspec.json.decode((folder / ".mirror.json").read_bytes(), type=Known)

    def hold(self) -> None:
        """Before anything is changed there."""
        if robber := self.lock.lost():
            raise BusyError(f"{self.url}: was taken over by {robber}; {self.folder} has what was computed here")

    def pull(self) -> None:
        """What is there and not here, or other than it was. What is only here was computed by one who was killed; what
        was there and is not was taken away by others."""
        self.folder.mkdir(parents=True, exist_ok=True)
        there = self._there()
        for name in self.known.keys() - there.keys():
            if _state(self.folder / name) == self.known.pop(name)[1:]:
                (self.folder / name).unlink()
                _remove_empty((self.folder / name).parent, self.folder)
        for name, file in there.items():
            state, to = str(self.system.ukey(file)), self.folder / name
            if self.known.get(name) != (state, *_state(to)):
                to.parent.mkdir(parents=True, exist_ok=True)
                part = to.with_name(f".{to.name}.part")  # killed here, half of it must not look like something of ours
                self.system.get_file(file, str(part))
                part.replace(to)
                self.known[name] = (state, *_state(to))
        self._note()

    def add_finished(self, stopped: Event) -> None:
        """Add what was not there, bring journals up to date, and take away what we have added and is gone: nothing of a
        run that was there before. Whoever reads there meanwhile finds that run, or one that is not finished."""
        here = self._here()
        order = {**dict.fromkeys(JOURNALS, 1), **dict.fromkeys(MANIFESTS, 2)}
        for name in sorted(here, key=lambda name: order.get(here[name].name, 0)):
            if stopped.is_set():
                return
            if _is_training(here[name].parent):
                continue
            if name not in self.known or (here[name].name in JOURNALS and self._differs(name)):
                with suppress(FileNotFoundError):  # put together with others meanwhile
                    self._send(name)
                    self.added.add(name)
        self._remove(self.added - {*self._here()})
        self._note()

    def push(self) -> None:
        """Make what is there the same as what is here."""
        with blaming_store(self.url):
            self.hold()
            there, here = self._there(), self._here()
            for name in sorted(here, key=lambda name: here[name].name in MANIFESTS):
                if name not in there or self._differs(name):
                    self._send(name)
            self._remove(there.keys() - here.keys())
            self._note()

    def _send(self, name: str) -> None:
        file, state = f"{self.path}/{name}", _state(self.folder / name)  # as it was before: it may grow meanwhile
        self.hold()
        make_folder(self.system, file)
        self.system.put_file(str(self.folder / name), file)
        self.system.invalidate_cache()
        self.known[name] = (str(self.system.ukey(file)), *state)

    def _remove(self, names: Set[str]) -> None:
        for name in names:
            self.hold()
            with suppress(FileNotFoundError):
                self.system.rm_file(f"{self.path}/{name}")
            self.known.pop(name, None)
            self.added.discard(name)
        for folder in {name.rpartition("/")[0] for name in names} - {""}:
            with suppress(Exception):  # not empty, or a store without folders
                self.system.rmdir(f"{self.path}/{folder}")

    def _differs(self, name: str) -> bool:
        known = self.known.get(name)
        return known is None or known[1:] != _state(self.folder / name)

    def _here(self) -> dict[str, Path]:
        """Files that are whole: what is being written has a name that begins with a point."""
        return {
            file.relative_to(self.folder).as_posix(): file
            for file in sorted(self.folder.rglob("*"))
            if file.is_file() and not OWN.fullmatch(file.name) and not (file.name[0] == "." and file.suffix == ".part")
        }

    def _there(self) -> dict[str, str]:
        self.system.invalidate_cache()
        found = self.system.find(self.path) if self.system.exists(self.path) else []
        named = {inner_name(self.url, file, self.path): file for file in found}
        return {name: file for name, file in named.items() if not OWN.fullmatch(file.rpartition("/")[2])}

    def _note(self) -> None:
        part = self.folder / ".mirror.json.part"
        part.write_bytes(msgspec.json.encode(self.known))
        part.replace(self.folder / ".mirror.json")


def _is_training(folder: Path) -> bool:
    """Whether a model is being made there, whose files are written over again and again."""
    finished = (folder / "config.json").exists() and not (folder / "checkpoint.safetensors").exists()
    return (folder / "losses.jsonl").exists() and not finished


def _remove_empty(folder: Path, top: Path) -> None:
    with suppress(OSError):
        while folder != top:
            folder.rmdir()
            folder = folder.parent


def _state(file: Path) -> tuple[int, int]:
    try:
        about = file.stat()
    except OSError:
        return -1, -1
    return about.st_size, about.st_mtime_ns
