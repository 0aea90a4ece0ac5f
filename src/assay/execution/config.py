"""Read and check the config of `assay run`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from importlib.resources import files
from pathlib import Path

import msgspec

from assay.errors import AssayError, UsageError
from assay.execution.sweeps import with_settings
from assay.execution.variants import as_name, with_challenges, with_runs
from assay.records.documents import read_toml
from assay.records.key_problems import key_problem
from assay.specs import did_you_mean
from assay.store.config_records import Config, System

NAME = re.compile(r"""\w(?:[^\\/:*?"<>|{}\x00-\x1f\x7f]*[^\s.\\/:*?"<>|{}\x00-\x1f\x7f])?""")
"""What can be the name of a folder on every system: systems and datasets have one each."""


def embedded(name: str) -> Path | None:
    """Return the path of an embedded config."""
    path = Path(str(files("assay"))) / name / f"{name}.toml"
    return path if path.is_file() else None


def read_config(path: Path) -> tuple[Config, Path]:
    """Read a config; return it with the folder of its relative paths. `sample` is the embedded one."""
    if not path.exists() and (known := embedded(str(path))):
        path = known
    try:
        config = msgspec.convert(read_toml(path), Config)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path}: {key_problem(error, Config)}. `assay run --help` has an example.") from None
    return check_config(config, path)


def check_config(config: Config, path: Path | None = None) -> tuple[Config, Path]:
    """Check a config; return it with an entry per run, and the folder of its relative paths: that of its file, or the
    current one."""
    where = path or f"config {config.name}"
    config = msgspec.structs.replace(config, systems=with_settings(config.systems, where))
    for kind, things in (("dataset", config.datasets), ("system", config.systems)):
        names = [thing.name for thing in things]
        if not names:
            raise AssayError(f"{where}: no {kind}s; add a [[{kind}s]] table")
        for name in names:
            if not NAME.fullmatch(name):
                raise AssayError(
                    f"{where}: the {kind} name '{name}' cannot be a folder name. Start with a letter or digit, end "
                    'without a space or dot, and leave out / \\ : * ? " < > | { }.'
                )
            if names.count(name) > 1:
                raise AssayError(f"{where}: two {kind}s are called {name}; rename one")
    for system in config.systems:
        if (system.outputs is None) == (system.system is None):
            raise AssayError(f"{where}: system {system.name} needs either outputs or system")
        if "{model}" in (system.system or "") and not system.train:
            raise AssayError(f"{where}: system {system.name} uses {{model}} but has no recipe under train")
        if system.prompts and system.system is None and "{prompt}" not in (system.outputs or ""):
            raise AssayError(f"{where}: system {system.name} has prompts but no system")
        if ("{filter}" in (system.filter or "")) != bool(system.filter_train):
            raise AssayError(
                f'{where}: system {system.name}: filter = "{{filter}}:budget=N" and filter_train require each other'
            )
        if system.filter and system.system is None:
            raise AssayError(f"{where}: system {system.name} has a filter but no system")
        _check_places(system, where)
    _check_tasks(config, where)
    base = path.parent if path else Path()
    datasets = with_challenges(config.datasets, where)
    return msgspec.structs.replace(config, datasets=datasets, systems=with_runs(config.systems, base)), base


def _check_places(system: System, where: object) -> None:
    """Check that placeholders in the path of outputs are defined."""
    defined = {"dataset": True, "seed": bool(system.seeds), "prompt": bool(system.prompts)}
    for name in re.findall(r"\{(.*?)\}", system.outputs or ""):
        if name not in defined:
            raise AssayError(
                f"{where}: system {system.name}: outputs has {{{name}}}; allowed are {{dataset}}, {{seed}} "
                "and {prompt}"
            )
        if not defined[name]:
            raise AssayError(f"{where}: system {system.name}: outputs has {{{name}}}, but the system has no {name}s")
    for name in ("seed", "prompt"):
        if system.outputs and defined[name] and f"{{{name}}}" not in system.outputs:
            raise AssayError(
                f"{where}: system {system.name} has {name}s, but one outputs file for all of them; add "
                f"{{{name}}} to the path"
            )


def extra_systems(specs: Iterable[str]) -> list[System]:
    """Return further systems, each named by its specification."""
    return [System(name=as_name(spec), system=spec) for spec in specs]


def choose_systems(systems: list[System], names: Collection[str]) -> set[str]:
    """Return the systems selected by their own name or that of their entry."""
    own = [(system.sweep, system.group or system.name, system.name) for system in systems]
    known = dict.fromkeys(name for called in own for name in called if name)
    for name in names:
        if name not in known:
            raise UsageError(f"--only {name}: no such system{did_you_mean(name, known)}; available: {', '.join(known)}")
    return {system.name for system in systems if {system.name, system.group, system.sweep} & {*names}}


def _check_tasks(config: Config, where: object) -> None:
    """Refuse unknown tasks before any system runs."""
    from assay.systems.tasks import TASKS, tasks_about_examples

    named = [(f"dataset {dataset.name}", dataset.task) for dataset in config.datasets]
    named += [(f"system {system.name}", task) for system in config.systems for task in system.tasks or ()]
    known = tasks_about_examples()
    for who, task in named:
        if task not in known:
            if task in TASKS:
                TASKS.get(task)  # which says why, where it cannot be loaded
            raise AssayError(
                f"{where}: {who}: no task called {task}{did_you_mean(task, known)}; available: {', '.join(known)}"
            )
