"""The request to a system: which one, prepared with what, for which examples; built by CLI and Python alike."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from assay.errors import AssayError
from assay.execution.executors import SERIAL, Executor, away
from assay.records.error_locations import with_location
from assay.records.read import read_examples
from assay.records.remote import is_url
from assay.records.types import Data, Example, Output
from assay.systems import System
from assay.systems import system as make_system
from assay.systems.answering import Done, answer
from assay.systems.shots import By, Shots
from assay.systems.tasks import Generate, Task


@dataclass(frozen=True, kw_only=True)
class SystemRequest:
    """Everything that the answers of a system depend on besides the task and the examples.

    Attributes:
        system: Specification of the system, e.g. `"lead:k=3"`.
        form: How inputs are rendered as text.
        train: Training examples, for systems that need them.
        valid: Validation examples, for systems that select by them.
        name: System name in the outputs (default: its specification).
        seed: Random seed.
        shots: Number of demonstrations in the prompt.
        shots_from: Examples with references that they are taken from.
        shots_by: `fixed` (the first), `random` (drawn for each item) or `nearest` (most similar input).
        limit: Use the first N examples (default: all).
        force: Answer all examples again, and replace an existing file.
        skip_bad: Skip lines that cannot be read.
        executor: Where the work is done.
    """

    system: str
    form: str | None = None
    train: Data | None = None
    valid: Data | None = None
    name: str = ""
    seed: int = 0
    shots: int = 0
    shots_from: Data | None = None
    shots_by: By = "fixed"
    limit: int | None = None
    force: bool = False
    skip_bad: bool = False
    executor: Executor = SERIAL

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise AssayError(f"limit={self.limit}: use 1 or more (default: all examples).")
        if bool(self.shots) != (self.shots_from is not None):
            raise AssayError("demonstrations need a number and a file: give --shots N and --shots-from FILE")

    def but(self, **changes: Any) -> SystemRequest:
        """Return the request with some fields changed."""
        return replace(self, **changes)

    @property
    def files(self) -> list[Path]:
        """Files that the request reads besides the examples."""
        return [Path(each) for each in (self.train, self.valid, self.shots_from) if isinstance(each, PathLike)]

    def open(self, task: Task, remedy: str = "pass them as train") -> System:
        """Return the system, prepared with its training examples; `remedy` says how to pass them if it needs some."""
        system = make_system(self.system, form=self.form, seed=self.seed)
        task.refuse(system)
        train, valid = ([] if each is None else read_examples(each).examples for each in (self.train, self.valid))
        prepare(system, train, remedy, valid)
        if self.shots_from is not None:
            if not system.takes_shots:
                raise AssayError(f"system {system.name} takes no demonstrations; leave out --shots")
            pool, source = read_examples(self.shots_from).examples, str(self.shots_from)
            system.shots = Shots(pool, self.shots, self.shots_by, self.seed, source)
        return system

    def read(self, examples: Data) -> tuple[list[Example], list[str]]:
        """Return the examples to answer, with notes about lines that were skipped."""
        read = read_examples(examples, skip_bad=self.skip_bad)
        if not (limited := read.examples[: self.limit]):
            raise AssayError(f"{examples}: no examples")
        return limited, list(read.notes)

    def seen(self, items: Sequence[Example]) -> list[str]:
        """Return a note if examples to answer are among the training examples: a file with all splits, given twice."""
        if self.train is None:
            return []
        train = {_content(example) for example in read_examples(self.train).examples}
        count = sum(_content(example) in train for example in items)
        if not count:
            return []
        return [
            f"{count:,} of {len(items):,} examples are also training examples: such scores do not hold for new ones"
        ]

    def answer(self, task: Task, system: System, items: list[Example], output: Path, source: Data = ()) -> Done:
        """Answer all examples; if `source` is their file, errors about an example name file and line."""
        with with_location(source, items) if isinstance(source, Path) else nullcontext():
            return answer(
                task, system, items, output, name=self.name, force=self.force, executor=away(self.executor)
            )  # fmt: skip


def _content(example: Example) -> bytes:
    """Return what an example asks and the answers to it, whatever its id."""
    return msgspec.json.encode((example.source, example.input, example.references))


def prepare(system: System, train: Sequence[Example], remedy: str, valid: Sequence[Example] = ()) -> None:
    """Prepare a system with training and validation examples; refuse one that needs them without."""
    if system.trained and not train:
        raise AssayError(f"system {system.name} needs training examples; {remedy}")
    if train:
        system.prepare(train, valid)


def generate_outputs(examples: Data, request: SystemRequest, output: str | PathLike[str] | None = None) -> list[Output]:
    """Generate an output for every example; keep them in a file if one is named."""
    if is_url(output):
        raise AssayError(f"{output}: output must be a local path; copy the finished file there")
    task = Generate()
    system = request.open(task)
    items = read_examples(examples).examples[: request.limit]
    with TemporaryDirectory() as folder:
        path = Path(output) if output is not None else Path(folder) / "outputs.jsonl"
        done = request.answer(task, system, items, path)
    return [Output(id=row["id"], output=row["output"], system=row["system"]) for row in done.rows]
