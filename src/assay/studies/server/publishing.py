"""Adding a study to a server, from its design, tasks and materials."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import select

from assay.errors import AssayError
from assay.records.files import read_text
from assay.serving.database import Database
from assay.serving.tables import studies
from assay.studies.design import Design, read_design
from assay.studies.events import Task
from assay.studies.server.materials import Materials
from assay.studies.server.store import StudyTransaction, add_study, set_materials
from assay.studies.server.tasks_file import add_tasks, parse_tasks, without_reading_test
from assay.studies.server.training import check_materials, read_training_items, shipped_items

if TYPE_CHECKING:
    from assay.studies.server.annotation_queue import AnnotationQueue


@dataclass(frozen=True)
class StudyFiles:
    """The files of a study."""

    design: Path
    tasks: Sequence[Path] = ()
    lessons: Path | None = None
    """Training items."""
    consent: Path | None = None
    code: str = ""
    """Completion code of all annotators."""


class StudyContent(NamedTuple):
    """What the files of a study contain."""

    id: str
    design: Design
    materials: Materials
    tasks: list[Task]


@dataclass(frozen=True)
class PublishedStudy:
    """A study that was added to a server, or updated."""

    id: str
    new: bool
    added: int
    """Number of new tasks."""
    tasks: int
    notes: list[str]


def study_id(name: str) -> str:
    """Return the name of a design as part of an address."""
    id = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
    if not id:
        raise AssayError(f"design '{name}': the name needs a letter a-z or a digit for its address; rename it")
    return id


def read_study(files: StudyFiles) -> StudyContent:
    """Read and check every file of a study; nothing is written."""
    design = read_design(files.design)
    if not design.questions:
        raise AssayError(f"{files.design}: no questions; add [[questions]]")
    materials = Materials(
        training_items=read_training_items(files.lessons, design)
        if files.lessons
        else shipped_items(design, files.design),
        consent=read_text(files.consent).strip() if files.consent else "",
        code=files.code,
    )
    tasks = [task for path in files.tasks for task in parse_tasks(read_text(path), path, design)]
    return StudyContent(study_id(design.name), design, materials, tasks)


def publish_study(database: Database, queue: AnnotationQueue, files: StudyFiles, pilot: bool = False) -> PublishedStudy:
    """Add a study to a server. If it exists, add new tasks and replace the materials that are stated."""
    id, design, materials, tasks = read_study(files)
    new = _add_if_new(database, id, design, materials, files.design, pilot)

    def update(tx: StudyTransaction) -> tuple[int, int]:
        if not new and (files.lessons or files.consent or files.code):
            names = ("training_items", "consent", "code")
            changed = {name: getattr(materials, name) for name in names if getattr(materials, name)}
            set_materials(tx, msgspec.structs.replace(tx.materials, **changed))
        added = add_tasks(tx, tasks, time.time()) if tasks else 0
        return added, len(tx.study.tasks)

    added, count = queue.write(id, update).result()
    untested = queue.read(id, lambda tx: without_reading_test(tx, tx.study.tasks.values())).result()
    notes = []
    if untested:
        notes.append(f"{len(untested)} tasks have no reading test: too few names in their articles ({untested[0]})")
    if not count:
        notes.append(f"study {id} has no tasks yet; add them with --tasks, or on its dashboard")
    return PublishedStudy(id, new, added, count, notes)


def _add_if_new(database: Database, id: str, design: Design, materials: Materials, path: Path, pilot: bool) -> bool:
    """Add the study if it is new, and return whether it is; an existing study must have the same design."""
    with database.write() as connection:
        known = connection.execute(select(studies.c.design).where(studies.c.id == id)).scalar()
        if known is None:
            check_materials(design, materials)
            add_study(connection, id, design, materials, secrets.token_hex(16), pilot)
            return True
    if msgspec.json.decode(known, type=Design).digest != design.digest:
        raise AssayError(f"{path}: study {id} was opened with another design; restore it, or rename this one")
    return False
