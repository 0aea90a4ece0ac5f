"""Results in a .zip archive, unpacked into a temporary folder."""

from __future__ import annotations

import shutil
import stat
import zipfile
from pathlib import Path

from assay.errors import AssayError
from assay.records.size_limit import size_limit, too_large
from assay.records.temporary import temporary_folder
from assay.store.results_manifest import MANIFEST

MOST_FILES = 100_000


def is_bundle(path: Path) -> bool:
    """Return whether a file is an archive of a results folder; logs of other tools are archives, too."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return MANIFEST in archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError):
        return False


def unpack(path: Path, owner: object) -> Path:
    """Unpack an archive into a folder that exists as long as `owner`. Names are hostile: none may leave the folder,
    none is a link."""
    folder = temporary_folder("assay-bundle-", owner) / "results"
    folder.mkdir()
    with zipfile.ZipFile(path) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > size_limit():
            raise too_large(path, f"{len(entries):,} files that unpack to more than the available space")
        for entry in entries:
            target = folder / entry.filename
            linked = stat.S_ISLNK(entry.external_attr >> 16)
            if linked or not target.resolve().is_relative_to(folder.resolve()) or "\\" in entry.filename:
                raise AssayError(f"{path}: {entry.filename} points outside the archive. Do not trust it.")
            _write(archive, entry, target, path)
    return folder


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, path: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as packed, target.open("xb") as stream:
            shutil.copyfileobj(packed, stream)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise AssayError(f"{path}: {entry.filename} cannot be unpacked ({error}); copy the archive again") from None
