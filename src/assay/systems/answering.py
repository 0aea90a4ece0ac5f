"""Run a system on many examples in batches of similar length; answers are saved in a `journal` as they arrive.

A call with the same task, system, seed and examples resumes from OUT.part, or reuses a finished OUT.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import AssayError, blaming, fault, no_exit
from assay.inputs import FORMS, form_for
from assay.interruption import forget, keeps
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
    from assay.systems.worker_batches import Mapper


class Done(NamedTuple):
    """The result of `answer`: rows, reused answers, run time and usage."""

    rows: list[Row]
    reused: int
    """Number of answers that were stored before the call."""
    seconds: float
    usage: dict[str, Any]


def answer(
    task: Task, system: System, examples: Sequence[Example], out: Path, *, name: str = "", force: bool = False,
    executor: Mapper | None = None,
) -> Done:  # fmt: skip
    """Answer every example and write the rows to OUT in the order of the examples.

    Args:
        name: system name in the rows (default: the spec of the system).
        force: answer all examples again and replace stored answers.
        executor: runs the same batches in worker processes (default: this process).
    """
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
    """Return the journal of this task, system and examples, without writing.

    Raises:
        AssayError: the system cannot do the task or run here, an example is unsuitable, or two share an id.
    """
    task.refuse(system)
    for example in examples:
        with blaming(f"id {example.id}: task {task.name}", task):
            task.check(example)
    title, label = task.title(), name or system.spec or system.name
    why_not = system.why_not()
    if why_not:
        raise AssayError(f"system {system.spec or system.name}: {why_not}")
    if len({example.id for example in examples}) < len(examples):
        raise AssayError("two examples have the same id; give each example its own id")
    by = digest_of(title, label, [*system.fingerprint(), *_foreign_code(task, system, examples)], list(examples))
    header = {"by": by, "task": title, "system": system.spec}
    return Journal(out, header, [example.id for example in examples], force)


def _complete(
    task: Task, system: System, examples: Sequence[Example], journal: Journal, label: str, start: float,
    executor: Mapper | None,
) -> Done:  # fmt: skip
    """Answer the examples without a stored answer and write the finished file."""
    answered = journal.begin()
    system.recall(answered.values())
    reused = len(answered)
    pending = sorted((e for e in examples if e.id not in answered), key=lambda e: -len(e.source or ""))
    size = max(1, system.batch)
    batches = [pending[i : i + size] for i in range(0, len(pending), size)]
    wanted = set(journal.ids)
    keeps(id(journal), lambda: f"{len(answered)} of {len(examples)} answers are kept, and the same command continues")
    try:
        for rows_of in track(
            _answer_batches(task, system, batches, label, executor), f"{system.name} {task.title()}", len(batches),
            cost=lambda: system.usage().get("cost"),
        ):  # fmt: skip
            for row, line in rows_of:
                if row["id"] not in wanted:
                    raise AssayError(f"{system.spec}: answered id {row['id']}, which was not requested")
                journal.keep(line)
                answered[row["id"]] = row
        if executor is not None:
            system.recall(answered.values())  # usage of workers is recorded in their rows
        missing = [id for id in journal.ids if id not in answered]
        rows = [answered[id] for id in journal.ids if id in answered]
        seconds = time.monotonic() - start
        sizes = set_sizes(rows)
        shots = {"shots": system.shots.described()} if system.shots else {}
        usage = system.usage() | shots | ({"sampling_set": set_statistics(sizes)} if sizes else {})
        if journal.warnings:
            usage["warnings"] = [*journal.warnings, *usage.get("warnings", ())]
        if not missing:
            journal.finish(rows, {"options": system.options(), "seconds": round(seconds, 3), **usage})
    except AssayError as error:
        kept_so_far = f"; {len(answered)} of {len(examples)} answers are kept, the same command goes on from there"
        raise AssayError(f"{error}{kept_so_far}" if answered else str(error)) from error
    forget(id(journal))
    if missing:
        raise AssayError(
            f"{system.spec or system.name}: gave no answer for {len(missing)} items, {missing[0]} first; run it again, "
            "or see why the system leaves them out: it must answer about every item"
        )
    return Done(rows, reused, seconds, usage)


def _answer_batches(
    task: Task, system: System, batches: Sequence[Sequence[Example]], label: str, executor: Mapper | None
) -> Iterator[Iterable[tuple[Row, bytes]]]:
    """Yield the rows of each batch, from this process or from workers."""
    if executor is None:
        return (answer_batch(task, system, batch, label) for batch in batches)
    from assay.systems.worker_batches import answer_in_workers

    return answer_in_workers(executor, task, system, batches, label)


def answer_batch(task: Task, system: System, batch: Sequence[Example], label: str) -> Iterator[tuple[Row, bytes]]:
    """Yield each row with its JSON line; an error names the system and the example."""
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
    """Return digests of plug-in code that the answers depend on, so that answers of changed code are not reused.
    Built-in code is identified by its version."""
    classes: list[type] = [type(system), type(task)]
    if system.form is not None:
        classes.append(type(system.form))
    else:  # the form follows from the kind of input
        by_kind = {kind_of(example): example for example in examples if kind_of(example) not in ("", *OURS)}
        classes += [FORMS.get(form_for(by_kind[kind])) for kind in sorted(by_kind)]
    return [code_digest(cls) for cls in classes if is_foreign(cls)]
