"""Deletion of all data of one annotator from a journal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import replacing
from assay.studies.design import Design
from assay.studies.events import Answered, AnyEvent, Assigned, Closed, Journal
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
    study = Study(design, Journal(journal))
    name = next((each for each in study.annotators if annotator in (each, hashed(study, each))), None)
    if name is None:
        raise AssayError(f"{journal}: no annotator called {annotator}")
    events = list(Journal(journal).events())
    kept = events_without(events, name)
    with replacing(journal, "wb") as stream:
        for event in kept:
            stream.write(msgspec.json.encode([event]) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    Study(design, Journal(journal))  # raises an error if the rest is not a valid study
    return len(events) - len(kept)
