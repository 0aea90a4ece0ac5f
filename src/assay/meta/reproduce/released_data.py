"""Released data of published works: where to get it, and downloads that are verified by their SHA-256."""

from __future__ import annotations

import hashlib
import os
import shutil
import urllib.error
import urllib.request
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from assay.errors import AssayError, UsageError

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


RELEASED = {
    "frank": ReleasedData("https://github.com/artidoro/frank", "MIT; news texts for local use only"),
    "eks": ReleasedData("https://github.com/wgantt/eks", "MIT"),
    "fomc": ReleasedData("https://github.com/idiap/semi-structured-annotations", "MIT"),
    "narrative": ReleasedData("https://github.com/AADeLucia/gpt2-narrative-decoding", "not stated"),
    "pointer": ReleasedData("https://github.com/asnota/metrics", "MIT"),
}
"""By the folder of the work. None has a stable address of single files, so all are downloads by hand."""


def data_folder(folder: str | PathLike[str] | None = None) -> Path:
    """Return the folder of released data: the given one, or that of the environment variable ASSAY_DATA.

    Raises:
        AssayError: Neither is set, or the folder does not exist.
    """
    chosen = folder or os.environ.get(VARIABLE)
    if not chosen:
        raise AssayError(f"No released data. Give its folder with --data DIR or the environment variable {VARIABLE}.")
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
    if path.exists() and _sha256(path) == file.sha256:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    try:
        with urllib.request.urlopen(file.address, timeout=60) as response, partial.open("wb") as stream:
            shutil.copyfileobj(response, stream, BLOCK)
        if (digest := _sha256(partial)) != file.sha256:
            raise AssayError(f"{file.address}: SHA-256 is {digest}, expected {file.sha256}. The file has changed.")
        partial.replace(path)
    except (urllib.error.URLError, OSError) as error:
        raise AssayError(f"{file.address}: download failed ({error}). Try again, or download it by hand.") from None
    finally:
        partial.unlink(missing_ok=True)
    return path


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()
