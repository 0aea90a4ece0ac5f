"""Studies in a database. What has happened is kept there, one event a row; the state that follows from it is held in
memory, in any number of processes.

A command locks its study's row, reads what others have added, decides, adds its own events, and is acknowledged once
all of that is committed. Commands that wait at the same time share one transaction, so that one writing to disk serves
all.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from assay.errors import AssayError
from assay.serving.database import Database, now
from assay.serving.tables import studies, study_events
from assay.studies.design import Design, parse_design
from assay.studies.events import AnyEvent
from assay.studies.server.material import Material
from assay.studies.study import Study

T = TypeVar("T")
MOST = 256
"""Commands that share a transaction."""
DECODER: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


class Rows:
    """The events of one study, in a transaction that somebody else begins and ends."""

    def __init__(self, study: str) -> None:
        self.study = study
        self.seq = 0
        self.connection: Connection | None = None
        self.written = 0

    def append(self, events: Iterable[AnyEvent]) -> None:
        assert self.connection is not None, "outside a transaction nothing can happen"
        rows = [
            {"study": self.study, "seq": self.seq + place, "at": event.at, "event": msgspec.json.encode(event).decode()}
            for place, event in enumerate(events, 1)
        ]
        if rows:
            self.connection.execute(insert(study_events), rows)
            self.seq += len(rows)
            self.written += len(rows)

    def events(self) -> Iterator[AnyEvent]:
        """Those that have not been read yet."""
        assert self.connection is not None, "outside a transaction nothing can be read"
        new = select(study_events.c.seq, study_events.c.event).where(
            study_events.c.study == self.study, study_events.c.seq > self.seq
        )
        for seq, event in self.connection.execute(new.order_by(study_events.c.seq)).all():
            self.seq = seq
            yield DECODER.decode(event)


@dataclass
class Work:
    """A study in a transaction: its state as of now, and the connection for what belongs to it."""

    id: str
    study: Study
    material: Material
    connection: Connection

    @property
    def design(self) -> Design:
        return self.study.design


@dataclass
class Known:
    """What this process has in memory of a study."""

    study: Study
    rows: Rows
    material: Material
    generation: int


@dataclass
class Job:
    study: str
    do: Callable[[Work], Any]
    writes: bool
    future: Future[Any] = field(default_factory=Future)


class Desk:
    """Where everybody's wishes about studies are dealt with, in the order in which they come, by one thread."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._known: dict[str, Known] = {}
        self._waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="studies", daemon=True)
        self._thread.start()

    def change(self, study: str, do: Callable[[Work], T]) -> Future[T]:
        """A command. It has happened when the future has its result, and not at all where it has an error."""
        return self._put(Job(study, do, True))

    def look(self, study: str, do: Callable[[Work], T]) -> Future[T]:
        """A question, which changes nothing."""
        return self._put(Job(study, do, False))

    def close(self) -> None:
        self._waiting.put(None)
        self._thread.join()

    def _put(self, job: Job) -> Future[Any]:
        self._waiting.put(job)
        return job.future

    def _serve(self) -> None:
        while True:
            jobs = [self._waiting.get()]
            while len(jobs) < MOST and not self._waiting.empty():
                jobs.append(self._waiting.get())
            # Whoever went away before their turn is left out; from here on nobody can.
            wanted = [job for job in jobs if job is not None and job.future.set_running_or_notify_cancel()]
            for some in ([job for job in wanted if not job.writes], [job for job in wanted if job.writes]):
                if some and not self._together(some):
                    for job in some:  # one of them spoils it for all: so each for itself
                        self._together([job], last=True)
            if None in jobs:
                return

    def _together(self, jobs: Sequence[Job], last: bool = False) -> bool:
        """Whether these have been dealt with; if not, nothing has happened."""
        results: list[tuple[Job, Any, BaseException | None]] = []
        try:
            with self.database.write() if jobs[0].writes else self.database.read() as connection:
                for job in jobs:
                    results.append(self._one(job, connection))
        except Exception as error:  # whatever it was, nobody may wait for ever
            for job in jobs:
                self._known.pop(job.study, None)  # what is in memory may have happened nowhere else
            if not last:
                return False
            jobs[0].future.set_exception(error)
            return True
        for job, result, refused in results:
            if refused is not None:
                job.future.set_exception(refused)
            else:
                job.future.set_result(result)
        return True

    def _one(self, job: Job, connection: Connection) -> tuple[Job, Any, BaseException | None]:
        try:
            known = self._current(job.study, connection, job.writes)
        except AssayError as error:
            return job, None, error
        before = known.rows.written
        try:
            made = job.do(Work(job.study, known.study, known.material, connection))
        except AssayError as error:
            if known.rows.written > before:
                raise  # half of a command: none of it may stay
            return job, None, error
        finally:
            known.rows.connection = None
        return job, made, None

    def _current(self, id: str, connection: Connection, lock: bool) -> Known:
        """A study as the database has it, locked if something is to change."""
        known = self._known.get(id)
        wanted = (select(studies) if known is None else select(studies.c.generation)).where(studies.c.id == id)
        row = connection.execute(wanted.with_for_update() if lock else wanted).first()
        if row is None:
            self._known.pop(id, None)
            raise AssayError(f"there is no study called {id[:80]}")
        if known is not None and known.generation != row.generation:
            del self._known[id]
            return self._current(id, connection, lock)
        if known is None:
            known = self._known[id] = _fold(connection, id, row)
        else:
            known.rows.connection = connection
            for event in known.rows.events():
                known.study.apply(event)
        return known


def _fold(connection: Connection, id: str, row: Any) -> Known:
    """A study from its events, all of them."""
    rows = Rows(id)
    rows.connection = connection
    design = parse_design(msgspec.json.decode(row.design), f"study {id}")
    study = Study(design, rows)
    return Known(study, rows, msgspec.json.decode(row.material, type=Material), row.generation)


def read_known(connection: Connection, id: str) -> Known:
    """A study to look at, apart from the one that is worked on."""
    row = connection.execute(select(studies).where(studies.c.id == id)).first()
    if row is None:
        raise AssayError(f"there is no study called {id[:80]}")
    return _fold(connection, id, row)


def add_study(
    connection: Connection, id: str, design: Design, material: Material, salt: str, pilot: bool = False
) -> None:
    """A new study; its first event is written by whoever opens it."""
    connection.execute(
        insert(studies).values(
            id=id, design=msgspec.json.encode(design).decode(), material=msgspec.json.encode(material).decode(),
            generation=0, made=now(),
        )
    )  # fmt: skip
    rows = Rows(id)
    rows.connection = connection
    Study(design, rows).open(time.time(), salt, pilot)


def set_material(work: Work, material: Material) -> None:
    """Lessons, reading tests and texts anew; every process learns of it."""
    _changed(work, material=msgspec.json.encode(material).decode())


def forget_events(work: Work, annotator: str) -> int:
    """Take everything that one person did out of a study, for good; how many events went."""
    from assay.studies.forget import events_without

    mine = study_events.c.study == work.id
    stored = work.connection.execute(select(study_events).where(mine).order_by(study_events.c.seq)).mappings().all()
    events = [DECODER.decode(row["event"]) for row in stored]
    kept = {id(event) for event in events_without(events, annotator)}
    gone = [row["seq"] for row, event in zip(stored, events, strict=True) if id(event) not in kept]
    for start in range(0, len(gone), 500):
        work.connection.execute(delete(study_events).where(mine, study_events.c.seq.in_(gone[start : start + 500])))
    _changed(work)
    return len(gone)


def _changed(work: Work, **values: Any) -> None:
    """Whoever has the study in memory reads it anew."""
    wanted = update(studies).where(studies.c.id == work.id)
    work.connection.execute(wanted.values(generation=studies.c.generation + 1, **values))
