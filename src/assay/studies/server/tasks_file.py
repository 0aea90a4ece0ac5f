"""Tasks for a server from a file: one JSON object a line, or the journal that `assay study assign` has written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError
from assay.studies.design import Design
from assay.studies.events import AnyEvent, Task, TasksAdded
from assay.studies.kinds import kind_for
from assay.studies.server.lessons import make_readings
from assay.text.sentences import split_sentences

if TYPE_CHECKING:
    from assay.studies.server.store import Work

EVENTS: msgspec.json.Decoder[list[AnyEvent]] = msgspec.json.Decoder(list[AnyEvent])
TASK: msgspec.json.Decoder[Task] = msgspec.json.Decoder(Task)


def parse_tasks(content: str, where: object, design: Design) -> list[Task]:
    """Tasks of a file. Where sentences are judged and a task has none, its texts are cut into sentences."""
    found: list[Task] = []
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            if line.lstrip().startswith("["):
                found += [
                    task for event in EVENTS.decode(line) if isinstance(event, TasksAdded) for task in event.tasks
                ]
            else:
                found.append(TASK.decode(line))
        except (msgspec.DecodeError, UnicodeError) as error:
            raise AssayError(f"{where}:{number}: neither a task nor events of a journal ({error})") from None
    if not found:
        raise AssayError(f"{where}: no tasks; `assay study assign` makes some from outputs")
    for task in found:
        if why := _unanswerable(design, task):
            raise AssayError(f"{where}: task {task.id}: {why}")
    apart = any(kind_for(question).by_sentence for question in design.questions)
    return [_with_sentences(task, design) if apart else task for task in found]


def _unanswerable(design: Design, task: Task) -> str | None:
    """Why nobody could finish a task, or pass its traps."""
    kinds = [kind_for(question) for question in design.questions]
    alone = [kind for kind in kinds if not kind.compares]
    typed = [kind for kind in alone if kind.by_sentence]
    if why := next(filter(None, (kind.size_problem(len(task.texts)) for kind in kinds)), None):
        return why
    for check in task.checks:
        if check.kind != "trap":
            continue
        if not alone:
            return "texts are only compared, and a trap could not be shown; take it out"
        if why := (typed or alone)[0].expected_problem(check.expected):
            return f"a trap's expected {why}"
    return None


def _with_sentences(task: Task, design: Design) -> Task:
    texts = tuple(
        text if text.sentences or not text.text.strip() else msgspec.structs.replace(
            text, sentences=tuple(split_sentences(text.text, language=design.language or None))
        )
        for text in task.texts
    )  # fmt: skip
    return msgspec.structs.replace(task, texts=texts)


def add_tasks(work: Work, tasks: Sequence[Task], now: float) -> int:
    """Tasks that are not there yet, with reading tests where the design has them; how many. What is there stays."""
    known = work.study.tasks
    changed = next((task.id for task in tasks if task.id in known and known[task.id] != task), None)
    if changed is not None:
        raise AssayError(f"study {work.id}: task {changed} is there already with other texts; give it another id")
    new = [task for task in tasks if task.id not in known]
    if not new:
        return 0
    work.study.add_tasks(new, now)
    if work.design.quality.reading_test:
        from assay.studies.server.store import set_material

        readings = make_readings(work.study.tasks.values(), work.design.seed, work.material.readings)
        set_material(work, msgspec.structs.replace(work.material, readings=readings))
    return len(new)


def without_reading(work: Work, tasks: Iterable[Task]) -> list[str]:
    """Tasks whose articles have too few names for a reading test, where the design has one."""
    if not work.design.quality.reading_test:
        return []
    return [task.id for task in tasks if task.id not in work.material.readings]
