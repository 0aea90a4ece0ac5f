"""One system on one dataset: outputs, scores and messages."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from assay.errors import AssayError, ChangedError, first_line
from assay.execution.answers import Say, answers, marked_texts
from assay.execution.config_remedies import for_config
from assay.execution.executors import Executor
from assay.execution.request import ScoreRequest
from assay.execution.scoring import score_outputs
from assay.metrics import MetricRequest
from assay.records.files import write_text
from assay.records.locks import BusyError
from assay.records.read import ExampleFile
from assay.records.recognize import gem_name, tasks_of
from assay.records.remote import named_at
from assay.records.types import Example
from assay.results.notes import Notes
from assay.results.result import Result
from assay.show.numbers import counted
from assay.store.config_records import Config, Dataset, System
from assay.store.dataset_folder import DatasetFolder
from assay.store.results_manifest import Entry
from assay.store.run_manifest import EXAMPLES

T = TypeVar("T")

TRACEBACK = "error.txt"
"""Where an unexpected error was raised; in the folder of a failed run, until the run succeeds."""


class Attempt(NamedTuple):
    """Systems on one dataset."""

    config: Config
    dataset: Dataset
    base: Path
    out: Path
    examples: list[Example]
    requests: Sequence[MetricRequest]
    shared: DatasetFolder
    executor: Executor
    force: bool
    changed: bool
    """Whether only runs with other outputs, examples or settings are replaced."""
    say: Say

    def on(self, system: System, busy: set[tuple[str, str]]) -> Entry:
        """Run one system; a run that another process writes is added to `busy`."""
        dataset = self.dataset.name
        try:
            if why := of_originals(system, self.dataset):
                self.say(f"{dataset:<12} {system.name:<12} skipped: {why}")
                return Entry(dataset, system.name, why)
            path = self._replacing(lambda force: self._answers(system, force))
            entry, message = self._replacing(lambda force: self._scored(system, path, force))
            (self.out / dataset / system.name / TRACEBACK).unlink(missing_ok=True)
        except Exception as error:  # of a model's or a system's own; the others must not fall with it
            if isinstance(error, BusyError):
                busy.add((dataset, system.name))
            why = _why(error, self.out / dataset / system.name)
            entry, message = Entry(dataset, system.name, why, failed=True), f"failed: {why}"
        for number, line in enumerate(message.split("\n")):
            self.say(f"{dataset:<12} {system.name:<12} {line}" if not number else f"{'':<25} {line}")
        return entry

    def _replacing(self, work: Callable[[bool], T]) -> T:
        try:
            return work(self.force)
        except ChangedError:
            if not self.changed:
                raise
            return work(True)

    def _answers(self, system: System, force: bool) -> Path:
        return answers(
            system, self.dataset, self.base, self.out, self.examples, force=force, say=self.say, executor=self.executor
        )

    def _scored(self, system: System, outputs: Path, force: bool) -> tuple[Entry, str]:
        why, task = find_task(outputs, self.dataset.name)
        if why:
            return Entry(self.dataset.name, system.name, why), f"skipped: {why}"
        marked = marked_texts(self.dataset, self.base, self.examples)
        request = ScoreRequest(
            requests=self.requests,
            examples=ExampleFile(self.examples, True, str(named_at(self.base, self.dataset.examples))),
            system=system.name,
            language=self.dataset.language,
            dataset=task,
            allow_missing=self.config.allow_missing,
            marked=marked if marked.treatment else None,
            ci=self.config.ci,
            seed=self.config.seed,
            cluster=self.dataset.cluster,
            executor=self.executor,
            force=force,
            shared_examples=self.shared.digests[EXAMPLES],
            command=["assay", "run", self.config.name, self.dataset.name, system.name],
        )
        scored = score_outputs(outputs, request, self.out / self.dataset.name / system.name)
        return Entry(self.dataset.name, system.name), "\n".join([_line(scored.result), *_alarms(scored.result)])


def of_originals(system: System, dataset: Dataset) -> str | None:
    """Return why a system has no outputs for a challenge set: one file for all datasets has outputs for the
    originals."""
    if dataset.challenge and system.outputs and "{dataset}" not in system.outputs:
        return "its outputs are for the original items; add {dataset} to their path"
    return None


def find_task(outputs: Path, dataset: str) -> tuple[str | None, str | None]:
    """Return why there are no outputs for a dataset; otherwise the task of a submission with several."""
    if not outputs.exists():
        return f"no outputs at {outputs}", None
    tasks = list(map(gem_name, tasks_of(outputs)))
    if len(tasks) > 1 and gem_name(dataset) not in tasks:
        return f"{outputs} has no task {dataset}", None
    return None, dataset if len(tasks) > 1 else None


def _why(error: Exception, folder: Path) -> str:
    """Return the error message; for unexpected errors the first line, with the rest in a file."""
    if isinstance(error, AssayError):
        return for_config(error)
    file = folder / TRACEBACK
    # Only code and types: the message of an error can quote texts.
    lines = traceback.format_tb(error.__traceback__)
    write_text(file, "".join([*lines, f"{type(error).__name__}\n"]))
    file.chmod(0o600)
    return f"{type(error).__name__}: {first_line(error)} (details in {file})"


def _alarms(result: Result) -> list[str]:
    """Return warnings about damaged outputs, which scores do not show."""
    return [f"! {sentence}" for sentence in result.notes.damage] if isinstance(result.notes, Notes) else []


def _line(result: Result) -> str:
    reused = sum(measurement.reused for measurement in result.measurements)
    parts = [counted(result.n, "output"), counted(len(result.measurements), "metric")]
    if reused:
        parts.append(f"{reused} reused")
    parts += [f"skipped {missing.metric} ({missing.why})" for missing in result.skipped]
    parts += [f"failed {missing.metric} ({missing.why})" for missing in result.failed]
    return " · ".join(parts)
