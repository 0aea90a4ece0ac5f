"""Train several models in parallel, one per worker; a single one is trained where it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import ClassVar, NamedTuple

from assay.errors import AssayError, fault
from assay.execution.answers import Say, model_folder, read_dataset_recipe
from assay.execution.executors import SERIAL, Executor
from assay.execution.training.kinds import train_model
from assay.models.checkpoints import has_finished
from assay.progress import track
from assay.records.documents import JSONObject
from assay.records.read import read_examples
from assay.records.remote import placed_at
from assay.records.types import Example
from assay.store.config_records import Dataset, System
from assay.systems.neural.recipe import Recipe


@dataclass(frozen=True)
class Training:
    """One model to train."""

    kind: str
    recipe: Recipe
    train: list[Example]
    valid: list[Example]
    folder: Path
    form: str | None = None
    test: list[Example] | None = None

    models: ClassVar[bool] = True
    seconds: ClassVar[float] = inf

    @property
    def about(self) -> str:
        """Placeholder if a worker dies."""
        return f"{self.folder}"


class Trained(NamedTuple):
    """Result of a training, or the reason why there is none."""

    folder: Path
    described: JSONObject | None
    why: str = ""


def train_all(jobs: Sequence[Training], executor: Executor) -> Iterator[Trained]:
    """Train each model, in order. A folder written on another machine must be visible here, too."""
    for job, done in zip(jobs, track(executor.map(attempt, jobs), "training", len(jobs)), strict=True):
        if done.described is not None and not has_finished(job.folder):
            shared = "use shared storage with the same path on all machines"
            yield done._replace(described=None, why=f"{job.folder}: was written on another machine; {shared}")
        else:
            yield done


def attempt(job: Training, say: Callable[[str], None] = lambda line: None) -> list[Trained]:
    """Train in a worker; a failure does not affect others."""
    try:
        made = train_model(job.kind, job.recipe, job.train, job.valid, job.folder, job.form, say, job.test)
        return [Trained(job.folder, made)]
    except AssayError as error:
        return [Trained(job.folder, None, str(error))]
    except Exception as error:
        return [Trained(job.folder, None, fault(error, job))]


def train_ahead(
    systems: Sequence[System], dataset: Dataset, base: Path, out: Path, executor: Executor, say: Say
) -> None:
    """Train the models that the systems of a config need on a dataset; failures are retried and reported where the
    model is needed. A model with filtered sources waits for its filter."""
    wanted = [system for system in systems if system.train and not system.filter]
    if executor == SERIAL or len(wanted) < 2 or not dataset.train or not dataset.valid:
        return
    train, valid = (read_examples(placed_at(base, file)).examples for file in (dataset.train, dataset.valid))
    jobs: dict[Path, Training] = {}
    for system in wanted:
        kind, recipe = read_dataset_recipe(system.train or "", dataset, base, train)
        folder = model_folder(out, system.sweep or system.name, kind, recipe, system.form, train, valid)
        if not has_finished(folder):
            jobs[folder] = Training(kind, recipe, train, valid, folder, system.form)
    if len(jobs) > 1:
        say(f"{dataset.name:<12} {'':<12} training {len(jobs)} models in parallel")
        for done in train_all(list(jobs.values()), executor):
            if done.why:
                say(f"{dataset.name:<12} {'':<12} {done.folder.name}: {done.why}")
