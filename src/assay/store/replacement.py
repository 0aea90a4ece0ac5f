"""Replacing a run: the new one is made in a folder of its own beside the old one, and the two change places at once.

    .NAME.new/        while it is made; the old run stays whole and is the one that is read
    NAME/.incoming    the new run is in its place, and what others had put into the old folder is being brought over
    .NAME.old/        the old run, until it is taken away

Whoever looks finds one run or the other in its place, at every moment, also after a kill. Where a system cannot let two
folders change places, one goes and the other comes; killed between the two, the next writer lets it come.
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
"""What belongs to a run. What else stands in its folder is others': answers, judgements, the log."""
LOCK = ".lock"
AT_FDCWD, EXCHANGE = -100, 2


class Replacement:
    """The folder beside a run folder in which the next one is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()  # of a link the folder it leads to
        self.new = self.folder.with_name(f".{self.folder.name}.new")
        self.old = self.folder.with_name(f".{self.folder.name}.old")

    def begin(self) -> Path:
        """An empty folder to make the new run in."""
        if Path.cwd().is_relative_to(self.folder):
            raise AssayError(f"{self.folder}: cannot be replaced from inside; give the command in another folder")
        self.settle()
        self.new.mkdir()
        return self.new

    def swap_in(self) -> None:
        """From here on the new run is the one that is read."""
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
        """Bring to its end what a writer has begun: after the swap that is taking the old run away, before it the new
        one. May be stopped anywhere and begun again."""
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
        """Of a writer who was killed after the old run had gone. Whoever brings it to its end has a lock in the folder,
        which was made anew for it: so it is filled, the manifest last."""
        self.folder.mkdir(exist_ok=True)
        last = (MANIFEST, INCOMING)
        for entry in sorted(self.new.iterdir(), key=lambda entry: (entry.name in last, entry.name == INCOMING)):
            if entry.name != LOCK:
                entry.rename(self.folder / entry.name)

    def is_interrupted(self) -> bool:
        return any(path.exists() for path in (self.new, self.old, self.folder / INCOMING))

    def _others(self, folder: Path) -> list[Path]:
        """What stands in a folder and is not the run's; nothing that was being written when somebody was killed."""
        if not folder.is_dir():
            return []
        return [
            entry for entry in folder.iterdir()
            if entry.name not in OURS and not (entry.name.startswith(".") and entry.name.endswith(".part"))
        ]  # fmt: skip


def link(file: Path, to: Path) -> None:
    """The same file under one more name, so that it is in both folders; a copy where a disk has no such links."""
    try:
        os.link(file, to, follow_symlinks=False)
    except OSError:
        shutil.copy2(file, to, follow_symlinks=False)


def _exchange(a: Path, b: Path) -> bool:
    """Let two folders change places in one step; False where the system cannot."""
    if sys.platform == "win32":
        return False
    import ctypes

    library = ctypes.CDLL(None)
    names = os.fsencode(a), os.fsencode(b)
    if hasattr(library, "renameat2"):
        return not library.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], EXCHANGE)
    return hasattr(library, "renamex_np") and not library.renamex_np(*names, EXCHANGE)  # macOS
