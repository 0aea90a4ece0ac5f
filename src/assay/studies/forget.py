"""One person's data taken out of a journal, for good: their answers, their checks, and that they ever came."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import replacing
from assay.studies.design import Design
from assay.studies.events import Answered, AnyEvent, Closed, Given, Journal
from assay.studies.judgements import hashed
from assay.studies.study import Study


def without(events: Sequence[AnyEvent], annotator: str) -> list[AnyEvent]:
    """Everything but what one person did; places they filled are for others again."""
    own = {event.assignment for event in events if isinstance(event, Given) and event.annotator == annotator}
    return [
        event
        for event in events
        if getattr(event, "annotator", None) != annotator
        and not (isinstance(event, Answered | Closed) and event.assignment in own)
    ]


def forget(journal: Path, design: Design, annotator: str) -> int:
    """Write the journal anew without a person, who may be named as they came or as exports have them; how many events
    went. The old file is replaced whole, or not at all."""
    study = Study(design, Journal(journal))
    name = next((each for each in study.people if annotator in (each, hashed(study, each))), None)
    if name is None:
        raise AssayError(f"{journal}: nobody called {annotator} has taken part")
    events = list(Journal(journal).events())
    kept = without(events, name)
    with replacing(journal, "wb") as stream:
        for event in kept:
            stream.write(msgspec.json.encode([event]) + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    Study(design, Journal(journal))  # what is left must be a study
    return len(events) - len(kept)
