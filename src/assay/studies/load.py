"""Judgements from a file, or from the journal of a study and its design."""

from __future__ import annotations

from pathlib import Path

from assay.errors import UsageError
from assay.records import Judgement, read_judgements
from assay.records.files import read_bytes
from assay.show.numbers import counted
from assay.studies.design import read_design
from assay.studies.events import Journal
from assay.studies.judgements import study_judgements
from assay.studies.study import Study

RATED = ("likert", "slider")
"""Question kinds whose answers are numbers on a scale."""


def is_journal(path: Path) -> bool:
    """Return whether a file is the journal of a study."""
    return path.is_file() and read_bytes(path)[:10].lstrip().startswith(b'[{"event"')


def open_study(journal: Path, design: Path | None) -> Study:
    """Return the study of a journal and its design."""
    if design is None:
        raise UsageError(f"{journal} is the journal of a study; add --design DESIGN")
    return Study(read_design(design), Journal(journal))


def load_judgements(path: Path, design: Path | None) -> list[Judgement]:
    """Return the judgements of a file, or those of a study that count and those of its pilot."""
    if not is_journal(path):
        return read_judgements(path)
    study = open_study(path, design)
    return [*study_judgements(study), *study_judgements(study, pilot=True)]


def why_none(path: Path, design: Path | None) -> str:
    """Return why a file has no judgements that count."""
    annotators = open_study(path, design).annotators.values() if is_journal(path) else ()
    blocked = sum(bool(who.blocked) for who in annotators)
    if not blocked:
        return "no judgements yet"
    return f"no judgement counts: {counted(blocked, 'annotator')} blocked by quality control; see `assay study status`"


def scale_of_design(design: Path | None, criterion: str | None) -> tuple[float, float] | None:
    """Return the ends of the scale on which a criterion is rated; None if the design has no such question."""
    if design is None:
        return None
    rated = [
        question for question in read_design(design).questions
        if question.kind in RATED and question.values and criterion in (None, question.criterion)
    ]  # fmt: skip
    ends = {(float(min(question.values)), float(max(question.values))) for question in rated}
    return ends.pop() if len(ends) == 1 else None
