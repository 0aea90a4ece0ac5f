"""Folders that an assistant may read, and the check of every path that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError

PATH_LIKE = re.compile(r"[/\\]|^~|^\.\.?$")
"""Values of options that are paths or addresses."""


@dataclass(frozen=True)
class Folders:
    """Folders that may be read, and whether files may be written there."""

    roots: tuple[Path, ...]
    writable: bool = False

    @staticmethod
    def of(paths: Sequence[Path], writable: bool = False) -> Folders:
        return Folders(tuple(path.resolve() for path in paths), writable)

    def readable(self, name: str) -> Path:
        """Return the path of a file or folder; relative paths begin at the folder that has them, or where
        the server was started.

        Raises:
            AssayError: The path is outside of the folders, links included, or does not exist.
        """
        path = self._inside(name)
        if not path.exists():
            raise AssayError(f"{name}: no such file in {self._named()}")
        return path

    def data(self, name: str) -> str:
        """Return a path, or DATASET:PATH with a path that may be read."""
        dataset, colon, rest = name.partition(":")
        if colon and dataset.isidentifier() and len(dataset) > 1:
            return f"{dataset}:{self.readable(rest)}"
        return str(self.readable(name))

    def new_file(self, name: str, endings: Sequence[str]) -> Path:
        """Return the path of a file to write."""
        if not self.writable:
            raise AssayError(f"{name}: nothing may be written; start the server with --write")
        path = self._inside(name)
        if path.suffix not in endings:
            raise AssayError(f"{name}: unknown ending; use {' or '.join(endings)}")
        if path.exists() or not path.parent.is_dir():
            raise AssayError(f"{name}: name a new file in a folder that exists")
        return path

    def check_metrics(self, specs: Sequence[str]) -> None:
        """Refuse options of metrics that name files outside of the folders."""
        for spec in specs:
            for option in spec.split(":")[1:]:
                value = option.partition("=")[2]
                if PATH_LIKE.search(value):
                    self.readable(value)

    def _inside(self, name: str) -> Path:
        if "\0" in name or "://" in name:
            raise AssayError(f"{name[:80]!r}: not a path of a file; addresses are not read")
        below = [(root / name).resolve() for root in (*self.roots, Path())]
        inside = [path for path in below if any(path.is_relative_to(root) for root in self.roots)]
        if not inside:
            raise AssayError(f"{name}: outside of {self._named()}")
        there = [path for path in inside if path.exists()] or [path for path in inside if path.parent.is_dir()]
        return (there or inside)[0]

    def _named(self) -> str:
        return ", ".join(map(str, self.roots))
