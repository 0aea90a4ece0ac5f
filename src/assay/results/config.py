"""`assay run CONFIG.toml`: which systems on which datasets, measured how."""

from __future__ import annotations

import re
import sys
from importlib.resources import files
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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


class System(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    name: str
    outputs: str
    """Path of the outputs; `{dataset}` stands for the dataset's name."""
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
        parsed = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise AssayError(f"{path}: not TOML ({error}); fix that line") from None
    try:
        config = msgspec.convert(parsed, Config)
    except msgspec.ValidationError as error:
        raise AssayError(f"{path}: {error}; see `assay run --help` for an example") from None
    for kind, things in (("dataset", config.datasets), ("system", config.systems)):
        names = [thing.name for thing in things]
        if not names:
            raise AssayError(f"{path}: no {kind}s; add a [[{kind}s]] table")
        for name in names:
            if not NAME.fullmatch(name):
                raise AssayError(f"{path}: the {kind} name '{name}' cannot be a folder; use letters, digits, - and _")
            if names.count(name) > 1:
                raise AssayError(f"{path}: two {kind}s are called {name}; rename one")
    return config, path.parent
