"""Select what to run of a config: systems, datasets, metrics, results folder."""

from __future__ import annotations

from collections.abc import Collection
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import msgspec

from assay.errors import AssayError
from assay.execution.answers import check_system
from assay.execution.config import check_config, choose_systems, extra_systems, read_config
from assay.execution.request import choose
from assay.metrics import MetricRequest
from assay.records.remote import is_url, path_of
from assay.store.config_records import Config, Dataset, System


class Chosen(NamedTuple):
    """What to run, and where."""

    config: Config
    base: Path
    out: Path
    names: set[str] | None
    """Systems to run, if not all."""
    url: str | None = None
    """The results URL, if `out` is a local copy of one."""


def chosen(
    config: Config | str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    more: Collection[str] = (),
    only: Collection[str] = (),
) -> Chosen:
    read, base = check_config(config) if isinstance(config, Config) else read_config(path_of(config))
    names = choose_systems(read.systems, only) if only else None
    if more:
        added = extra_systems(more)
        read = msgspec.structs.replace(read, systems=[*read.systems, *added])
        names = None if names is None else names | {system.name for system in added}
    out = output or read.results or f"results/{read.name}"
    return Chosen(read, base, Path(out), names, str(out) if is_url(out) else None)


def asked_of(config: Config, dataset: Dataset, only: Collection[str] | None) -> list[System]:
    """Return the systems that run on a dataset."""
    return [
        system for system in config.systems if system.tasks is None or dataset.task in system.tasks
        if only is None or system.name in only
    ]  # fmt: skip


def check_requests(config: Config, only: Collection[str] | None) -> dict[str, list[MetricRequest]]:
    """Return the metrics of each dataset; unknown names are refused before anything is computed."""
    requests: dict[str, list[MetricRequest]] = {}
    entry = ""
    try:
        for dataset in config.datasets:
            entry = f"dataset {dataset.name}"
            requests[dataset.name] = choose(dataset.metrics, dataset.suite)
        for system in config.systems:
            entry = f"system {system.name}"
            if only is None or system.name in only:
                check_system(system)
    except AssayError as error:
        raise AssayError(f"config {config.name}: {entry}: {error}") from None
    return requests
