"""Putting a study on a server: from its design, its tasks, and what people see before them."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from sqlalchemy import select

from assay.errors import AssayError
from assay.records.files import read_text
from assay.serving.database import Database
from assay.serving.tables import studies
from assay.studies.design import Design, read_design
from assay.studies.server.lessons import check_material, read_lessons
from assay.studies.server.material import Material
from assay.studies.server.store import Desk, Work, add_study, set_material
from assay.studies.server.tasks_file import add_tasks, parse_tasks, without_reading


@dataclass(frozen=True)
class Files:
    """What a study is made from."""

    design: Path
    tasks: Sequence[Path] = ()
    lessons: Path | None = None
    consent: Path | None = None
    code: str = ""


@dataclass(frozen=True)
class Put:
    """A study that is on the server now."""

    id: str
    new: bool
    added: int
    tasks: int
    notes: list[str]


def id_of(name: str) -> str:
    """A design's name as it may stand in an address."""
    made = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
    if not made:
        raise AssayError(f"design '{name}': its name has no letter or digit to stand in an address; give it another")
    return made


def put_study(database: Database, desk: Desk, files: Files, pilot: bool = False) -> Put:
    """A new study, or one that is there with whatever is new: tasks, lessons, texts."""
    design = read_design(files.design)
    if not design.questions:
        raise AssayError(f"{files.design}: no questions; there is nothing to ask")
    id = id_of(design.name)
    given = Material(
        lessons=read_lessons(files.lessons, design) if files.lessons else (),
        consent=read_text(files.consent).strip() if files.consent else "",
        code=files.code,
    )
    new = _opened(database, id, design, given, files.design, pilot)
    tasks = [task for path in files.tasks for task in parse_tasks(read_text(path), path, design)]

    def more(work: Work) -> tuple[int, int, list[str]]:
        if not new and (files.lessons or files.consent or files.code):
            changed = {name: getattr(given, name) for name in ("lessons", "consent", "code") if getattr(given, name)}
            set_material(work, msgspec.structs.replace(work.material, **changed))
        added = add_tasks(work, tasks, time.time()) if tasks else 0
        return added, len(work.study.tasks), []

    added, count, notes = desk.change(id, more).result()
    lacking = desk.look(id, lambda work: without_reading(work, work.study.tasks.values())).result()
    if lacking:
        notes.append(f"{len(lacking)} tasks have no reading test: too few names in their articles ({lacking[0]})")
    if not count:
        notes.append(f"study {id} has no tasks yet; --tasks gives it some, or its page")
    return Put(id, new, added, count, notes)


def _opened(database: Database, id: str, design: Design, material: Material, where: Path, pilot: bool) -> bool:
    """Whether the study is new; one that is there must have this very design."""
    with database.write() as connection:
        known = connection.execute(select(studies.c.design).where(studies.c.id == id)).scalar()
        if known is None:
            check_material(design, material)
            add_study(connection, id, design, material, secrets.token_hex(16), pilot)
            return True
    if msgspec.json.decode(known, type=Design).digest != design.digest:
        raise AssayError(
            f"{where}: study {id} was opened with another design; put that one back, or give this one another name"
        )
    return False
