"""Run a config: every system on every dataset, into a results folder."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import nullcontext
from os import PathLike
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.execution.answers import Say, read_dataset
from assay.execution.chosen import asked_of, check_requests, chosen
from assay.execution.config_remedies import for_config
from assay.execution.executors import SERIAL, Executor
from assay.execution.run_entry import Attempt
from assay.execution.train_ahead import train_ahead
from assay.records.digests import FileDigest
from assay.records.mirror import mirrored
from assay.records.read import read_judgements
from assay.records.remote import named_at, placed_at
from assay.records.types import Example, Judgement
from assay.store.config_records import Config, Dataset
from assay.store.dataset_folder import DatasetFolder
from assay.store.results_folder import ResultsFolder
from assay.store.results_manifest import Entry, ResultsManifest
from assay.store.results_record import folder_lock, manifest_before, record, write_groups
from assay.store.run_manifest import EXAMPLES
from assay.systems import refuse_secrets


def run_config(
    config: Config | str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    more: Collection[str] = (),
    only: Collection[str] = (),
    executor: Executor = SERIAL,
    force: bool = False,
    changed: bool = False,
    say: Say = lambda line: None,
) -> ResultsFolder:
    """Run a config: all its systems and `more` by specification, or `only` some by name."""
    read, base, named, names, url = chosen(config, output, more=more, only=only)
    with mirrored(url) if url else nullcontext(named) as out:
        manifest = run(read, base, out, only=names, executor=executor, force=force, changed=changed, say=say)
    mine = [entry for entry in manifest.entries if names is None or entry.system in names]
    return ResultsFolder(out, msgspec.structs.replace(manifest, entries=mine), url)


def run(
    config: Config,
    base: Path,
    out: Path,
    *,
    only: Collection[str] | None = None,
    executor: Executor = SERIAL,
    force: bool = False,
    changed: bool = False,
    say: Say = lambda line: None,
) -> ResultsManifest:
    """Score all systems, or `only` some; existing runs are reused. Failures of a dataset or system are reported, and
    the rest continues."""
    for system in config.systems:
        refuse_secrets(system.system or "")  # the config is kept in the folder
    requests = check_requests(config, only)
    before = manifest_before(out, strict=only is not None)
    outcomes: list[Entry] = []
    busy: set[tuple[str, str]] = set()
    files: dict[str, FileDigest] = {}
    for dataset in config.datasets:
        requests_by_dataset = asked_of(config, dataset, only)
        try:
            examples = read_dataset(dataset, base, config.seed, say)
            shared = DatasetFolder(out / dataset.name, examples, _judgements(dataset, base, examples))
        except AssayError as error:
            problem = for_config(error)
            if dataset.challenge is None and len(config.datasets) == 1:
                raise type(error)(problem) from error
            outcomes += [Entry(dataset.name, system.name, problem, failed=True) for system in requests_by_dataset]
            say(f"{dataset.name:<12} {'':<12} failed: {problem}")
            continue
        train_ahead(requests_by_dataset, dataset, base, out, executor, say)
        attempt = Attempt(
            config, dataset, base, out, examples, requests[dataset.name], shared, executor, force, changed, say
        )
        try:
            with folder_lock(out):
                recorded = before.files.get(f"{dataset.name}/{EXAMPLES}") if before else None
                shared.prepare({system.name for system in requests_by_dataset}, force or changed, recorded)
        except AssayError as error:
            entries = [Entry(dataset.name, system.name, str(error), failed=True) for system in requests_by_dataset]
            say(f"{dataset.name:<12} {'':<12} refused: {error}")
        else:
            entries = [attempt.on(system, busy) for system in requests_by_dataset]
            for place, system in enumerate(requests_by_dataset):
                if (dataset.name, system.name) in busy:  # the other process may have finished
                    busy.discard((dataset.name, system.name))
                    entries[place] = attempt.on(system, busy)
            if why := shared.changed():
                entries = [msgspec.structs.replace(entry, why=why, failed=True) for entry in entries]
            files |= {f"{dataset.name}/{name}": digest for name, digest in shared.digests.items()}
        outcomes += entries
    merged = record(out, config, outcomes, busy, files)
    _say_others(config, merged, say)
    write_groups(out, say)
    known = merged.by_pair | {(entry.dataset, entry.system): entry for entry in outcomes}
    pairs = [(dataset.name, system.name) for dataset in config.datasets for system in config.systems]
    return ResultsManifest(
        config.name, config.datasets, config.systems, [known[pair] for pair in pairs if pair in known]
    )


def _say_others(config: Config, merged: ResultsManifest, say: Say) -> None:
    """Report runs of systems and datasets that are not in the config; they are kept."""
    names = {(dataset.name, system.name) for dataset in config.datasets for system in config.systems}
    for dataset, system in merged.by_pair:
        if (dataset, system) not in names:
            say(f"{dataset:<12} {system:<12} kept: not in this config. Delete its folder to remove it.")


def _judgements(dataset: Dataset, base: Path, examples: list[Example]) -> list[Judgement] | None:
    if dataset.judgements is None:
        return None
    known = {example.id for example in examples}
    read = read_judgements(placed_at(base, dataset.judgements))
    judgements = [judgement for judgement in read if judgement.id in known]
    if not judgements:
        where = named_at(base, dataset.judgements)
        raise AssayError(f"{where}: no judgement about an item of {dataset.name}. Check the ids.")
    return judgements
