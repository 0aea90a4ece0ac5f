"""Deletion of all data of one annotator from a journal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.errors import AssayError
from assay.records.locks import Lock
from assay.studies.design import Design
from assay.studies.events import Answered, AnyEvent, Assigned, Closed, Journal, MemoryStore, write_journal
from assay.studies.judgements import hashed
from assay.studies.study import Study


def events_without(events: Sequence[AnyEvent], annotator: str) -> list[AnyEvent]:
    """Return all events except those of one annotator, whose tasks are assigned again."""
    own = {event.assignment for event in events if isinstance(event, Assigned) and event.annotator == annotator}
    return [
        event
        for event in events
        if getattr(event, "annotator", None) != annotator
        and not (isinstance(event, Answered | Closed) and event.assignment in own)
    ]


def forget(journal: Path, design: Design, annotator: str) -> int:
    """Delete all events of an annotator from a journal file, which is replaced atomically.

    Args:
        journal: The journal.
        design: The design with which the study was opened.
        annotator: Name of the annotator, plain or hashed as in exports.

    Returns:
        The number of deleted events.
    """
    with Lock.of_file(journal):
        study = Study(design, Journal(journal))
        name = next((each for each in study.annotators if annotator in (each, hashed(study, each))), None)
        if name is None:
            raise AssayError(f"{journal}: no annotator called {annotator}")
        events = list(Journal(journal).events())
        kept = MemoryStore()
        kept.append(events_without(events, name))
        Study(design, kept)  # raises an error if the rest is not a valid study
        write_journal(journal, kept.events())
    return len(events) - len(list(kept.events()))
