"""Released data of published works: where to get it, and downloads that are verified by their SHA-256."""

from __future__ import annotations

import os
import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from os import PathLike
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.records.digests import FileDigest

VARIABLE = "ASSAY_DATA"
"""Environment variable with the folder of released data."""
BLOCK = 1 << 20


@dataclass(frozen=True)
class DataFile:
    """One file at a stable address."""

    path: str
    """Path below the folder of the work."""
    address: str
    sha256: str


@dataclass(frozen=True)
class ReleasedData:
    """The data of one published work."""

    page: str
    """Where it is published, for a download by hand."""
    licence: str
    files: tuple[DataFile, ...] = ()
    """Files that `fetch` downloads; empty if there is no stable address."""
    by_hand: str = ""
    """What `fetch` leaves to the user, if anything."""


def pinned(work: str, page: str, below: str = "") -> tuple[DataFile, ...]:
    """Return the files of a work at pinned commits of its repository; `below` is the folder they are taken from."""
    raw = page.replace("https://github.com/", "https://raw.githubusercontent.com/")
    return tuple(
        DataFile(path.removeprefix(below), f"{raw}/{commit}/{path}", sha256)
        for name, commit, sha256, path in _pins()
        if name == work
    )


@cache
def _pins() -> tuple[tuple[str, str, str, str], ...]:
    return tuple(_read_pins())


def _read_pins() -> Iterator[tuple[str, str, str, str]]:
    """Yield work, commit, SHA-256 and path of every pinned file."""
    work = commit = ""
    text = resources.files(__package__).joinpath("released_files.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if head := re.fullmatch(r"\[(\S+) (\S+)\]", line):
            work, commit = head.groups()
        elif not line.startswith("#"):
            sha256, _, path = line.partition("  ")
            yield work, commit, sha256, path


def _frank() -> ReleasedData:
    page = "https://github.com/artidoro/frank"
    texts = "texts.jsonl (hash, article, reference, summaries and their sentences), built from its data folder"
    return ReleasedData(page, "MIT; news texts for local use only", pinned("frank", page, "data/"), texts)


def _at(work: str, page: str, licence: str) -> ReleasedData:
    return ReleasedData(page, licence, pinned(work, page))


RELEASED = {
    "frank": _frank(),
    "eks": _at("eks", "https://github.com/wgantt/eks", "MIT"),
    "fomc": _at("fomc", "https://github.com/idiap/semi-structured-annotations", "MIT"),
    "narrative": _at("narrative", "https://github.com/AADeLucia/gpt2-narrative-decoding", "not stated"),
    "pointer": _at("pointer", "https://github.com/asnota/metrics", "MIT"),
}
"""By the folder of the work. Works without pinned files are downloads by hand."""


def data_folder(folder: str | PathLike[str] | None = None) -> Path:
    """Return the folder of released data: the given one, or that of the environment variable ASSAY_DATA.

    Raises:
        AssayError: Neither is set, or the folder does not exist.
    """
    chosen = folder or os.environ.get(VARIABLE)
    if not chosen:
        raise AssayError(
            f"no folder of released data. Give it with --data DIR or the environment variable {VARIABLE}; "
            "`assay metric reproduce fetch NAME` downloads some."
        )
    path = Path(chosen)
    if not path.is_dir():
        raise AssayError(f"{path}: no such folder. Give the released data with --data DIR or {VARIABLE}.")
    return path


def fetch(name: str, folder: str | PathLike[str]) -> list[Path]:
    """Download the released data of a published work and verify it.

    Files that are complete are not downloaded again; a file appears only after its SHA-256 was verified.

    Args:
        name: A key of `RELEASED`.
        folder: The folder of released data; the files are put below `folder/name`.

    Returns:
        The paths of the files.

    Raises:
        UsageError: There is no such work.
        AssayError: The data has no stable address, the download failed, or the SHA-256 differs.
    """
    if name not in RELEASED:
        raise UsageError(f"{name}: no released data of this name. Use one of {', '.join(RELEASED)}.")
    data = RELEASED[name]
    if not data.files:
        raise AssayError(f"{name}: no stable address. Download it from {data.page} to {Path(folder) / name}.")
    return [_fetched(file, Path(folder) / name / file.path) for file in data.files]


def _fetched(file: DataFile, path: Path) -> Path:
    if path.exists() and FileDigest.of(path).sha256 == file.sha256:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    try:
        with urllib.request.urlopen(file.address, timeout=60) as response, partial.open("wb") as stream:
            shutil.copyfileobj(response, stream, BLOCK)
        if (digest := FileDigest.of(partial).sha256) != file.sha256:
            raise AssayError(f"{file.address}: SHA-256 is {digest}, expected {file.sha256}. The file has changed.")
        partial.replace(path)
    except OSError as error:
        why = error if isinstance(error, urllib.error.HTTPError) else getattr(error, "reason", error)
        raise AssayError(f"{file.address}: download failed ({why}). Try again, or download it by hand.") from None
    finally:
        partial.unlink(missing_ok=True)
    return path
