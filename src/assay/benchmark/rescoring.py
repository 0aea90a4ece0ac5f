"""Rescoring of stored submissions: with additional metrics, or under a new version of the benchmark."""

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
    """The outcome for one submission and one task."""

    version: str
    task: str
    system: str
    why: str = ""
    """Why it could not be scored; empty if it was."""


def add_metrics_to_all(versions: Sequence[StoredVersion], metrics: str, executor: Executor = SERIAL) -> list[Rescored]:
    """Compute additional metrics from the stored outputs.

    The scores are added to those of the manifest's metrics, with their own signatures.
    """
    done = []
    for version in versions:
        for record in version.records():
            for task in record.tasks:
                run = version.results / task / record.system
                hidden = _held_back(version.manifest.task(task), metrics)
                if hidden:
                    why = f"{hidden} is held back in this version and was computed when the submission was scored"
                elif not is_run(run):
                    why = "not scored yet; run `assay benchmark rescore` without -m"
                else:
                    why = "; ".join(f"{each.metric}: {each.why}" for each in _added(run, metrics, executor))
                done.append(Rescored(version.manifest.version, task, record.system, why))
    return done


def _held_back(task: Task, metrics: str) -> str:
    """Return the first of the metrics that is held back."""
    hidden = [request.metric for spec in task.held_back_signatures for request in resolve([spec])]
    return next((str(request.spec) for request in resolve(metrics) if request.metric in hidden), "")


def _added(run: Path, metrics: str, executor: Executor) -> list[Missing]:
    try:
        return add_metrics(run, metrics, executor=executor)
    except AssayError as error:
        return [Missing(metrics, str(error))]


def score_pending(versions: Sequence[StoredVersion], executor: Executor = SERIAL) -> list[Rescored]:
    """Score submissions that are stored but not scored, e.g. after an interruption."""
    return [each for version in versions for each in _all_scored(version, executor)]


def _all_scored(version: StoredVersion, executor: Executor) -> list[Rescored]:
    done = []
    for record in version.records():
        failed = {entry.dataset: entry.why or "" for entry in version.score(record, executor)}
        title = version.manifest.version
        done += [Rescored(title, task, record.system, failed.get(task, "")) for task in record.tasks]
    return done


def carry_over(store: Path, manifest_file: Path, executor: Executor = SERIAL) -> list[Rescored]:
    """Score every stored submission under a new version, on the tasks whose items are unchanged."""
    manifest, examples = frozen_examples(manifest_file)
    earlier = [each for each in versions_in(store) if each.manifest.version != manifest.version]
    if not earlier:
        raise AssayError(f"{store}: no submissions to versions other than {manifest.version}.")
    version = StoredVersion(store / manifest.version, manifest)
    version.prepare(examples, manifest_file.parent)
    for source in reversed(earlier):  # a system in several versions is taken from the newest
        for record in source.records():
            version.carry(record, source)
    return _all_scored(version, executor)
