"""Files and folders that a URL names (`s3://`, `gs://`, `memory://`, whatever fsspec knows): copied here to be read,
and a folder to be written is made here and copied there.

A file is copied once for each state it has there. Whoever is sent its path, a worker on another machine, fetches a copy
of its own: texts never take the way through the commanding process.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assay.errors import AssayError, first_line
from assay.extras import missing_extra
from assay.records.cache_folder import cache_home
from assay.records.locks import BusyError, Lock, Owner

T = TypeVar("T")
Known = dict[str, tuple[str, int, int]]
URL = re.compile(r"[a-z][a-z0-9+]+://")
LAST = ("run.json", "benchmark.json")
"""Manifests: they name other files, and are the last to come and the first to tell what is whole."""
OWN = (".lock", ".mirror.json")


class FetchedPath(type(Path())):  # type: ignore[misc]
    """The path of a copy, which travels as what it is a copy of."""

    url = ""

    def __reduce__(self) -> Any:
        return (fetched, (self.url,)) if self.url else super().__reduce__()


def is_url(text: object) -> bool:
    return isinstance(text, str) and URL.match(text) is not None


def local(data: T) -> T | Path:
    """Whatever it is; of a URL the path of a copy."""
    return fetched(data) if isinstance(data, str) and is_url(data) else data


def path_of(data: str | os.PathLike[str]) -> Path:
    """A path as it is, for one that is a copy knows of what."""
    return data if isinstance(data, Path) else Path(data)


def placed_at(base: Path, name: str) -> Path:
    """A path of a config, which begins at the folder of the config unless it is a URL."""
    return fetched(name) if is_url(name) else base / name


def fetched(url: str) -> Path:
    """The path of a copy of a file or folder as it is there now."""
    with _blaming(url):
        system, path = _system(url)
        if not system.exists(path):
            raise AssayError(f"{url}: nothing is there; check the name, and whether you may read it")
        files = [path] if system.isfile(path) else sorted(system.find(path))
        state = hashlib.sha256("\0".join([url, *(str(system.ukey(file)) for file in files)]).encode()).hexdigest()
        home = cache_home() / "remote" / state[:24]
        copy = home / (path.rstrip("/").rpartition("/")[2] or "root")
        if not copy.exists():
            part = home.with_name(f".{home.name}.{os.getpid()}.part")
            for file in files:
                to = part / copy.name / file[len(path) :].lstrip("/")
                to.parent.mkdir(parents=True, exist_ok=True)
                system.get_file(file, str(to))
            with suppress(OSError):  # somebody else was quicker
                part.replace(home)
            shutil.rmtree(part, ignore_errors=True)
    found = FetchedPath(copy)
    found.url = url
    return found


@contextmanager
def mirrored(url: str) -> Iterator[Path]:
    """A folder here for what a URL holds, copied back at the end, manifests last, also after an error: what was
    computed stays. A process that is killed leaves the folder here, and the next one goes on from it."""
    with _blaming(url):
        system, path = _system(url)
    name = path.rstrip("/").rpartition("/")[2]
    if not name:
        raise AssayError(f"{url}: names no folder; write {url.rstrip('/')}/NAME")
    folder = cache_home() / "remote" / f"work-{hashlib.sha256(url.encode()).hexdigest()[:24]}" / name
    mirror = _Mirror(url, system, path.rstrip("/"), folder)
    with Lock.of_file(folder), mirror.owned():
        with _blaming(url):
            mirror.pull()
        try:
            yield folder
        finally:
            with _blaming(url):
                mirror.push()


class _Mirror:
    """A folder there, and its copy here."""

    def __init__(self, url: str, system: Any, path: str, folder: Path) -> None:
        self.url, self.system, self.path, self.folder = url, system, path, folder
        self.known: Known = {}
        """Of every file that is the same in both places: what it is there, and its size and time here."""
        with suppress(OSError, msgspec.MsgspecError):
            self.known = msgspec.json.decode((folder / ".mirror.json").read_bytes(), type=Known)

    @contextmanager
    def owned(self) -> Iterator[None]:
        """One writer at a time, as far as the store lets us say so."""
        lock = f"{self.path}/.lock"
        with _blaming(self.url):
            with suppress(FileNotFoundError, msgspec.DecodeError):
                owner = msgspec.json.decode(self.system.cat_file(lock), type=Owner)
                if not owner.is_gone() and not (owner.is_here() and owner.pid == os.getpid()):
                    wait = "wait, or delete its .lock if it is not running any more"
                    raise BusyError(f"{self.url}: is being written by {owner}; {wait}")
            self._make_folder(lock)
            self.system.pipe_file(lock, msgspec.json.encode(Owner.me()))
        try:
            yield
        finally:
            with suppress(Exception):
                self.system.rm_file(lock)

    def pull(self) -> None:
        """What is there and not here, or other than it was. What is only here was computed by one who was killed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, file in self._there().items():
            state, to = str(self.system.ukey(file)), self.folder / name
            if self._here(to) != self.known.get(name, ("", 0, 0))[1:] or state != self.known[name][0]:
                to.parent.mkdir(parents=True, exist_ok=True)
                self.system.get_file(file, str(to))
                self._same(name, file)
        self._note()

    def push(self) -> None:
        there = self._there()
        here = {
            file.relative_to(self.folder).as_posix(): file
            for file in sorted(self.folder.rglob("*"))
            if file.is_file() and file.name not in OWN and not file.name.endswith(".part")
        }
        for name in sorted(here, key=lambda name: name.rpartition("/")[2] in LAST):
            known = self.known.get(name)
            if name not in there or known is None or known[1:] != self._here(here[name]):
                file = f"{self.path}/{name}"
                self._make_folder(file)
                self.system.put_file(str(here[name]), file)
                self._same(name, file)
        for name in there:
            if name not in here:
                self.system.rm_file(there[name])
                self.known.pop(name, None)
        self._note()

    def _make_folder(self, file: str) -> None:
        with suppress(OSError, NotImplementedError):  # stores without folders need none
            self.system.makedirs(file.rpartition("/")[0], exist_ok=True)

    def _there(self) -> dict[str, str]:
        self.system.invalidate_cache()
        found = self.system.find(self.path) if self.system.exists(self.path) else []
        skipped = tuple(OWN)
        return {file[len(self.path) :].lstrip("/"): file for file in found if not file.endswith(skipped)}

    def _here(self, file: Path) -> tuple[int, int]:
        try:
            about = file.stat()
        except OSError:
            return -1, -1
        return about.st_size, about.st_mtime_ns

    def _same(self, name: str, file: str) -> None:
        self.system.invalidate_cache()
        self.known[name] = (str(self.system.ukey(file)), *self._here(self.folder / name))

    def _note(self) -> None:
        (self.folder / ".mirror.json").write_bytes(msgspec.json.encode(self.known))


def _system(url: str) -> tuple[Any, str]:
    if reason := missing_extra("remote"):
        raise AssayError(f"{url}: {reason}")
    import fsspec

    system, path = fsspec.core.url_to_fs(url)
    return system, str(path)


@contextmanager
def _blaming(url: str) -> Iterator[None]:
    """Whatever a store says, in one line."""
    try:
        yield
    except (AssayError, KeyboardInterrupt):
        raise
    except ImportError as error:
        raise AssayError(f"{url}: {first_line(error)}; for s3:// that is pip install 'assay[remote]'") from None
    except Exception as error:
        raise AssayError(f"{url}: cannot be reached ({type(error).__name__}: {first_line(error)})") from None
