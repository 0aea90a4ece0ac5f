"""Expand the challenges of a dataset, and the seeds and prompts of a system."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.store.config_records import Dataset, System


def as_name(spec: str) -> str:
    """Return a specification as a folder name."""
    return re.sub(r"[^\w.+-]+", "-", spec).strip("-")


def with_challenges(datasets: list[Dataset], where: object) -> list[Dataset]:
    """Return every dataset, followed by one per challenge; unknown perturbations are refused."""
    from assay.challenges import perturbation

    names: list[Dataset] = []
    for dataset in datasets:
        names.append(msgspec.structs.replace(dataset, challenges=[]))
        if dataset.challenges and dataset.classes:
            raise AssayError(f"{where}: dataset {dataset.name}: instances of classes have no challenges; leave one out")
        for spec in dataset.challenges:
            try:
                perturbation(spec)
            except AssayError as error:
                raise AssayError(f"{where}: dataset {dataset.name}: {error}") from None
            name = f"{dataset.name}-{as_name(spec)}"
            if name in {other.name for other in (*datasets, *names)}:
                raise AssayError(f"{where}: two datasets are called {name}; rename one, or name the challenge once")
            names.append(msgspec.structs.replace(dataset, name=name, challenge=spec, challenges=[], judgements=None))
    return names


def with_runs(systems: list[System], base: Path) -> list[System]:
    """Expand an entry with seeds or prompts to one entry per seed, prompt or pair."""
    return [run for system in systems for run in _runs(system, base)]


def _runs(system: System, base: Path) -> list[System]:
    if not system.seeds and not system.prompts:
        return [system]
    runs = []
    prompts: list[str | None] = [*system.prompts] or [None]
    seeds: list[int | None] = [*system.seeds] or [None]
    for prompt in prompts:
        for seed in seeds:
            parts = [system.name, *([Path(prompt).stem] if prompt else []), *([str(seed)] if seed is not None else [])]
            file = str(base / prompt) if prompt and prompt.endswith(".toml") else prompt
            runs.append(
                msgspec.structs.replace(
                    system, name="-".join(parts), group=system.name, prompts=[prompt] if prompt else [],
                    outputs=_filled(system.outputs, seed, prompt),
                    seeds=[] if seed is None else [seed],
                    system=f"{system.system}:prompt={file}" if file and system.system else system.system,
                    train=f"{system.train}:seed={seed}" if system.train and seed is not None else system.train,
                )
            )  # fmt: skip
    return runs


def _filled(outputs: str | None, seed: int | None, prompt: str | None) -> str | None:
    if outputs is None:
        return None
    with_seed = outputs if seed is None else outputs.replace("{seed}", str(seed))
    return with_seed if prompt is None else with_seed.replace("{prompt}", Path(prompt).stem)
