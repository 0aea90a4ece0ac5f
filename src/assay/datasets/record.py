"""One record of a published file; fields are validated when read, so that an error names file, id and field."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from unicodedata import normalize

from assay.errors import AssayError, fault, location

T = TypeVar("T")

KINDS = {dict: "an object", list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}

REPEATED = "an id is not unique"


class RecordError(Exception):
    """A record that cannot be converted to an example; `reason` is the same for all records with the same defect, and
    `remedy` says what to do about it, where there is more than correcting the record."""

    def __init__(self, record: Record, reason: str, message: str = "", remedy: str = "") -> None:
        super().__init__(f"{record.label}: {message or reason}")
        self.reason = reason
        self.remedy = remedy


@dataclass(frozen=True)
class Record:
    """Fields of one record with its place. `problem` is set if the record could not be decoded."""

    path: Path
    where: str
    value: Any = None
    id_field: str | None = None
    problem: str | None = None
    index: int = 0
    """Position in the file from 0, including unreadable records, so that ids do not depend on skipped records."""

    @property
    def label(self) -> str:
        return location(self.path, self._at())

    def bad(self, field: str, problem: str, remedy: str = "") -> RecordError:
        return RecordError(self, f"field '{field}' {problem}", remedy=remedy)

    def has(self, name: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(name) is not None

    def get(self, name: str) -> Any:
        if not isinstance(self.value, dict):
            raise RecordError(self, f"is {kind(self.value)}, not an object with fields")
        if name not in self.value:
            raise self.bad(name, "is missing")
        return self.value[name]

    def typed(self, name: str, *types: type[T]) -> T:
        value = self.get(name)
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise self.bad(name, f"is {kind(value)}, not {KINDS[types[0]]}")
        return value

    def text(self, name: str, *, empty: bool = False) -> str:
        """Return a text field; it may be blank only with `empty`."""
        value = self.typed(name, str)
        if not empty and not value.strip():
            raise self.bad(name, "is empty")
        return value

    def optional(self, name: str) -> str:
        """Return a text field that may be missing, null or empty."""
        return self.text(name, empty=True) if self.has(name) else ""

    def texts(self, name: str, *, least: int = 0) -> list[str]:
        """Return a list of at least `least` texts."""
        values = self.typed(name, list)
        for i, value in enumerate(values):
            if not isinstance(value, str):
                raise self.bad(f"{name}[{i}]", f"is {kind(value)}, not text")
        if len(values) < least:
            raise self.bad(name, f"has {len(values)} texts; at least {least} needed")
        return values

    def number(self, name: str) -> float:
        value = self.typed(name, float, int)
        if not math.isfinite(value):
            raise self.bad(name, f"is {value}, not a number")
        return value

    def whole(self, name: str) -> int:
        return self.typed(name, int)

    def choice(self, name: str, allowed: Sequence[str], remedy: str = "") -> str:
        value = normalize("NFC", self.text(name))  # as the names of schema files
        if value not in allowed:
            raise self.bad(name, f"is not one of {', '.join(allowed)}: {value[:40]!r}", remedy)
        return value

    def inner(self, name: str) -> Record:
        """Return the object of a field as a record."""
        return Record(self.path, f"{self._at()} {name}", self.typed(name, dict))

    def items(self, name: str) -> list[Record]:
        """Return the objects of a list as records with their place."""
        values = self.typed(name, list)
        for i, value in enumerate(values):
            if not isinstance(value, dict):
                raise self.bad(f"{name}[{i}]", f"is {kind(value)}, not an object")
        return [Record(self.path, f"{self._at()} {name}[{i}]", value) for i, value in enumerate(values)]

    def _at(self) -> str:
        id = self.value.get(self.id_field) if self.id_field and isinstance(self.value, dict) else None
        return f"{self.where} id {id}" if isinstance(id, str | int) else self.where


def kind(value: Any) -> str:
    return "missing (null)" if value is None else KINDS.get(type(value), type(value).__name__)


@dataclass
class Report:
    """Report of reading a dataset: counts, skipped records with reasons, and unreadable records."""

    dataset: str
    lenient: bool = False
    skippable: bool = False
    """Whether the command has --skip-bad, so that a message may advise it."""
    files: list[str] = field(default_factory=list)
    splits: Counter[str] = field(default_factory=Counter)
    """Examples by split."""
    references: Counter[str] = field(default_factory=Counter)
    """References by split; some cards count these."""
    records: int = 0
    """Number of records in the files: rows, documents or dialogues."""
    dropped: Counter[str] = field(default_factory=Counter)
    bad: Counter[str] = field(default_factory=Counter)
    first_bad: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    reader: object = None
    """Name of the reader, for error messages."""
    where: str = ""
    """Current place in the file; empty if rows were grouped first."""
    ids: dict[str, tuple[Path, str]] | None = None
    """Place of each id; None if ids are not checked, so that memory is constant."""

    @property
    def examples(self) -> int:
        return sum(self.splits.values())

    def drop(self, reason: str, count: int = 1) -> None:
        self.dropped[reason] += count

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def checked(self, records: Iterable[Record], convert: Callable[[Record], Iterable[T]]) -> Iterator[T]:
        """Yield the results of `convert`; a bad record is an error, or is counted if lenient."""
        for record in records:
            self.records += 1
            try:
                if record.problem:
                    raise RecordError(record, record.problem)
                made = list(convert(record))
            except RecordError as bad:
                self.refuse(bad)
                continue
            except AssayError:
                raise
            except Exception as error:  # an error of the reader, not of the record: never counted as bad
                raise AssayError(f"{record.label}: {self.dataset}: {fault(error, self.reader)}") from error
            self.where = record.where
            yield from made
            self.where = ""

    def is_new(self, id: str, path: Path) -> bool:
        """Reject a repeated id, also of another split: everything is joined by id."""
        if self.ids is None:
            return True
        if id not in self.ids:
            self.ids[id] = path, self.where
            return True
        first = location(*self.ids[id])
        self.refuse(RecordError(Record(path, self.where), REPEATED, f"id {id} is not unique, first at {first}"))
        return False

    def refuse(self, bad: RecordError) -> None:
        if not self.lenient:
            remedy = bad.remedy or "Correct it"
            skip = ", or skip and count bad records with --skip-bad" if self.skippable else ""
            raise AssayError(f"{bad}. {remedy}{skip}.") from None
        self.bad[bad.reason] += 1
        self.first_bad.setdefault(bad.reason, str(bad))
