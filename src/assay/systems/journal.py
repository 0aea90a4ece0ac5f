"""The files of one piece of work: answers are kept as they come, and found again by a later call.

OUT              the finished file, one object a line in the order of the examples
OUT.part         while it is made: a line that says by what, then the answers so far
OUT.info.json    how it was made: system, seed, counts, cost
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.records.files import to_json, write_jsonl, write_text
from assay.systems.base import Row


@dataclass(frozen=True)
class Journal:
    """Where the answers about some examples go, and which of them are there."""

    out: Path
    header: dict[str, str]
    """What is done by whom; `by` is a digest of everything that the answers depend on."""
    ids: list[str]
    """What is asked, in the order of the finished file."""
    force: bool = False
    """Whether to begin again, whatever is there."""

    @property
    def part(self) -> Path:
        return self.out.with_name(f"{self.out.name}.part")

    @property
    def info(self) -> Path:
        return self.out.with_name(f"{self.out.name}.info.json")

    def finished(self) -> dict[str, Row]:
        """The answers in a file that this very work has made; fewer than were asked if somebody has shortened it."""
        if not self.out.exists() or self.force:
            return {}
        try:
            if self._made_by() != self.header["by"]:
                if self._begun():  # killed after the file was put in its place and before it was said how it was made
                    return {}
                raise AssayError(f"{self.out}: was made by another system, seed or examples, asked or learned from")
            return self._rows()
        except AssayError as error:
            raise AssayError(f"{error}; give another file, or use --force") from None

    def _made_by(self) -> str | None:
        try:
            made: str | None = json.loads(self.info.read_text("utf-8")).get("by")
        except (OSError, ValueError, AttributeError):
            return None
        return made

    def _begun(self) -> bool:
        """Whether the unfinished file is of this very work."""
        if not self.part.exists():
            return False
        with self.part.open("rb") as stream:
            return (_row(stream.readline()) or {}).get("by") == self.header["by"]

    def _rows(self) -> dict[str, Row]:
        *whole, last = self.out.read_bytes().split(b"\n")  # by line breaks alone: a text may hold U+2028 or U+0085
        wanted = set(self.ids)
        found: dict[str, Row] = {}
        for number, line in enumerate([*whole, last], 1):
            if not line.strip():
                continue
            row = _row(line)
            if row is None:
                if line is last:  # cut in the middle; it is asked again
                    continue
                raise AssayError(f"{self.out} line {number}: damaged")
            id = row.get("id")
            if not isinstance(id, str) or id not in wanted or id in found:
                raise AssayError(f"{self.out} line {number}: id {id} was not asked, or stands twice; it was changed")
            found[id] = row
        return found

    def resumed(self) -> dict[str, Row]:
        """The answers of an interrupted call; a line cut off by the interruption is taken away."""
        if self.force:
            self.part.unlink(missing_ok=True)
        if not self.part.exists():
            return {}
        whole = self.part.read_bytes().split(b"\n")[:-1]  # what follows the last line break was being written
        found = [row for line in whole if (row := _row(line)) is not None]
        if len(found) < len(whole) or not all("id" in row for row in found[1:]):
            raise AssayError(f"{self.part}: damaged; delete it to begin again")
        if not found or found[0].get("by") != self.header["by"]:
            if len(found) > 1:  # a header alone holds nothing that could be lost
                raise AssayError(
                    f"{self.part}: an unfinished file of another system, seed or examples; delete it, or use --force"
                )
            self.part.unlink()
            return {}
        self.part.write_bytes(b"".join(line + b"\n" for line in whole))
        return {row["id"]: row for row in found[1:]}

    def finish(self, rows: list[Row], about: dict[str, Any]) -> None:
        """Put the finished file in its place."""
        write_jsonl(self.out, rows)
        write_text(self.info, to_json({**self.header, "n": len(rows), **about}) + "\n")
        self.part.unlink()


def _row(line: bytes) -> Row | None:
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if isinstance(found, dict) else None
