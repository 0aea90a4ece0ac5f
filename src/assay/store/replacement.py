"""Replace a run: the new one is made in a folder next to the old one, and the two are exchanged atomically.

    .NAME.new/        while it is made; readers still see the old run
    NAME/.incoming    the new run is in place, and other files of the old folder are being moved
    .NAME.old/        the old run, until it is removed

At every moment, also after a kill, readers see one complete run. Where the file system cannot exchange two folders,
they are renamed one after the other; if killed in between, the next writer finishes it.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from assay.errors import AssayError
from assay.records.files import sync_folder
from assay.store.run_manifest import EXAMPLES, MANIFEST
from assay.store.unfinished import UNFINISHED

INCOMING = ".incoming"
OURS = {MANIFEST, EXAMPLES, UNFINISHED, INCOMING, "items.parquet", "outputs.jsonl", "content", "statistics"}
"""Files that belong to a run; others in its folder are kept: answers, judgements, the log."""
LOCK = ".lock"
AT_FDCWD, EXCHANGE = -100, 2


class Replacement:
    """The folder next to a run folder in which its replacement is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()  # of a link the folder it leads to
        self.new = self.folder.with_name(f".{self.folder.name}.new")
        self.old = self.folder.with_name(f".{self.folder.name}.old")

    def begin(self) -> Path:
        """Return an empty folder for the new run."""
        if Path.cwd().is_relative_to(self.folder):
            raise AssayError(f"{self.folder}: cannot be replaced from inside. Run the command in another folder.")
        self.settle()
        self.new.mkdir()
        return self.new

    def swap_in(self) -> None:
        """Make the new run the one that is read."""
        for entry in self._others(self.folder):
            if not entry.is_dir() or entry.is_symlink():
                link(entry, self.new / entry.name)
        (self.new / INCOMING).touch()
        sync_folder(self.new)
        try:
            if not _exchange(self.new, self.folder):
                self.folder.rename(self.old)
                self.new.rename(self.folder)
        except OSError as error:
            raise AssayError(f"{self.folder}: cannot be replaced ({error.strerror}); save to another folder") from None
        sync_folder(self.folder.parent)
        self.settle()

    def settle(self) -> None:
        """Finish an interrupted replacement: after the exchange remove the old run, before it the new one. Can be
        interrupted and repeated."""
        gone_before = self.old.exists() or not self.folder.exists()
        if gone_before and (self.new / INCOMING).exists():
            self._let_come()
        if (self.folder / INCOMING).exists():
            for gone in (self.new, self.old):
                for entry in self._others(gone):
                    if entry.is_dir() and not entry.is_symlink():
                        entry.rename(self.folder / entry.name)
        for gone in (self.new, self.old):
            shutil.rmtree(gone, ignore_errors=True)
        (self.folder / INCOMING).unlink(missing_ok=True)

    def _let_come(self) -> None:
        """Finish for a writer that was killed after the old run was removed. The lock is in the folder, which was
        made again for it, so it is filled with the manifest last."""
        self.folder.mkdir(exist_ok=True)
        last = (MANIFEST, INCOMING)
        for entry in sorted(self.new.iterdir(), key=lambda entry: (entry.name in last, entry.name == INCOMING)):
            if entry.name != LOCK:
                entry.rename(self.folder / entry.name)

    def is_interrupted(self) -> bool:
        return any(path.exists() for path in (self.new, self.old, self.folder / INCOMING))

    def _others(self, folder: Path) -> list[Path]:
        """Return files in a folder that are not the run's, without partial files of killed writers."""
        if not folder.is_dir():
            return []
        return [
            entry for entry in folder.iterdir()
            if entry.name not in OURS and not (entry.name.startswith(".") and entry.name.endswith(".part"))
        ]  # fmt: skip


def link(file: Path, to: Path) -> None:
    """Hard-link a file into both folders, or copy it where links are not supported."""
    try:
        os.link(file, to, follow_symlinks=False)
    except OSError:
        shutil.copy2(file, to, follow_symlinks=False)


def _exchange(a: Path, b: Path) -> bool:
    """Exchange two folders atomically; return False where the system cannot."""
    if sys.platform == "win32":
        return False
    import ctypes

    library = ctypes.CDLL(None)
    names = os.fsencode(a), os.fsencode(b)
    if hasattr(library, "renameat2"):
        return not library.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], EXCHANGE)
    return hasattr(library, "renamex_np") and not library.renamex_np(*names, EXCHANGE)  # macOS
