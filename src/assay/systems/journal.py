"""The files of one piece of work: answers are kept as they come, and found again by a later call.

OUT              the finished file, one object a line in the order of the examples
OUT.part         while it is made: a line that says by what, then the answers so far; it is only ever added to
OUT.info.json    how it was made: system, seed, counts, cost, digests
.OUT.lock        who is at it
"""

from __future__ import annotations

import glob
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import Any

from assay.errors import AssayError, ChangedError
from assay.records.digests import FileDigest, broken_seal, seal, short_digest
from assay.records.files import sync_folder, to_json, write_jsonl, write_text
from assay.records.locks import FLAGS, Lock
from assay.records.parse import writable
from assay.records.size_limit import open_regular, read_regular
from assay.systems.base import Row

CHECK = "_check"
"""The key of a line of OUT.part that tells the line from the same line damaged."""
EACH = 8
"""Characters of a check."""
SYNC = 1.0
"""Seconds after which answers are made sure to be on disk: all that a machine without power can lose. A process that
is killed loses none."""


@dataclass
class Journal:
    """Where the answers about some examples go, and which of them are there; they are added in a `with` block."""

    out: Path
    header: dict[str, str]
    """What is done by whom; `by` is a digest of everything that the answers depend on."""
    ids: list[str]
    """What is asked, in the order of the finished file."""
    force: bool = False
    """Whether to begin again, whatever is there."""
    warnings: list[str] = field(default_factory=list, init=False)
    _handle: int | None = field(default=None, init=False, repr=False)
    _size: int = field(default=0, init=False, repr=False)
    """Bytes of OUT.part that are whole lines."""
    _kept: int = field(default=0, init=False, repr=False)
    _synced: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        self._lock = Lock.of_file(self.out)

    @property
    def part(self) -> Path:
        return self.out.with_name(f"{self.out.name}.part")

    @property
    def info(self) -> Path:
        return self.out.with_name(f"{self.out.name}.info.json")

    def __enter__(self) -> Journal:
        self._lock.acquire()
        for litter in self.out.parent.glob(f".{glob.escape(self.out.name)}.*part"):  # of a process that was killed
            litter.unlink(missing_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._handle is not None:
                os.close(self._handle)
                self._handle = None
                if not self._kept:  # a header alone holds nothing to go on from
                    self.part.unlink(missing_ok=True)
        finally:
            self._lock.release()

    def finished(self) -> dict[str, Row]:
        """The answers in a file that this very work has made; fewer than were asked if somebody has shortened it."""
        if self.out.exists() and not self.out.is_file():
            raise AssayError(f"{self.out}: is no regular file, and answers are kept to go on with; give a file")
        if not self.out.exists() or self.force:
            return {}
        try:
            info = self._info()
            if info.get("by") != self.header["by"]:
                if self._begun():  # killed after the file was put in its place and before it was said how it was made
                    return {}
                raise ChangedError(f"{self.out}: was made by another system, seed or examples, asked or learned from")
            return self._rows(str(info.get("checks", "")))
        except AssayError as error:
            raise type(error)(f"{error}; give another file, or use --force") from None

    def count(self) -> int:
        """How many answers there are; nothing is written. What other work has made is refused as it would be."""
        found = self.finished()
        return len(found if len(found) == len(self.ids) or self.force else found | self._resumed())

    def _info(self) -> Mapping[str, Any]:
        try:
            found = json.loads(read_regular(self.info).decode())
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        if broken_seal(found) and not self._begun():
            raise AssayError(f"{self.info}: damaged (it is not what was written)")
        return {} if broken_seal(found) else found

    def _begun(self) -> bool:
        """Whether the unfinished file is of this very work."""
        if not self.part.exists():
            return False
        with open_regular(self.part) as stream:
            return (read_row(stream.readline()) or {}).get("by") == self.header["by"]

    def _rows(self, checks: str) -> dict[str, Row]:
        """By id, each as it was answered: `checks` has some characters for each, in the order of the ids."""
        check_of = {id: checks[i * EACH : (i + 1) * EACH] for i, id in enumerate(self.ids)}
        *whole, last = read_regular(self.out).split(b"\n")  # by line breaks alone: a text may hold U+2028 or U+0085
        found: dict[str, Row] = {}
        for number, line in enumerate([*whole, last], 1):
            if not line.strip():
                continue
            row = read_row(line)
            if row is None:
                if line is last:  # cut in the middle; it is asked again
                    continue
                raise AssayError(f"{self.out}:{number}: damaged")
            id = row.get("id")
            if not isinstance(id, str) or id not in check_of or id in found:
                raise AssayError(f"{self.out}:{number}: id {id} was not asked, or stands twice; it was changed")
            if check_of[id] and check_of[id] != _check(row):
                if self._begun():
                    continue
                raise AssayError(f"{self.out}:{number}: id {id}: was changed since it was answered")
            found[id] = row
        return found

    def begin(self) -> dict[str, Row]:
        """The answers that are there, and the file to add others to."""
        found = self.finished()
        resumed = self._resumed() if len(found) < len(self.ids) else {}
        found |= resumed
        self._kept = len(resumed)
        if len(found) == len(self.ids):
            return found
        with self._blaming():
            self._handle = os.open(self.part, FLAGS | os.O_APPEND, 0o666)
            os.ftruncate(self._handle, self._size)  # takes away a line that was cut off, and needs no room
            if not self._size:
                self._add(to_json(self.header, indent=None).encode())
                sync_folder(self.part.parent)
        return found

    def _resumed(self) -> dict[str, Row]:
        """The answers of an interrupted call. What follows the last line break was being written."""
        self._size = 0
        if self.force:
            self.part.unlink(missing_ok=True)
        if not self.part.exists():
            return {}
        data = read_regular(self.part)
        data = data[: data.rfind(b"\n") + 1]
        first, *lines = data.split(b"\n")[:-1] or [b"{}"]
        if (header := read_row(first)) is None:
            raise AssayError(f"{self.part}: damaged; delete it to begin again")
        if header.get("by") != self.header["by"]:
            if lines:  # a header alone holds nothing that could be lost
                raise ChangedError(
                    f"{self.part}: an unfinished file of another system, seed or examples; delete it, or use --force"
                )
            return {}
        self._size = len(data)
        wanted = set(self.ids)
        rows = [row for line in lines if (row := kept_row(line)) and row.get("id") in wanted]
        if count := len(lines) - len(rows):
            said = "line was damaged and is" if count == 1 else "lines were damaged and are"
            self.warnings.append(f"{self.part}: {count} {said} asked again")
        return {row["id"]: row for row in rows}

    def tidy(self, rows: Mapping[str, Row]) -> None:
        """Take away what somebody has left who was killed after the file was finished. An unfinished file with other
        answers stays: they were asked for by force, and are not in the finished one."""
        if not self.part.exists() and not self._lock.path.exists():
            return
        with suppress(AssayError, OSError), self:
            if all(rows.get(id) == row for id, row in self._resumed().items()):
                self.part.unlink(missing_ok=True)

    def keep(self, line: bytes) -> None:
        """Add an answer, as JSON."""
        with self._blaming():
            self._add(line[:-1] + f', "{CHECK}": "{short_digest(line.decode())}"}}'.encode())
        self._kept += 1

    def _add(self, line: bytes) -> None:
        """A whole line or nothing of it."""
        assert self._handle is not None
        left = memoryview(line + b"\n")
        try:
            while left:
                left = left[os.write(self._handle, left) :]
            if time.monotonic() - self._synced > SYNC:
                os.fsync(self._handle)
                self._synced = time.monotonic()
        except BaseException:
            os.ftruncate(self._handle, self._size)
            raise
        self._size += len(line) + 1

    def finish(self, rows: list[Row], about: dict[str, Any]) -> None:
        """Put the finished file in its place."""
        with self._blaming():
            if self._handle is not None:
                os.fsync(self._handle)
            write_jsonl(self.out, rows)
            sync_folder(self.out.parent)
            made = {"file": FileDigest.of(self.out), "checks": "".join(map(_check, rows))}
            write_text(self.info, to_json(seal({**self.header, "n": len(rows), **about, **made})) + "\n")
            sync_folder(self.out.parent)
            self.part.unlink(missing_ok=True)

    @contextmanager
    def _blaming(self) -> Iterator[None]:
        """What a disk refuses is one line."""
        try:
            yield
        except OSError as error:
            raise AssayError(f"{error.filename or self.part}: {error.strerror or error}") from error


def read_row(line: bytes) -> Row | None:
    """A line as it was written; None where it is none, or holds what we never write."""
    try:
        found = json.loads(line.decode(), parse_constant=_finite, parse_float=_finite)  # of bytes it takes half letters
        if b"\\u" in line:
            writable(found)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _finite(number: str) -> float:
    if not isfinite(value := float(number)):
        raise ValueError(number)
    return value


def kept_row(line: bytes) -> Row | None:
    """An answer as it was kept; None where it is not what was written."""
    row = read_row(line)
    if row is None or not isinstance(row.get("id"), str):
        return None
    check = row.pop(CHECK, None)  # lines of earlier versions have none
    return row if check in (None, _check(row)) else None


def _check(row: Row) -> str:
    return short_digest(to_json(row, indent=None))
