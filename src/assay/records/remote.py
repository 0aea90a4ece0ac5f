"""Reading from URLs (`s3://`, `gs://`, `memory://` and all others of fsspec) through local copies.

A file is copied once for each of its versions. A worker on another machine that receives the path fetches its own copy,
so that texts are not sent through the main process. See `mirror` for writing.
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
SECRET = re.compile(r"(?<=://)[^/@:]{0,400}:[^/@]{0,4000}@")
"""A user name and password in a URL."""


class FetchedPath(type(Path())):  # type: ignore[misc]
    """The path of a local copy of a URL. It is pickled as the URL, and formatted (`f"{path}"`) as the URL."""

    url = ""
    label = ""

    def __reduce__(self) -> Any:
        return (fetched, (self.url,)) if self.url else super().__reduce__()

    def __truediv__(self, name: Any) -> Any:
        inner = super().__truediv__(name)
        inner.label = f"{self.label.rstrip('/')}/{name}" if self.label else ""
        return inner

    def __format__(self, how: str) -> str:
        return format(self.label or str(self), how)


def is_url(text: object) -> bool:
    return isinstance(text, str) and URL.match(text) is not None


def local(data: T) -> T | Path:
    """Return the data unchanged, or the path of a local copy if it is a URL."""
    return fetched(data) if isinstance(data, str) and is_url(data) else data


def path_of(data: str | os.PathLike[str]) -> Path:
    """Return a path; a `FetchedPath` stays one."""
    return data if isinstance(data, Path) else Path(data)


def placed_at(base: Path, name: str) -> Path:
    """Return a path of a config: relative to the folder of the config, or the local copy of a URL."""
    return fetched(name) if is_url(name) else base / name


def named_at(base: Path, name: str) -> Path | str:
    """Return a path of a config for messages, without making a copy."""
    return name if is_url(name) else base / name


def fetched(url: str) -> Path:
    """Return the path of a local copy of the current version of a file or folder."""
    with blaming_store(url):
        system, path = store_of(url)
        if not system.exists(path):
            raise AssayError(f"{url}: not found. Check the name and the read permission.")
        files = [path] if system.isfile(path) else sorted(system.find(path))
        state = hashlib.sha256("\0".join([url, *(str(system.ukey(file)) for file in files)]).encode()).hexdigest()
        home = cache_home() / "remote" / state[:24]
        copy = home / (path.rstrip("/").rpartition("/")[2] or "root")
        if not copy.exists():
            home.parent.mkdir(parents=True, exist_ok=True)
            # machines can share this folder and have equal process ids
            with TemporaryDirectory(".part", f".{home.name}.", home.parent, ignore_cleanup_errors=True) as part:
                for file in files:
                    to = Path(part) / "copy" / copy.name
                    to = to / inner_name(url, file, path) if file != path else to
                    to.parent.mkdir(parents=True, exist_ok=True)
                    system.get_file(file, str(to))
                with suppress(OSError):  # another process has made the same copy
                    (Path(part) / "copy").replace(home)
    path_here = FetchedPath(copy)
    path_here.url = path_here.label = url
    return path_here


def is_there(url: str) -> bool:
    with blaming_store(url):
        system, path = store_of(url)
        return bool(system.exists(path))


def inner_name(url: str, file: str, folder: str) -> str:
    """Return the name of a file relative to its folder. A name that leads out of the local copy is an error."""
    name = file[len(folder) :].lstrip("/")
    if ".." in PurePosixPath(name).parts or "\\" in name:
        raise AssayError(f"{url}: the file name {name} leads out of the folder. Rename or delete it.")
    return name


def store_of(url: str) -> tuple[Any, str]:
    if SECRET.search(url):
        raise AssayError(
            f"{SECRET.sub('', url)}: the URL contains a password, which messages and manifests would show. Remove it, "
            "and use the store's own setting, e.g. AWS_ACCESS_KEY_ID; see docs/scale.md."
        )
    if reason := missing_extra("remote"):
        raise AssayError(f"{url}: {reason}")
    import fsspec

    scheme, colon, rest = url.partition(":")
    system, path = fsspec.core.url_to_fs(scheme.lower() + colon + rest)
    return system, str(path)


@contextmanager
def blaming_store(url: str) -> Iterator[None]:
    """Turn any error of a store into an `AssayError` of one line."""
    try:
        yield
    except (AssayError, KeyboardInterrupt):
        raise
    except ImportError as error:
        raise AssayError(f"{url}: {first_line(error)}; for s3://: pip install 'assay-eval[remote]'") from None
    except Exception as error:
        raise AssayError(f"{url}: cannot be reached ({type(error).__name__}: {first_line(error)})") from None
