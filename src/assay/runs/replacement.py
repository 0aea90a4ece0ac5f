"""Replacing a run: the new one is made in a folder of its own inside the old one, and swapped in once.

    .new/           while it is made; nobody reads it, and the old run stays whole
    .replacement/   once it is whole: from then on this is the run, and its files are moved to their places

The swap is one renaming, of .new to .replacement. Whoever reads in the middle of the moves takes each file from where
it is; whoever is killed there has done no harm: the next writer goes on with the moves.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from assay.errors import AssayError
from assay.records.files import sync_folder
from assay.runs.manifest import MANIFEST, WHOLE, named_files, read_manifest

NEW = ".new"
UNFINISHED = "unfinished.jsonl"
"""Digests of what was computed since the manifest was written; see `unfinished`."""


def begin_replacement(folder: Path) -> Path:
    """An empty folder to make the new run in."""
    new = folder / NEW
    shutil.rmtree(new, ignore_errors=True)
    return new


def swap_in(folder: Path) -> None:
    """From here on the new run is the one that is read."""
    (folder / NEW).rename(folder / WHOLE)
    sync_folder(folder)
    settle(folder)


def settle(folder: Path) -> bool:
    """Move the files of a whole replacement to their places; False where there is none. May be stopped anywhere and
    begun again."""
    whole = folder / WHOLE
    if not whole.is_dir():
        return False
    if (whole / MANIFEST).exists():
        if any(path.is_symlink() for path in (whole, whole / "statistics", folder / "statistics")):
            raise AssayError(f"{folder}: a link stands where a run has its files; it is not written through")
        kept = named_files(read_manifest(whole))
        (folder / MANIFEST).unlink(missing_ok=True)  # its numbers must never stand beside the texts of the other
        for old in (folder / "statistics").glob("*"):
            if f"statistics/{old.name}" not in kept:
                shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
        for name in ("examples.jsonl", UNFINISHED):
            if name not in kept:
                (folder / name).unlink(missing_ok=True)
        _move(whole, folder)
    shutil.rmtree(whole)
    sync_folder(folder)
    return True


def _move(whole: Path, folder: Path) -> None:
    (folder / "statistics").mkdir(exist_ok=True)
    names = sorted(file.relative_to(whole) for file in whole.rglob("*") if file.is_file() and file.name != UNFINISHED)
    for name in sorted(names, key=lambda name: name == Path(MANIFEST)):  # the manifest last
        if name == Path(MANIFEST):
            for part in (folder / "statistics", folder):
                sync_folder(part)
        (whole / name).replace(folder / name)
