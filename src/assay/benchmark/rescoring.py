"""Stored submissions scored again without their authors: by a metric more, or under a new version."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assay.benchmark.freezing import frozen_examples
from assay.benchmark.manifest import Task
from assay.benchmark.submission_store import StoredVersion, versions_in
from assay.errors import AssayError
from assay.execution.added_metrics import add_metrics
from assay.execution.executors import SERIAL, Executor
from assay.metrics import resolve
from assay.results.measurement import Missing
from assay.store.run_manifest import is_run


class Rescored(NamedTuple):
    """One submission to one task."""

    version: str
    task: str
    system: str
    why: str = ""
    """Why it could not be scored; empty if it was."""


def add_to_all(versions: Sequence[StoredVersion], metrics: str, executor: Executor = SERIAL) -> list[Rescored]:
    """Metrics that were not there when submissions came, from the texts that are stored. They stand beside what the
    manifest of the version names, with their own signatures."""
    done = []
    for version in versions:
        for record in version.records():
            for task in record.tasks:
                run = version.results / task / record.system
                held = _held_back(version.manifest.task(task), metrics)
                if held:
                    why = f"{held} is held back in this version, and was computed when the submission came"
                elif not is_run(run):
                    why = "not scored yet; `assay benchmark rescore` without -m does that"
                else:
                    why = "; ".join(f"{each.metric}: {each.why}" for each in _added(run, metrics, executor))
                done.append(Rescored(version.manifest.version, task, record.system, why))
    return done


def _held_back(task: Task, metrics: str) -> str:
    """The first of the metrics that nobody may see yet."""
    held = [request.metric for spec in task.held_back_signatures for request in resolve([spec])]
    return next((str(asked.spec) for asked in resolve(metrics) if asked.metric in held), "")


def _added(run: Path, metrics: str, executor: Executor) -> list[Missing]:
    try:
        return add_metrics(run, metrics, executor=executor)
    except AssayError as error:
        return [Missing(metrics, str(error))]


def go_on(versions: Sequence[StoredVersion], executor: Executor = SERIAL) -> list[Rescored]:
    """Whatever was taken and is not scored yet, because that was stopped."""
    return [each for version in versions for each in _all_scored(version, executor)]


def _all_scored(version: StoredVersion, executor: Executor) -> list[Rescored]:
    done = []
    for record in version.records():
        failed = {entry.dataset: entry.why or "" for entry in version.score(record, executor)}
        title = version.manifest.version
        done += [Rescored(title, task, record.system, failed.get(task, "")) for task in record.tasks]
    return done


def carry_over(store: Path, manifest_file: Path, executor: Executor = SERIAL) -> list[Rescored]:
    """Every stored submission under a new version: its answers to tasks whose items are the same, by its metrics."""
    manifest, examples = frozen_examples(manifest_file)
    earlier = [each for each in versions_in(store) if each.manifest.version != manifest.version]
    if not earlier:
        raise AssayError(f"{store}: no submissions to other versions than {manifest.version} in it")
    version = StoredVersion(store / manifest.version, manifest)
    version.prepare(examples, manifest_file.parent)
    for source in reversed(earlier):  # who sent in for several is taken from the newest
        for record in source.records():
            version.carry(record, source)
    return _all_scored(version, executor)
