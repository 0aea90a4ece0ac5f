"""What happens in a study, one event after the other; its whole state follows from them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, TypeAlias

import msgspec

from assay.errors import AssayError
from assay.records.files import read_bytes

BLOCK = 65_536


class Text(msgspec.Struct, frozen=True, omit_defaults=True):
    """One text to judge: of which input, by which system. People see neither."""

    id: str
    system: str
    text: str = ""
    source: str = ""
    """Where the texts of a task are for different inputs."""
    sentences: tuple[str, ...] = ()
    """Where each is judged by itself."""
    fields: dict[str, str] = {}
    """What stands in the gaps of a question, such as `{entities}`, for this text."""


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text whose right answer is known, among those that are judged. It looks like them and counts nowhere."""

    kind: Literal["trap", "attention"]
    text: str
    expected: str = ""
    """A kind of error, nothing where there is none, a value, or `<=2` and `>=4`; an attention check asks for the same
    answers as for the text before it and expects nothing of its own."""


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one person judges at once: the texts for one input (or any group), shown in an order of their own."""

    id: str
    texts: tuple[Text, ...]
    source: str = ""
    checks: tuple[Check, ...] = ()
    """In answers they are numbered after the texts."""
    overlap: bool = False
    """Everybody judges it, however many people there are."""

    def text_at(self, number: int) -> str:
        """Return a text, or the text of a check; checks are numbered after the texts."""
        return self.texts[number].text if number < len(self.texts) else self.checks[number - len(self.texts)].text


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer about one text of a task, which is named by its number there."""

    text: int
    criterion: str
    value: float | str
    unit: str = "summary"
    seconds: float | None = None
    comment: str = ""


class Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=True):
    """Something that happened, and when (in seconds of whatever clock the caller has)."""

    at: float


class Opened(Event, frozen=True, tag="opened"):
    design: str
    salt: str
    """What names of people are hashed with in exports."""
    pilot: bool = False


class Added(Event, frozen=True, tag="added"):
    tasks: tuple[Task, ...]


class MainBegan(Event, frozen=True, tag="main-began"):
    """The pilot is over."""


class Joined(Event, frozen=True, tag="joined"):
    annotator: str


class Given(Event, frozen=True, tag="given"):
    assignment: str
    task: str
    annotator: str
    until: float
    block: int
    row: int


class Answered(Event, frozen=True, tag="answered"):
    assignment: str
    answers: tuple[Answer, ...]
    seconds: float | None = None


class Closed(Event, frozen=True, tag="closed"):
    """An assignment that nobody works on any more, unfinished."""

    assignment: str
    why: str
    """expired, returned or blocked."""


class Checked(Event, frozen=True, tag="checked"):
    """How somebody did in a check: tutorial, qualification, reading, trap, attention, time."""

    annotator: str
    check: str
    right: float
    of: float
    assignment: str = ""


class Blocked(Event, frozen=True, tag="blocked"):
    annotator: str
    why: str


class Paid(Event, frozen=True, tag="paid"):
    """A bonus that is due."""

    annotator: str
    amount: float
    why: str


AnyEvent: TypeAlias = Opened | Added | MainBegan | Joined | Given | Answered | Closed | Checked | Blocked | Paid


class Store(Protocol):
    """Where events are kept: in memory, in a file, in a database. An event counts once `append` has returned."""

    def append(self, events: Iterable[AnyEvent]) -> None: ...
    def events(self) -> Iterator[AnyEvent]: ...


class Memory:
    """For simulations and tests."""

    def __init__(self) -> None:
        self.kept: list[AnyEvent] = []

    def append(self, events: Iterable[AnyEvent]) -> None:
        self.kept += events

    def events(self) -> Iterator[AnyEvent]:
        return iter(list(self.kept))


class Journal:
    """A file of one JSON list a line, which is only ever added to.

    Events that belong together are one line: they are there together or not at all. A last line without its end was cut
    off by a crash and never acknowledged: it does not count, and is removed when the next is written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._decoder = msgspec.json.Decoder(list[AnyEvent])

    def append(self, events: Iterable[AnyEvent]) -> None:
        batch = list(events)
        if not batch:
            return
        with self.path.open("a+b") as stream:
            whole = _last_end(stream)
            if whole < stream.seek(0, os.SEEK_END):
                stream.truncate(whole)
            stream.write(msgspec.json.encode(batch) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

    def events(self) -> Iterator[AnyEvent]:
        if not self.path.exists():
            return
        *lines, _ = read_bytes(self.path).split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                yield from self._decoder.decode(line)
            except msgspec.DecodeError as error:
                raise AssayError(f"{self.path}:{number}: not an event of a study ({error})") from None


def _last_end(stream: BinaryIO) -> int:
    """Where the last whole line ends."""
    size = stream.seek(0, os.SEEK_END)
    place = size
    while place > 0:
        start = max(0, place - BLOCK)
        stream.seek(start)
        found = stream.read(place - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        place = start
    return 0
