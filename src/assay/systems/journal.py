"""The files of one run of a system: answers are saved as they arrive and reused by a later call.

OUT              the finished file, one object per line in the order of the examples
OUT.part         the unfinished file: a header line, then the answers so far; append-only
OUT.info.json    provenance: system, seed, counts, cost, digests
.OUT.lock        lock of the running process
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
"""Key of the checksum of a line of OUT.part."""
EACH = 8
"""Number of characters of a checksum."""
SYNC = 1.0
"""Seconds between syncs to disk: the most that a power failure can lose. A killed process loses nothing."""


@dataclass
class Journal:
    """Stored answers for a list of examples; answers are added in a `with` block."""

    out: Path
    header: dict[str, str]
    """Task and system; `by` is a digest of everything that the answers depend on."""
    ids: list[str]
    """Ids of the examples, in the order of the finished file."""
    force: bool = False
    """Whether to discard stored answers."""
    warnings: list[str] = field(default_factory=list, init=False)
    _handle: int | None = field(default=None, init=False, repr=False)
    _size: int = field(default=0, init=False, repr=False)
    """Number of bytes of OUT.part in complete lines."""
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
                if not self._kept:  # a header without answers is not worth keeping
                    self.part.unlink(missing_ok=True)
        finally:
            self._lock.release()

    def finished(self) -> dict[str, Row]:
        """Return the answers in the finished file of this run; fewer than requested if the file was shortened."""
        if self.out.exists() and not self.out.is_file():
            raise AssayError(f"{self.out}: not a regular file; answers are stored for resuming, so give a file")
        if not self.out.exists() or self.force:
            return {}
        try:
            info = self._info()
            if info.get("by") != self.header["by"]:
                if self._begun():  # killed between writing OUT and OUT.info.json
                    return {}
                raise ChangedError(
                    f"{self.out}: was made by another system, seed or examples (asked or learned from), or form"
                )
            return self._rows(str(info.get("checks", "")))
        except AssayError as error:
            raise type(error)(f"{error}; give another file, or use --force") from None

    def count(self) -> int:
        """Return the number of stored answers without writing; answers of another run raise an error."""
        stored = self.finished()
        return len(stored if len(stored) == len(self.ids) or self.force else stored | self._resumed())

    def _info(self) -> Mapping[str, Any]:
        try:
            stored = json.loads(read_regular(self.info).decode())
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(stored, dict):
            return {}
        if broken_seal(stored) and not self._begun():
            raise AssayError(f"{self.info}: damaged (it is not what was written)")
        return {} if broken_seal(stored) else stored

    def _begun(self) -> bool:
        """Return whether the unfinished file belongs to this run."""
        if not self.part.exists():
            return False
        with open_regular(self.part) as stream:
            return (read_row(stream.readline()) or {}).get("by") == self.header["by"]

    def _rows(self, checks: str) -> dict[str, Row]:
        """Return the rows by id; `checks` joins their checksums in the order of the ids."""
        check_of = {id: checks[i * EACH : (i + 1) * EACH] for i, id in enumerate(self.ids)}
        *whole, last = read_regular(self.out).split(b"\n")  # not splitlines: a text may contain U+2028 or U+0085
        stored: dict[str, Row] = {}
        for number, line in enumerate([*whole, last], 1):
            if not line.strip():
                continue
            row = read_row(line)
            if row is None:
                if line is last:  # truncated; it is requested again
                    continue
                raise AssayError(f"{self.out}:{number}: damaged")
            id = row.get("id")
            if not isinstance(id, str) or id not in check_of or id in stored:
                raise AssayError(
                    f"{self.out}:{number}: id {id} was not requested or is a duplicate; the file was changed"
                )
            if check_of[id] and check_of[id] != _check(row):
                if self._begun():
                    continue
                raise AssayError(f"{self.out}:{number}: id {id}: was changed since it was answered")
            stored[id] = row
        return stored

    def begin(self) -> dict[str, Row]:
        """Return the stored answers and open the file for further ones."""
        stored = self.finished()
        resumed = self._resumed() if len(stored) < len(self.ids) else {}
        stored |= resumed
        self._kept = len(resumed)
        if len(stored) == len(self.ids):
            return stored
        with self._blaming():
            self._handle = os.open(self.part, FLAGS | os.O_APPEND, 0o666)
            os.ftruncate(self._handle, self._size)  # removes a truncated line; needs no disk space
            if not self._size:
                self._add(to_json(self.header, indent=None).encode())
                sync_folder(self.part.parent)
        return stored

    def _resumed(self) -> dict[str, Row]:
        """Return the answers of an interrupted call, without an incomplete last line."""
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
            if lines:  # a header without answers can be replaced
                raise ChangedError(
                    f"{self.part}: an unfinished file of another system, seed or examples; delete it, or use --force"
                )
            return {}
        self._size = len(data)
        wanted = set(self.ids)
        rows = [row for line in lines if (row := kept_row(line)) and row.get("id") in wanted]
        if count := len(lines) - len(rows):
            verb = "line was damaged and is" if count == 1 else "lines were damaged and are"
            self.warnings.append(f"{self.part}: {count} {verb} asked again")
        return {row["id"]: row for row in rows}

    def tidy(self, rows: Mapping[str, Row]) -> None:
        """Remove the leftovers of a process that was killed after finishing. An unfinished file with other answers is
        kept: they come from a run with `force` and are not in the finished file."""
        if not self.part.exists() and not self._lock.path.exists():
            return
        with suppress(AssayError, OSError), self:
            if all(rows.get(id) == row for id, row in self._resumed().items()):
                self.part.unlink(missing_ok=True)

    def keep(self, line: bytes) -> None:
        """Append an answer as a JSON line."""
        with self._blaming():
            self._add(line[:-1] + f', "{CHECK}": "{short_digest(line.decode())}"}}'.encode())
        self._kept += 1

    def _add(self, line: bytes) -> None:
        """Append a complete line, or nothing on failure."""
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
        """Write the finished file and its provenance."""
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
        """Turn an error of the file system into a one-line message."""
        try:
            yield
        except OSError as error:
            raise AssayError(f"{error.filename or self.part}: {error.strerror or error}") from error


def read_row(line: bytes) -> Row | None:
    """Parse a line; None if it is not a JSON object or has values that are never written."""
    try:
        stored = json.loads(
            line.decode(), parse_constant=_finite, parse_float=_finite
        )  # json.loads accepts invalid UTF-8 in bytes
        if b"\\u" in line:
            writable(stored)
    except (ValueError, RecursionError):
        return None
    return stored if isinstance(stored, dict) else None


def _finite(number: str) -> float:
    if not isfinite(value := float(number)):
        raise ValueError(number)
    return value


def kept_row(line: bytes) -> Row | None:
    """Parse a stored answer; None if its checksum does not match."""
    row = read_row(line)
    if row is None or not isinstance(row.get("id"), str):
        return None
    check = row.pop(CHECK, None)  # lines of earlier versions have none
    return row if check in (None, _check(row)) else None


def _check(row: Row) -> str:
    return short_digest(to_json(row, indent=None))
