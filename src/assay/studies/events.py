"""Events of a study. The state of a study is computed from its events alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Literal, Protocol, TypeAlias

import msgspec

from assay.errors import AssayError
from assay.records.files import read_bytes, replacing

BLOCK = 65_536


class Suggestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer that a model suggests."""

    value: float | str
    unit: str = "summary"


class Text(msgspec.Struct, frozen=True, omit_defaults=True):
    """One text to judge. Annotators see neither its input id nor its system."""

    id: str
    system: str
    text: str = ""
    source: str = ""
    """Source of this text, where the texts of a task have different inputs."""
    sentences: tuple[str, ...] = ()
    """Sentences of the text, where each is judged by itself."""
    fields: dict[str, str] = {}
    """Values of placeholders in a question, such as `{entities}`, for this text."""
    marked: tuple[tuple[int, ...], ...] = ()
    """Numbers of the source's sentences that are highlighted for each sentence (default: those that share words)."""
    suggested: dict[str, tuple[Suggestion, ...]] = {}
    """Suggested answers by criterion; an empty tuple suggests that there is nothing to mark."""


class Check(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quality check: a text with a known answer, shown like the other texts and left out of the results."""

    kind: Literal["trap", "attention"]
    text: str
    expected: str = ""
    """Expected answer of a trap: an error code, empty for no error, a value, or a bound such as `<=2`. An attention
    check expects the answers to the text before it, so this is empty."""
    source: str = ""
    sentences: tuple[str, ...] = ()
    sentence: int = 0
    """Number of the sentence with the expected answer."""
    fields: dict[str, str] = {}
    marked: tuple[tuple[int, ...], ...] = ()


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """The texts that one annotator judges at once: usually all system outputs for one input."""

    id: str
    texts: tuple[Text, ...]
    source: str = ""
    checks: tuple[Check, ...] = ()
    """Quality checks. Answers number them after the texts."""
    overlap: bool = False
    """Every annotator judges it."""
    hold_out: float = 0.0
    """Probability with which an annotator does not see the suggestions for a text."""

    def shown_at(self, number: int) -> Text:
        """Return a text, or a check in the form of a text; checks are numbered after the texts.

        Whatever an annotator is shown comes from here, so that a check has all that a text has.
        """
        if number < len(self.texts):
            return self.texts[number]
        check = self.checks[number - len(self.texts)]
        nearest = self.texts[0]
        source, fields = check.source or nearest.source, check.fields or nearest.fields
        return Text(nearest.id, "", check.text, source, check.sentences, fields, check.marked)


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An answer about one text of a task."""

    text: int
    """Number of the text in the task."""
    criterion: str
    value: float | str
    unit: str = "summary"
    seconds: float | None = None
    comment: str = ""


class Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=True):
    """An event of a study."""

    at: float
    """Time in seconds, by the clock of the caller."""


class Opened(Event, frozen=True, tag="opened"):
    """The study starts."""

    design: str
    """Digest of the design."""
    salt: str
    """Salt of the hashed annotator names in exports."""
    pilot: bool = False


class TasksAdded(Event, frozen=True, tag="added"):
    """Tasks are added; possible at any time."""

    tasks: tuple[Task, ...]


class MainStarted(Event, frozen=True, tag="main-began"):
    """The pilot ends and the main study starts."""


class Joined(Event, frozen=True, tag="joined"):
    """An annotator starts to take part."""

    annotator: str


class Assigned(Event, frozen=True, tag="given"):
    """A task is assigned to an annotator until its lease ends; `block` and `row` give the order of its texts."""

    assignment: str
    task: str
    annotator: str
    until: float
    block: int
    row: int


class Answered(Event, frozen=True, tag="answered"):
    """An assignment is finished."""

    assignment: str
    answers: tuple[Answer, ...]
    seconds: float | None = None


class Closed(Event, frozen=True, tag="closed"):
    """An assignment ends unfinished."""

    assignment: str
    why: str
    """expired, returned or blocked."""


class Checked(Event, frozen=True, tag="checked"):
    """Result of a quality check: tutorial, qualification, reading, trap, attention or time."""

    annotator: str
    check: str
    right: float
    of: float
    assignment: str = ""


class Blocked(Event, frozen=True, tag="blocked"):
    """An annotator is excluded from the study."""

    annotator: str
    why: str


class Paid(Event, frozen=True, tag="paid"):
    """A bonus is owed to an annotator."""

    annotator: str
    amount: float
    why: str


AnyEvent: TypeAlias = (
    Opened | TasksAdded | MainStarted | Joined | Assigned | Answered | Closed | Checked | Blocked | Paid
)


class EventStore(Protocol):
    """Storage of events: memory, a file or a database. An event is stored once `append` has returned."""

    def append(self, events: Iterable[AnyEvent]) -> None: ...
    def events(self) -> Iterator[AnyEvent]: ...


class MemoryStore:
    """Events in memory, for simulations and tests."""

    def __init__(self) -> None:
        self._events: list[AnyEvent] = []

    def append(self, events: Iterable[AnyEvent]) -> None:
        self._events += events

    def events(self) -> Iterator[AnyEvent]:
        return iter(list(self._events))


class Journal:
    """An append-only file with one JSON list of events per line.

    Events that belong together share a line, so that all or none of them are stored. A last line without a line break
    was cut off by a crash before it was acknowledged; it is ignored, and removed by the next `append`.
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
                raise AssayError(f"{self.path}:{number}: not a list of study events ({error})") from None


def write_journal(path: Path, events: Iterable[AnyEvent]) -> None:
    """Write a whole journal, which appears or is replaced in one step."""
    with replacing(path, "wb") as stream:
        for event in events:
            stream.write(msgspec.json.encode([event]) + b"\n")


def _last_end(stream: BinaryIO) -> int:
    """Return the position after the last line break."""
    position = stream.seek(0, os.SEEK_END)
    while position > 0:
        start = max(0, position - BLOCK)
        stream.seek(start)
        line_break = stream.read(position - start).rfind(b"\n")
        if line_break >= 0:
            return start + line_break + 1
        position = start
    return 0
