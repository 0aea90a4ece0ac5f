"""Studies in the database, one row per event. Processes keep states in memory and read new events before each use."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from assay.errors import AssayError
from assay.serving.database import now
from assay.serving.tables import studies, study_events
from assay.studies.design import Design, parse_design
from assay.studies.events import AnyEvent
from assay.studies.server.materials import Materials
from assay.studies.study import Study

DECODER: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
BATCH = 500
"""Rows of one DELETE statement."""


class EventRows:
    """The events of one study. The caller begins and ends the transaction."""

    def __init__(self, study: str) -> None:
        self.study = study
        self.seq = 0
        """Number of the latest event that was read or written."""
        self.connection: Connection | None = None
        self.written = 0

    def append(self, events: Iterable[AnyEvent]) -> None:
        assert self.connection is not None, "no transaction"
        rows = [
            {"study": self.study, "seq": seq, "at": event.at, "event": msgspec.json.encode(event).decode()}
            for seq, event in enumerate(events, self.seq + 1)
        ]
        if rows:
            self.connection.execute(insert(study_events), rows)
            self.seq += len(rows)
            self.written += len(rows)

    def events(self) -> Iterator[AnyEvent]:
        """Yield the events that have not been read yet."""
        assert self.connection is not None, "no transaction"
        new = select(study_events.c.seq, study_events.c.event).where(
            study_events.c.study == self.study, study_events.c.seq > self.seq
        )
        for seq, event in self.connection.execute(new.order_by(study_events.c.seq)).all():
            self.seq = seq
            yield DECODER.decode(event)


@dataclass
class StudyTransaction:
    """A study in a transaction: its current state, and the connection for its other tables."""

    id: str
    study: Study
    materials: Materials
    connection: Connection

    @property
    def design(self) -> Design:
        return self.study.design


@dataclass
class LoadedStudy:
    """A study in the memory of this process."""

    study: Study
    rows: EventRows
    materials: Materials
    generation: int
    """Counter in the database; if it has changed, the study has to be loaded again."""


def load_row(connection: Connection, id: str, row: Any) -> LoadedStudy:
    """Return a study from its row of the table and all its events."""
    rows = EventRows(id)
    rows.connection = connection
    design = parse_design(msgspec.json.decode(row.design), f"study {id}")
    study = Study(design, rows)
    return LoadedStudy(study, rows, msgspec.json.decode(row.material, type=Materials), row.generation)


def load_study(connection: Connection, id: str) -> LoadedStudy:
    """Return a copy of a study to read from, independent of the annotation queue."""
    row = connection.execute(select(studies).where(studies.c.id == id)).first()
    if row is None:
        raise AssayError(f"no study called {id[:80]}")
    return load_row(connection, id, row)


def add_study(
    connection: Connection, id: str, design: Design, materials: Materials, salt: str, pilot: bool = False
) -> None:
    """Add a new study and open it."""
    connection.execute(
        insert(studies).values(
            id=id, design=msgspec.json.encode(design).decode(), material=msgspec.json.encode(materials).decode(),
            generation=0, made=now(),
        )
    )  # fmt: skip
    rows = EventRows(id)
    rows.connection = connection
    Study(design, rows).open(time.time(), salt, pilot)


def set_materials(tx: StudyTransaction, materials: Materials) -> None:
    """Replace the materials of a study."""
    _reload_everywhere(tx, material=msgspec.json.encode(materials).decode())


def forget_events(tx: StudyTransaction, annotator: str) -> int:
    """Delete all events of an annotator; return their number."""
    from assay.studies.forget import events_without

    own = study_events.c.study == tx.id
    stored = tx.connection.execute(select(study_events).where(own).order_by(study_events.c.seq)).mappings().all()
    events = [DECODER.decode(row["event"]) for row in stored]
    kept = {id(event) for event in events_without(events, annotator)}
    deleted = [row["seq"] for row, event in zip(stored, events, strict=True) if id(event) not in kept]
    for start in range(0, len(deleted), BATCH):
        batch = deleted[start : start + BATCH]
        tx.connection.execute(delete(study_events).where(own, study_events.c.seq.in_(batch)))
    _reload_everywhere(tx)
    return len(deleted)


def _reload_everywhere(tx: StudyTransaction, **values: Any) -> None:
    """Make every process load the study again."""
    row = update(studies).where(studies.c.id == tx.id)
    tx.connection.execute(row.values(generation=studies.c.generation + 1, **values))
