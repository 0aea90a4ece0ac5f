"""Journal of an unfinished run: a digest of each computed file, append-only.

A manifest names the files of a finished run. Until there is one, or when metrics are added to it, a line in
`unfinished.jsonl` has the digest of each new file. A file without a line, or with another digest, was cut off or
damaged and is recomputed.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from assay.records.digests import FileDigest
from assay.records.files import append_line, to_json, write_text
from assay.records.size_limit import read_regular

UNFINISHED = "unfinished.jsonl"


class Line(msgspec.Struct):
    file: str
    size: int
    sha256: str


class Unfinished:
    """The journal of one folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / UNFINISHED
        self.folder = folder
        self._files = self._read()

    def _read(self) -> dict[str, FileDigest]:
        try:
            lines = read_regular(self.path).split(b"\n")
        except FileNotFoundError:
            return {}
        digests = {}
        for line in lines:
            try:
                recorded = msgspec.json.decode(line, type=Line)
            except (msgspec.DecodeError, UnicodeDecodeError):  # cut off, or damaged: what it spoke of is computed again
                continue
            digests[recorded.file] = FileDigest(recorded.size, recorded.sha256)
        return digests

    def add(self, file: Path, digest: FileDigest | None = None) -> None:
        """Record the digest of a file that is in place."""
        name = file.relative_to(self.folder).as_posix()
        self._files[name] = made = digest or FileDigest.of(file)
        append_line(self.path, _line(name, made).rstrip("\n"))

    def get(self, file: Path) -> FileDigest | None:
        return self._files.get(file.relative_to(self.folder).as_posix())

    def has_whole(self, file: Path) -> bool:
        """Return whether a file exists as written."""
        recorded = self.get(file)
        return recorded is not None and file.is_file() and recorded.change(file) is None

    def settle(self, named: Collection[str]) -> None:
        """Remove files that the manifest names. Shards of unfinished metrics stay until these metrics are requested
        again."""
        waiting = (name for name in self._files if name not in named and (self.folder / name).is_file())
        left = {name: self._files[name] for name in waiting}
        if left:
            write_text(self.path, "".join(_line(name, made) for name, made in left.items()))
        else:
            self.path.unlink(missing_ok=True)
        self._files = left


def _line(name: str, made: FileDigest) -> str:
    return to_json(Line(name, made.size, made.sha256), indent=None) + "\n"
