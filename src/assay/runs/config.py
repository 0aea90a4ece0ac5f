"""`assay run CONFIG.toml`: which systems on which datasets, measured how."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from assay.errors import AssayError, UsageError
from assay.records.documents import read_toml
from assay.runs.sweeps import with_settings
from assay.runs.variants import as_name, with_challenges, with_runs
from assay.specs import did_you_mean

NAME = re.compile(r"[\w][\w.+-]*")


class Dataset(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    examples: str
    """Path of the examples, relative to the config."""
    about: str = ""
    judgements: str | None = None
    suite: str | None = None
    metrics: list[str] | None = None
    language: str | None = None
    by: list[str] = []
    """Properties whose values the report shows side by side."""
    task: str = "generate"
    """What systems are asked: a text, a list of texts (their beams), scores for candidates (rank), or which of two
    continuations is likelier (choose)."""
    train: str | None = None
    """Examples for systems that look at some, and to train models on."""
    valid: str | None = None
    classes: str | None = None
    """For choose: a file of equivalence classes; the examples are then marked targets to make instances of."""
    text: Literal["as it is", "without markers", "markers as words"] = "as it is"
    """How marked texts are scored."""
    limit: int | None = None
    """Only the first so many examples."""
    challenges: list[str] = []
    """Ways to alter its inputs, `typos:bfp05`: each makes a dataset of its own beside it, called NAME-typos-bfp05."""
    challenge_size: int = 500
    """Items of each challenge set at the most."""
    challenge: str | None = None
    """Of a challenge set, what was done to the examples; set by `challenges`, not by hand."""


class System(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    name: str
    outputs: str | None = None
    """Path of the outputs; `{dataset}`, `{seed}` and `{prompt}` stand for the names of what a run is of."""
    system: str | None = None
    """Instead of outputs: the system that makes them, `lead:k=3`; `{model}` stands for the model trained for it."""
    form: str | None = msgspec.field(default=None, name="as")
    """How inputs are written for it."""
    train: str | None = None
    """How to train its model on the dataset's training examples: `seq2seq:tiny:epochs=5`."""
    filter: str | None = None
    """Which sentences of a source it gets to see, in training too: `lead:budget=512`, `oracle:budget=512`, the folder
    of a filter or a file of scores, relative to the config; `{filter}:budget=512` is what filter_train trains."""
    filter_train: str | None = None
    """How to train a filter on the dataset's training examples: `filter:tiny:epochs=5`."""
    seeds: list[int] = []
    """One run for each; their mean and deviation are reported."""
    prompts: list[str] = []
    """One run for each, as for seeds: names of prompts, or TOML files relative to the config."""
    matrix: dict[str, list[str | int | float | bool]] = {}
    """Values for what stands in braces, `{checkpoint}`: one entry for each setting of all of them."""
    sweep: str | None = None
    """The entry whose matrix it is a setting of, and which one; set by `matrix`, not by hand."""
    setting: dict[str, str] = {}
    group: str | None = None
    """The entry it is one of several runs of: entries with the same group have a row for their mean."""
    tasks: list[str] | None = None
    """The tasks it is asked; all if not said."""
    about: str = ""


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    datasets: list[Dataset]
    systems: list[System]
    results: str | None = None
    """Where to write; `results/NAME` below the current folder if not said."""
    ci: int = 1000
    seed: int = 0
    allow_missing: bool = False


def embedded(name: str) -> Path | None:
    """The config of a benchmark that comes with assay."""
    path = Path(str(files("assay"))) / name / f"{name}.toml"
    return path if path.is_file() else None


def read_config(path: Path) -> tuple[Config, Path]:
    """The config and the folder its paths start from. `sample` without such a file is the embedded benchmark."""
    if not path.exists() and (known := embedded(str(path))):
        path = known
    try:
        config = msgspec.convert(read_toml(path), Config)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path}: {error}; see `assay run --help` for an example") from None
    return check_config(config, path)


def check_config(config: Config, path: Path | None = None) -> tuple[Config, Path]:
    """The config with an entry for every run, and the folder its paths start from: that of its file, or the current
    one."""
    where = path or f"config {config.name}"
    config = msgspec.structs.replace(config, systems=with_settings(config.systems, where))
    for kind, things in (("dataset", config.datasets), ("system", config.systems)):
        names = [thing.name for thing in things]
        if not names:
            raise AssayError(f"{where}: no {kind}s; add a [[{kind}s]] table")
        for name in names:
            if not NAME.fullmatch(name):
                raise AssayError(f"{where}: the {kind} name '{name}' cannot be a folder; use letters, digits, - and _")
            if names.count(name) > 1:
                raise AssayError(f"{where}: two {kind}s are called {name}; rename one")
    for system in config.systems:
        if (system.outputs is None) == (system.system is None):
            raise AssayError(f"{where}: system {system.name} needs either outputs or system")
        if "{model}" in (system.system or "") and not system.train:
            raise AssayError(f"{where}: system {system.name} names a {{model}} but no recipe under train")
        if system.prompts and system.system is None and "{prompt}" not in (system.outputs or ""):
            raise AssayError(f"{where}: system {system.name} has prompts but no system to give them to")
        if ("{filter}" in (system.filter or "")) != bool(system.filter_train):
            raise AssayError(
                f'{where}: system {system.name}: filter = "{{filter}}:budget=N" and filter_train go together'
            )
        if system.filter and system.system is None:
            raise AssayError(f"{where}: system {system.name} has a filter but no system to filter for")
        _check_places(system, where)
    _check_tasks(config, where)
    base = path.parent if path else Path()
    datasets = with_challenges(config.datasets, where)
    return msgspec.structs.replace(config, datasets=datasets, systems=with_runs(config.systems, base)), base


def _check_places(system: System, where: object) -> None:
    """What stands in braces in the path of outputs must be something that a run has."""
    given = {"dataset": True, "seed": bool(system.seeds), "prompt": bool(system.prompts)}
    for name in re.findall(r"\{(.*?)\}", system.outputs or ""):
        if name not in given:
            raise AssayError(
                f"{where}: system {system.name}: outputs has {{{name}}}; what may stand there is {{dataset}}, {{seed}} "
                "and {prompt}"
            )
        if not given[name]:
            raise AssayError(f"{where}: system {system.name}: outputs has {{{name}}}, but the system has no {name}s")
    for name in ("seed", "prompt"):
        if system.outputs and given[name] and f"{{{name}}}" not in system.outputs:
            raise AssayError(
                f"{where}: system {system.name} has {name}s, but its outputs are the same file for all of them; put "
                f"{{{name}}} into the path"
            )


def extra_systems(specs: Iterable[str]) -> list[System]:
    """Systems that stand in no config, each called like its spec."""
    return [System(name=as_name(spec), system=spec) for spec in specs]


def choose_systems(systems: list[System], names: Collection[str]) -> set[str]:
    """The names of systems asked for by their own name or that of the entry they are a run of."""
    own = [(system.sweep, system.group or system.name, system.name) for system in systems]
    known = dict.fromkeys(name for called in own for name in called if name)
    for name in names:
        if name not in known:
            raise UsageError(f"--only {name}: no such system{did_you_mean(name, known)}; there is {', '.join(known)}")
    return {system.name for system in systems if {system.name, system.group, system.sweep} & {*names}}


def _check_tasks(config: Config, where: object) -> None:
    """A task that nobody knows would only show itself when a system is asked."""
    from assay.systems.tasks import TASKS, tasks_about_examples

    named = [(f"dataset {dataset.name}", dataset.task) for dataset in config.datasets]
    named += [(f"system {system.name}", task) for system in config.systems for task in system.tasks or ()]
    known = tasks_about_examples()
    for who, task in named:
        if task not in known:
            if task in TASKS:
                TASKS.get(task)  # which says why, where it cannot be loaded
            raise AssayError(
                f"{where}: {who}: no task called {task}{did_you_mean(task, known)}; there is {', '.join(known)}"
            )
