"""Tasks from a file: one JSON object per line, or the journal that `assay study assign` writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError
from assay.studies.design import Design
from assay.studies.events import AnyEvent, Check, Task, TasksAdded, Text
from assay.studies.kinds import kind_for
from assay.studies.server.screens import article_of
from assay.studies.server.training import make_reading_tests, names_in
from assay.text.sentences import split_sentences

if TYPE_CHECKING:
    from assay.studies.server.store import StudyTransaction

EVENTS: msgspec.json.Decoder[list[AnyEvent]] = msgspec.json.Decoder(list[AnyEvent])
TASK: msgspec.json.Decoder[Task] = msgspec.json.Decoder(Task)
LONGEST = 1_000_000
"""Maximum number of characters of a source or a text: every page that shows it splits it into sentences."""
RECOUNTED = 1_000_000
"""Characters of known articles without a reading test whose names are counted again with new tasks."""


class UploadedTasks(msgspec.Struct):
    """The tasks of an uploaded file."""

    tasks: list[Task]
    names: dict[str, dict[str, int]]
    """Names in each article with their counts, if the design has reading tests."""


UPLOADED: msgspec.json.Decoder[UploadedTasks] = msgspec.json.Decoder(UploadedTasks)


def read_tasks(path: str, where: str, design: Design) -> bytes:
    """Return the tasks of an uploaded file as JSON of `UploadedTasks`; called in a process with limits."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AssayError(f"{where}: not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    tasks = parse_tasks(text, where, design)
    counted = tasks if design.quality.reading_test else []
    return msgspec.json.encode(UploadedTasks(tasks, {task.id: names_in(article_of(task)) for task in counted}))


def parse_tasks(content: str, where: object, design: Design) -> list[Task]:
    """Return the tasks of a file. Texts without sentences are split if the design judges sentences."""
    tasks: list[Task] = []
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            if line.lstrip().startswith("["):
                added = [event for event in EVENTS.decode(line) if isinstance(event, TasksAdded)]
                tasks += [task for event in added for task in event.tasks]
            else:
                tasks.append(TASK.decode(line))
        except (msgspec.DecodeError, UnicodeError) as error:
            raise AssayError(f"{where}:{number}: neither a task nor a line of a journal ({error})") from None
    if not tasks:
        raise AssayError(f"{where}: no tasks; `assay study assign` creates them from outputs")
    for task in tasks:
        if why := _problem(design, task):
            raise AssayError(f"{where}: task {task.id}: {why}")
    by_sentence = any(kind_for(question).by_sentence for question in design.questions)
    return [_with_sentences(task, design) if by_sentence else task for task in tasks]


def _problem(design: Design, task: Task) -> str | None:
    """Return why a task cannot be answered or its traps cannot be passed, or None."""
    kinds = [kind_for(question) for question in design.questions]
    single = [kind for kind in kinds if not kind.compares]
    by_sentence = [kind for kind in single if kind.by_sentence]
    if why := next(filter(None, (kind.size_problem(len(task.texts)) for kind in kinds)), None):
        return why
    shown: list[Text | Check] = [*task.texts, *task.checks]
    longest = max([len(task.source), *map(_length, shown)])
    if longest > LONGEST:
        return f"a text of {longest:,} characters, at most {LONGEST:,} can be shown; shorten it"
    for check in task.checks:
        if check.kind != "trap":
            continue
        if not single:
            return "the design only compares texts, so a trap cannot be shown; remove it"
        if why := (by_sentence or single)[0].expected_problem(check.expected):
            return f"expected answer of a trap: {why}"
    return None


def _length(text: Text | Check) -> int:
    return max(len(text.source), len(text.text), sum(map(len, text.sentences)))


def _with_sentences(task: Task, design: Design) -> Task:
    texts = tuple(
        text if text.sentences or not text.text.strip() else msgspec.structs.replace(
            text, sentences=tuple(split_sentences(text.text, language=design.language or None))
        )
        for text in task.texts
    )  # fmt: skip
    return msgspec.structs.replace(task, texts=texts)


def add_tasks(
    tx: StudyTransaction, tasks: Sequence[Task], now: float, names: Mapping[str, Mapping[str, int]] | None = None
) -> int:
    """Add the tasks that are new, with reading tests if the design has them; return their number.

    All studies of a server share the thread of the transaction: names are counted before it where there are many.
    """
    known = tx.study.tasks
    changed = next((task.id for task in tasks if task.id in known and known[task.id] != task), None)
    if changed is not None:
        raise AssayError(f"study {tx.id}: task {changed} exists with other texts; use another id")
    new = [task for task in tasks if task.id not in known]
    if not new:
        return 0
    untested = list(_first_untested(tx))
    tx.study.add_tasks(new, now)
    if tx.design.quality.reading_test:
        from assay.studies.server.store import set_materials

        tests = make_reading_tests([*untested, *new], tx.design.seed, tx.materials.reading_tests, names)
        set_materials(tx, msgspec.structs.replace(tx.materials, reading_tests=tests))
    return len(new)


def _first_untested(tx: StudyTransaction) -> Iterator[Task]:
    """Yield tasks whose articles have no reading test so far, as no other article had a name."""
    left = RECOUNTED
    for task in without_reading_test(tx, tx.study.tasks.values()):
        left -= len(article_of(tx.study.tasks[task]))
        if left < 0:
            return
        yield tx.study.tasks[task]


def without_reading_test(tx: StudyTransaction, tasks: Iterable[Task]) -> list[str]:
    """Return the tasks whose articles have too few names for a reading test, if the design has reading tests."""
    if not tx.design.quality.reading_test:
        return []
    return [task.id for task in tasks if task.id not in tx.materials.reading_tests]
