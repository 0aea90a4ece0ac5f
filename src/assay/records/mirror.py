"""Writing to a remote folder: files are written to a local copy and uploaded while it grows.

Finished files are uploaded every few seconds. A killed run loses little, and the same command resumes it on any
machine. Files that were there before are not changed until the end.
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
MANIFESTS = ("run.json", "results.json", "config.json")
"""Manifests of a run, a benchmark and a trained model. Uploaded last: a manifest means that all files exist."""
JOURNALS = ("unfinished.jsonl", "answers.jsonl.part")
"""Journals that only grow and list the finished files next to them."""
OWN = re.compile(r"\..*\.lock|\.lock|\.mirror\.json")
"""Files of this machine that are not uploaded: locks and the state of the mirror."""
INTERVAL = 30.0
"""Seconds between two uploads of finished files."""


@contextmanager
def mirrored(url: str) -> Iterator[Path]:
    """Provide a local folder for a URL, and upload it while it grows and at the end, also after an error."""
    with blaming_store(url):
        system, path = store_of(url)
    name = path.rstrip("/").rpartition("/")[2]
    if not name:
        raise AssayError(f"{url}: the name of a folder is missing. Use {url.rstrip('/')}/NAME.")
    folder = cache_home() / "remote" / f"work-{hashlib.sha256(url.encode()).hexdigest()[:24]}" / name
    mirror = _Mirror(url, system, path.rstrip("/"), folder)
    with Lock.of_file(folder, url), mirror.lock.held():
        with blaming_store(url):
            mirror.pull()
            mirror.check_lock()  # of two processes that started at the same time, one has it
        try:
            with repeated(mirror.add_finished, INTERVAL):
                yield folder
        except BaseException as error:
            if isinstance(error, AssayError):  # name the URL instead of the local folder
                error.args = (str(error).replace(str(folder), url.rstrip("/")),)
            try:
                mirror.push()
            except AssayError as another:
                if isinstance(error, AssayError):
                    raise AssayError(f"{error}; and {another}") from None
            raise
        mirror.push()


class _Mirror:
    """A remote folder and its local copy."""

    def __init__(self, url: str, system: Any, path: str, folder: Path) -> None:
        self.url, self.system, self.path, self.folder = url, system, path, folder
        self.lock = RemoteLock(url, system, path)
        self.known: Known = {}
        """Files that are equal in both folders: remote version, local size and time."""
        self.added: set[str] = set()
        """Files that this process has added, and may remove."""
        with suppress(OSError, msgspec.MsgspecError):
            self.known = msgspec.json.decode((folder / ".mirror.json").read_bytes(), type=Known)

    def check_lock(self) -> None:
        """Check before each change of the remote folder that the lock is still held."""
        if owner := self.lock.lost():
            raise BusyError(f"{self.url}: was taken over by {owner}. Results of this run are in {self.folder}.")

    def pull(self) -> None:
        """Download files that are new or changed, and remove local copies of files that were removed remotely.

        Files that exist only locally are results of a killed run and stay.
        """
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
                part = to.with_name(f".{to.name}.part")  # half a file must not look like a result if this is killed
                self.system.get_file(file, str(part))
                part.replace(to)
                self.known[name] = (state, *_state(to))
        self._note()

    def add_finished(self, stopped: Event) -> None:
        """Upload new files and changed journals, and remove files that this process added and has deleted.

        Files of an earlier run stay: a reader finds that run, or an unfinished one.
        """
        here = self._here()
        order = {**dict.fromkeys(JOURNALS, 1), **dict.fromkeys(MANIFESTS, 2)}
        for name in sorted(here, key=lambda name: order.get(here[name].name, 0)):
            if stopped.is_set():
                return
            if _is_training(here[name].parent):
                continue
            if name not in self.known or (here[name].name in JOURNALS and self._differs(name)):
                with suppress(FileNotFoundError):  # merged with others in the meantime
                    self._send(name)
                    self.added.add(name)
        self._remove(self.added - {*self._here()})
        self._note()

    def push(self) -> None:
        """Make the remote folder equal to the local one."""
        with blaming_store(self.url):
            self.check_lock()
            there, here = self._there(), self._here()
            for name in sorted(here, key=lambda name: here[name].name in MANIFESTS):
                if name not in there or self._differs(name):
                    self._send(name)
            self._remove(there.keys() - here.keys())
            self._note()

    def _send(self, name: str) -> None:
        file, state = f"{self.path}/{name}", _state(self.folder / name)  # first: it may grow during the upload
        self.check_lock()
        make_folder(self.system, file)
        self.system.put_file(str(self.folder / name), file)
        self.system.invalidate_cache()
        self.known[name] = (str(self.system.ukey(file)), *state)

    def _remove(self, names: Set[str]) -> None:
        for name in names:
            self.check_lock()
            with suppress(FileNotFoundError):
                self.system.rm_file(f"{self.path}/{name}")
            self.known.pop(name, None)
            self.added.discard(name)
        for folder in {name.rpartition("/")[0] for name in names} - {""}:
            with suppress(Exception):  # it is not empty, or the store has no folders
                self.system.rmdir(f"{self.path}/{folder}")

    def _differs(self, name: str) -> bool:
        known = self.known.get(name)
        return known is None or known[1:] != _state(self.folder / name)

    def _here(self) -> dict[str, Path]:
        """Return complete local files; the name of a file that is being written starts with a dot."""
        return {
            file.relative_to(self.folder).as_posix(): file
            for file in sorted(self.folder.rglob("*"))
            if file.is_file() and not OWN.fullmatch(file.name) and not (file.name[0] == "." and file.suffix == ".part")
        }

    def _there(self) -> dict[str, str]:
        self.system.invalidate_cache()
        files = self.system.find(self.path) if self.system.exists(self.path) else []
        named = {inner_name(self.url, file, self.path): file for file in files}
        return {name: file for name, file in named.items() if not OWN.fullmatch(file.rpartition("/")[2])}

    def _note(self) -> None:
        part = self.folder / ".mirror.json.part"
        part.write_bytes(msgspec.json.encode(self.known))
        part.replace(self.folder / ".mirror.json")


def _is_training(folder: Path) -> bool:
    """Return whether a model is being trained there: its files are overwritten repeatedly."""
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
