"""Asking a system about many examples: in batches of like length, kept as they come (`journal`), resumed after a stop.

A call with the same task, system, seed and examples goes on from OUT.part, or finds OUT finished and leaves it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import AssayError, blaming, fault, no_exit
from assay.inputs import FORMS, form_for
from assay.models.code_digest import code_digest, is_foreign
from assay.progress import track
from assay.records.files import digest_of, to_json
from assay.records.inputs import kind_of
from assay.records.kinds import OURS
from assay.records.types import Example
from assay.systems.base import Row, System
from assay.systems.journal import Journal
from assay.systems.sampling import set_sizes, set_statistics
from assay.systems.tasks import Task

if TYPE_CHECKING:
    from assay.systems.asking_elsewhere import Mapper


class Done(NamedTuple):
    """What there is after the work."""

    rows: list[Row]
    reused: int
    """Answers that were there before."""
    seconds: float
    usage: dict[str, Any]


def answer(
    task: Task, system: System, examples: Sequence[Example], out: Path, *, name: str = "", force: bool = False,
    executor: Mapper | None = None,
) -> Done:  # fmt: skip
    """Ask about every example; the rows are in OUT in the order of the examples. `name` is what the system is called
    in them, its spec if not said; `force` asks about all of them again, whatever is there. An `executor` has workers
    ask, with the same batches."""
    start = time.monotonic()
    journal = journal_of(task, system, examples, out, name=name, force=force)
    answered = journal.finished()
    if len(answered) < len(examples):
        with journal:
            return _complete(task, system, examples, journal, name or system.spec or system.name, start, executor)
    journal.tidy(answered)
    return Done([answered[id] for id in journal.ids], len(answered), 0.0, {})


def journal_of(
    task: Task, system: System, examples: Sequence[Example], out: Path, *, name: str = "", force: bool = False
) -> Journal:
    """Where the answers of this very work are kept; a system that cannot do it is refused. Nothing is written."""
    task.refuse(system)
    for example in examples:
        with blaming(f"id {example.id}: task {task.name}", task):
            task.check(example)
    title, label = task.title(), name or system.spec or system.name
    why_not = system.why_not()
    if why_not:
        raise AssayError(f"system {system.spec or system.name}: {why_not}")
    if len({example.id for example in examples}) < len(examples):
        raise AssayError("two examples have the same id; answers could not be told apart")
    by = digest_of(title, label, [*system.fingerprint(), *_foreign_code(task, system, examples)], list(examples))
    header = {"by": by, "task": title, "system": system.spec}
    return Journal(out, header, [example.id for example in examples], force)


def _complete(
    task: Task, system: System, examples: Sequence[Example], journal: Journal, label: str, start: float,
    executor: Mapper | None,
) -> Done:  # fmt: skip
    """Ask about those that no answer is kept of, and put the whole file in its place."""
    answered = journal.begin()
    system.recall(answered.values())
    reused = len(answered)
    pending = sorted((e for e in examples if e.id not in answered), key=lambda e: -len(e.source or ""))
    size = max(1, system.batch)
    batches = [pending[i : i + size] for i in range(0, len(pending), size)]
    wanted = set(journal.ids)
    try:
        for rows_of in track(
            _asked(task, system, batches, label, executor), f"{system.name} {task.title()}", len(batches)
        ):
            for row, line in rows_of:
                if row["id"] not in wanted:
                    raise AssayError(f"{system.spec}: answered about id {row['id']}, which was not asked")
                journal.keep(line)
                answered[row["id"]] = row
        if executor is not None:
            system.recall(answered.values())  # what workers have spent stands in their rows
        missing = [id for id in journal.ids if id not in answered]
        rows = [answered[id] for id in journal.ids if id in answered]
        seconds = time.monotonic() - start
        sizes = set_sizes(rows)
        usage = system.usage() | ({"sampling_set": set_statistics(sizes)} if sizes else {})
        if journal.warnings:
            usage["warnings"] = [*journal.warnings, *usage.get("warnings", ())]
        if not missing:
            journal.finish(rows, {"options": system.options(), "seconds": round(seconds, 3), **usage})
    except AssayError as error:
        kept_so_far = f"; {len(answered)} of {len(examples)} answers are kept, the same command goes on from there"
        raise AssayError(f"{error}{kept_so_far}" if answered else str(error)) from error
    if missing:
        raise AssayError(
            f"{system.spec or system.name}: gave no answer for {len(missing)} items, {missing[0]} first; run it again, "
            "or see why the system leaves them out: it must answer about every item"
        )
    return Done(rows, reused, seconds, usage)


def _asked(
    task: Task, system: System, batches: Sequence[Sequence[Example]], label: str, executor: Mapper | None
) -> Iterator[Iterable[tuple[Row, bytes]]]:
    """What each batch gives, here or by workers."""
    if executor is None:
        return (asked(task, system, batch, label) for batch in batches)
    from assay.systems.asking_elsewhere import elsewhere

    return elsewhere(executor, task, system, batches, label)


def asked(task: Task, system: System, batch: Sequence[Example], label: str) -> Iterator[tuple[Row, bytes]]:
    """Rows, and the lines that keep them. A system that breaks is named with what it was asked about."""
    waiting = [example.id for example in batch]
    try:
        with no_exit():
            for row in task.ask(system, batch, label):
                yield row, to_json(row, indent=None).encode()
                waiting = [id for id in waiting if id != row["id"]]
    except AssayError:
        raise
    except Exception as error:
        others = f" (or one of {len(waiting) - 1} asked with it)" if len(waiting) > 1 else ""
        at = f"id {waiting[0]}{others}: " if waiting else ""
        raise AssayError(f"{at}{system.spec or system.name}: {fault(error, system)}") from error


def _foreign_code(task: Task, system: System, examples: Sequence[Example]) -> list[str | None]:
    """Digests of the code behind the answers that is not assay's own: what other code gave is never taken for theirs.
    Of ours the version is known; its answers stay."""
    classes: list[type] = [type(system), type(task)]
    if system.form is not None:
        classes.append(type(system.form))
    else:  # the kind of input decides
        by_kind = {kind_of(example): example for example in examples if kind_of(example) not in ("", *OURS)}
        classes += [FORMS.get(form_for(by_kind[kind])) for kind in sorted(by_kind)]
    return [code_digest(cls) for cls in classes if is_foreign(cls)]
