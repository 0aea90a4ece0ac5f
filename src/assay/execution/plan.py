"""The plan of a run: metrics to compute, reuse or skip, and the estimated time.

Times are measured on a sample of the items with every metric to compute. Generation and training are counted, not
timed, since measuring them could cost money.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path

from assay.errors import AssayError, ChangedError
from assay.execution.answers import UntrainedError, answers_file, count_answers, marked_texts, outputs_of, read_dataset
from assay.execution.chosen import asked_of, check_requests, chosen
from assay.execution.config_remedies import for_config
from assay.execution.loading import load_items
from assay.execution.measure import SHARD, reason_to_skip
from assay.execution.run_entry import find_task, of_originals
from assay.execution.shard_job import attempt
from assay.metrics import MetricRequest
from assay.models.context import Context
from assay.records.items import Items
from assay.records.read import ExampleFile
from assay.records.remote import fetched, is_there, named_at
from assay.records.types import Example
from assay.store.config_records import Config, Dataset, System
from assay.store.run_folder import RunFolder
from assay.store.run_manifest import is_run

SAMPLE = 100
"""Number of items measured for an estimate."""


@dataclass
class PlannedRun:
    """One system on one dataset."""

    dataset: str
    system: str
    items: int = 0
    shards: int = 0
    compute: list[str] = field(default_factory=list)
    reuse: list[str] = field(default_factory=list)
    skip: dict[str, str] = field(default_factory=dict)
    """Skipped metrics, with the reason."""
    ask: int = 0
    """Number of items to generate."""
    train: str | None = None
    """Recipe of a model to train first, in the first run that uses it."""
    why: str | None = None
    """Why the run is not possible."""
    seconds: float | None = None
    """Estimated scoring time on one CPU; None without outputs."""

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def plan_config(
    config: Config | str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    more: Collection[str] = (),
    only: Collection[str] = (),
    force: bool = False,
    changed: bool = False,
) -> list[PlannedRun]:
    """Return the plan of `run_config`; nothing is written, generated or trained."""
    read, base, out, names, url = chosen(config, output, more=more, only=only)
    if url and is_there(url):
        out = fetched(url)
    requests = check_requests(read, names)
    planned: list[PlannedRun] = []
    trained: set[Path] = set()
    for dataset in read.datasets:
        systems = asked_of(read, dataset, names)
        try:
            examples = read_dataset(dataset, base, read.seed)
        except AssayError as error:
            planned += [PlannedRun(dataset.name, system.name, why=for_config(error)) for system in systems]
            continue
        paces: dict[str, float] = {}
        for system in systems:
            plan = _Planning(read, dataset, base, out, examples, requests[dataset.name], force, changed, paces, trained)
            planned.append(plan.of(system))
    return planned


@dataclass
class _Planning:
    config: Config
    dataset: Dataset
    base: Path
    out: Path
    examples: list[Example]
    requests: Sequence[MetricRequest]
    force: bool
    changed: bool
    paces: dict[str, float]
    """Seconds per item, by metric key, for all systems of the dataset."""
    trained: set[Path]
    """Models that an earlier run of the plan trains."""

    def of(self, system: System) -> PlannedRun:
        planned = PlannedRun(self.dataset.name, system.name, len(self.examples), -(-len(self.examples) // SHARD))
        folder = self.out / self.dataset.name / system.name
        try:
            if why := of_originals(system, self.dataset):
                raise AssayError(why)
            if system.system is not None and not self._answered(planned, system):
                planned.compute = [str(request.spec) for request in self.requests]
            elif system.system is not None:
                self._measure(planned, folder, answers_file(system, self.dataset, self.out))
            else:
                self._measure(planned, folder, outputs_of(system, self.dataset, self.base))
        except AssayError as error:
            planned.why = for_config(error)
        return planned

    def _answered(self, planned: PlannedRun, system: System) -> bool:
        """Return whether the answers of this system for these examples exist; otherwise plan training and
        generation."""
        there = 0
        try:
            there = count_answers(system, self.dataset, self.base, self.out, self.examples, self.force)
        except ChangedError:
            if not self.changed:
                raise
        except UntrainedError as untrained:
            if answers_file(system, self.dataset, self.out).exists() and not (self.force or self.changed):
                raise AssayError(
                    f"{untrained}, and its answers are of another model; --changed or --force replaces them"
                ) from None
            planned.train = None if untrained.folder in self.trained else untrained.recipe
            self.trained.add(untrained.folder)
        planned.ask = len(self.examples) - there
        return not planned.ask

    def _measure(self, planned: PlannedRun, folder: Path, outputs: Path) -> None:
        why, task = find_task(outputs, self.dataset.name)
        if why:
            raise AssayError(why)
        examples = ExampleFile(self.examples, True, str(named_at(self.base, self.dataset.examples)))
        items = load_items(
            outputs, examples=examples, language=self.dataset.language, dataset=task,
            allow_missing=self.config.allow_missing,
        )  # fmt: skip
        marked = marked_texts(self.dataset, self.base, self.examples)
        items = replace(items, outputs=tuple(map(marked.output, items.outputs)), treatment=marked.treatment)
        planned.items, planned.shards = len(items), -(-len(items) // SHARD)
        keep = set() if self.force else self._stored(items, folder)
        todo: dict[str, MetricRequest] = {}
        for request in self.requests:
            reason = reason_to_skip(request.metric, items)
            name, key = str(request.spec), request.metric.stored_as()
            if reason:
                if not request.optional:
                    planned.skip[name] = reason
            elif key in keep:
                planned.reuse.append(name)
            else:
                planned.compute.append(name)
                todo[key] = request
        planned.seconds = round(sum(self._pace(key, todo[key], items) for key in todo) * len(items), 3)

    def _stored(self, items: Items, folder: Path) -> set[str]:
        """Return the keys of stored statistics of these items."""
        if not is_run(folder):
            return set()
        run = RunFolder(folder, items)
        stored = run.stored_keys([request.metric.stored_as() for request in self.requests])
        if stored is None and not self.changed:
            raise AssayError(
                f"{folder}: contains a run of other outputs or references; --changed or --force replaces it"
            )
        return stored or set()

    def _pace(self, key: str, request: MetricRequest, items: Items) -> float:
        if key not in self.paces:
            some = next(iter(items.shards(SAMPLE))).loaded()
            attempt(request.metric, next(iter(items.shards(1))).loaded(), Context())  # what is loaded, is loaded once
            start = time.perf_counter()
            attempt(request.metric, some, Context())
            self.paces[key] = (time.perf_counter() - start) / max(1, len(some))
        return self.paces[key]
