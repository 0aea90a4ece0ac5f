"""Registries: names to classes that are imported on first use, open to other packages through entry points."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from assay.errors import AssayError, blaming
from assay.specs import did_you_mean

T = TypeVar("T")
R = TypeVar("R")
LIST_COMMANDS = {
    "metric": "assay metric list",
    "system": "assay system list",
    "challenge": "assay challenge list",
    "dataset": "assay data list",
    "form": "assay data forms",
}
"""Command that lists the entries of a registry, by its noun."""


def provider_of(module: str, group: str) -> str | None:
    """Return `name-version` of the installed package that contains a module; None if no package does.

    Packages with an entry point of the group come first: for an editable install, only the entry point shows which
    package a module belongs to.
    """
    from importlib.metadata import distributions, entry_points

    top = module.partition(".")[0]
    for point in entry_points(group=group):
        if point.dist and point.value.partition(":")[0].partition(".")[0] == top:
            return f"{point.dist.name}-{point.dist.version}"
    file = getattr(sys.modules.get(top), "__file__", None)
    if not file:
        return None
    folder = Path(file).parents[1 if Path(file).name == "__init__.py" else 0]
    for package in distributions(path=[str(folder)]):
        modules = (package.read_text("top_level.txt") or "").split()
        if top in (modules or {file.parts[0].removesuffix(".py") for file in package.files or ()}):
            return f"{package.name}-{package.version}"
    return None


def may_have_plugins() -> bool:
    """Return whether an installed package may have an entry point of ours.

    `importlib.metadata` takes a tenth of a short command to import and to parse the metadata of every package. Here
    files of entry points are only searched for a group; anything else than plain folders is left to it.
    """
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    for folder in dict.fromkeys(sys.path):
        try:
            entries = list(os.scandir(folder or "."))
        except NotADirectoryError:
            return True  # an archive
        except OSError:
            continue
        for entry in entries:
            name = entry.name.lower()
            if name.endswith((".egg", ".egg-info")):
                return True
            if name.endswith(".dist-info"):
                with suppress(OSError):
                    if b"[assay." in Path(entry.path, "entry_points.txt").read_bytes():
                        return True
    return False


class Plugin(NamedTuple):
    """An entry point of an installed package."""

    target: str
    package: str
    """`name version` of the package."""


class Registry(Generic[T]):
    """A table of ``name -> "module:object"``, extended by the entry points of a group.

    A plug-in cannot replace a built-in name: `get` of a name with two meanings is an error, because scores under one
    name would come from different code. All other names, and plug-ins that load, keep working.

    Args:
        noun: What an entry is called in messages, e.g. "metric".
        targets: Built-in names with their `module:object`.
        group: Entry point group of plug-ins, e.g. "assay.metrics".
    """

    def __init__(self, noun: str, targets: Mapping[str, str], group: str) -> None:
        self.noun = noun
        self.group = group
        self._targets = targets
        self._added: dict[str, T] = {}

    @cached_property
    def _plugins(self) -> dict[str, list[Plugin]]:
        plugins: dict[str, list[Plugin]] = {}
        if not may_have_plugins():
            return plugins
        from importlib.metadata import entry_points

        for point in entry_points(group=self.group):
            package = f"{point.dist.name} {point.dist.version}" if point.dist else "a package without metadata"
            others = plugins.setdefault(point.name, [])
            if point.value not in [other.target for other in others]:
                others.append(Plugin(point.value, package))
        return plugins

    def add(self, name: str, thing: T) -> None:
        """Register an object for this process, e.g. in a notebook."""
        if name in self:
            raise AssayError(f"{self.noun} {name} already exists; choose another name")
        self._added[name] = thing

    def __iter__(self) -> Iterator[str]:
        yield from self._targets
        yield from (name for name in self._plugins if name not in self._targets)
        yield from self._added

    def __contains__(self, name: object) -> bool:
        return name in self._targets or name in self._added or name in self._plugins

    def get(self, name: str) -> T:
        """Return the object of a name.

        Raises:
            AssayError: The name is unknown or defined twice, or the package that defines it cannot be loaded.
        """
        if name in self._added:
            return self._added[name]
        plugins = self._plugins.get(name, [])
        if name in self._targets:
            if plugins:
                raise self._taken(name, "assay's own", plugins[0])
            return self._load(name, self._targets[name])
        if not plugins:
            raise AssayError(f"no {self.noun} called {name}{did_you_mean(name, self)}; {self._see()}")
        if len(plugins) > 1:
            raise self._taken(name, f"{plugins[0].target} of {plugins[0].package}", plugins[1])
        return self._load(name, *plugins[0])

    def each(self, make: Callable[[T], R], broken: dict[str, str]) -> Iterator[tuple[str, R]]:
        """Yield each name with the result of `make`; collect in `broken` why others cannot be loaded or used."""
        for name in self:
            try:
                thing = self.get(name)
                with blaming(f"{self.noun} {name}{self._from(name)} cannot be used", thing):
                    made = make(thing)
            except AssayError as error:
                broken[name] = str(error)
            else:
                yield name, made

    def _load(self, name: str, target: str, package: str = "") -> T:
        module, _, attribute = target.partition(":")
        try:
            thing: T = getattr(importlib.import_module(module), attribute)
        except Exception as error:  # importing runs code of the module, which can raise anything
            why = error if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
            remedy = f"; update or uninstall {package.partition(' ')[0]}" if package else ""
            raise AssayError(
                f"{self.noun} {name}{self._from(name)} cannot be loaded from {target}: {why}{remedy}"
            ) from error
        return thing

    def _see(self) -> str:
        command = LIST_COMMANDS.get(self.noun)
        return f"see `{command}`" if command else f"there are {', '.join(self)}"

    def _from(self, name: str) -> str:
        plugins = self._plugins.get(name)
        return f" of {plugins[0].package}" if plugins else ""

    def _taken(self, name: str, first: str, second: Plugin) -> AssayError:
        return AssayError(
            f"two {self.noun}s are called {name}: {first} and {second.target} of {second.package}; "
            f"update or uninstall {second.package.partition(' ')[0]}, or rename its {self.noun}"
        )
