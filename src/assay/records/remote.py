"""Files and folders that a URL names (`s3://`, `gs://`, `memory://`, whatever fsspec knows): copied here to be read.
`mirror` has folders that are written.

A file is copied once for each state it has there. Whoever is sent its path, a worker on another machine, fetches a copy
of its own: texts never take the way through the commanding process.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from assay.errors import AssayError, first_line
from assay.extras import missing_extra
from assay.records.cache_folder import cache_home

T = TypeVar("T")
URL = re.compile(r"[a-z][a-z0-9+._-]+://", re.IGNORECASE)
SECRET = re.compile(r"(?<=://)[^/@]*:[^/@]*@")
"""A name and a password in a URL, which would stand in every message and manifest."""


class FetchedPath(type(Path())):  # type: ignore[misc]
    """The path of a copy, which travels as what it is a copy of, and is called so in messages (`f"{path}: ..."`)."""

    url = ""
    said = ""

    def __reduce__(self) -> Any:
        return (fetched, (self.url,)) if self.url else super().__reduce__()

    def __truediv__(self, name: Any) -> Any:
        inner = super().__truediv__(name)
        inner.said = f"{self.said.rstrip('/')}/{name}" if self.said else ""
        return inner

    def __format__(self, how: str) -> str:
        return format(self.said or str(self), how)


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


def named_at(base: Path, name: str) -> Path | str:
    """The same for a message, without a copy."""
    return name if is_url(name) else base / name


def fetched(url: str) -> Path:
    """The path of a copy of a file or folder as it is there now."""
    with blaming_store(url):
        system, path = store_of(url)
        if not system.exists(path):
            raise AssayError(f"{url}: nothing is there; check the name, and whether you may read it")
        files = [path] if system.isfile(path) else sorted(system.find(path))
        state = hashlib.sha256("\0".join([url, *(str(system.ukey(file)) for file in files)]).encode()).hexdigest()
        home = cache_home() / "remote" / state[:24]
        copy = home / (path.rstrip("/").rpartition("/")[2] or "root")
        if not copy.exists():
            home.parent.mkdir(parents=True, exist_ok=True)
            # machines may share this folder, and number their processes alike
            with TemporaryDirectory(".part", f".{home.name}.", home.parent, ignore_cleanup_errors=True) as part:
                for file in files:
                    to = Path(part) / "copy" / copy.name
                    to = to / inner_name(url, file, path) if file != path else to
                    to.parent.mkdir(parents=True, exist_ok=True)
                    system.get_file(file, str(to))
                with suppress(OSError):  # somebody else was quicker
                    (Path(part) / "copy").replace(home)
    found = FetchedPath(copy)
    found.url = found.said = url
    return found


def is_there(url: str) -> bool:
    with blaming_store(url):
        system, path = store_of(url)
        return bool(system.exists(path))


def inner_name(url: str, file: str, folder: str) -> str:
    """What a file of a folder there is called in it. Stores take any name; here one must not lead out of the copy."""
    name = file[len(folder) :].lstrip("/")
    if ".." in PurePosixPath(name).parts or "\\" in name:
        raise AssayError(f"{url}: holds a file called {name}, which would be written elsewhere; rename or delete it")
    return name


def store_of(url: str) -> tuple[Any, str]:
    if SECRET.search(url):
        raise AssayError(
            f"{SECRET.sub('', url)}: was given with a password in it, which messages and manifests would show; leave it"
            " out, and set it where the store's own package looks for it (AWS_ACCESS_KEY_ID, ...; docs/scale.md)"
        )
    if reason := missing_extra("remote"):
        raise AssayError(f"{url}: {reason}")
    import fsspec

    scheme, colon, rest = url.partition(":")
    system, path = fsspec.core.url_to_fs(scheme.lower() + colon + rest)
    return system, str(path)


@contextmanager
def blaming_store(url: str) -> Iterator[None]:
    """Whatever a store says, in one line."""
    try:
        yield
    except (AssayError, KeyboardInterrupt):
        raise
    except ImportError as error:
        raise AssayError(f"{url}: {first_line(error)}; for s3:// that is pip install 'assay-eval[remote]'") from None
    except Exception as error:
        raise AssayError(f"{url}: cannot be reached ({type(error).__name__}: {first_line(error)})") from None
