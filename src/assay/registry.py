"""Names to things, imported only when asked for, and open to other packages through entry points."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from assay.errors import AssayError, blaming
from assay.specs import did_you_mean

T = TypeVar("T")
R = TypeVar("R")


def provider_of(module: str, group: str) -> str | None:
    """`name-version` of the installed package that a module comes from; None for a module that is just there.

    Packages that name an entry point of the group are asked first: of one that is installed in place, nothing else
    tells where its modules lie.
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
    for found in distributions(path=[str(folder)]):
        named = (found.read_text("top_level.txt") or "").split()
        if top in (named or {place.parts[0].removesuffix(".py") for place in found.files or ()}):
            return f"{found.name}-{found.version}"
    return None


class Plugin(NamedTuple):
    """What an installed package offers under a name."""

    target: str
    package: str
    """`name version`, as a person has to update or uninstall it."""


class Registry(Generic[T]):
    """A literal table of ``name -> "module:object"``, joined by the entry points of a group.

    A name of ours cannot be taken over by a plug-in: whoever asks for it is told of both, because two numbers under
    one name could not be told apart. Nobody else is disturbed by that, nor by a plug-in that cannot be loaded.
    """

    def __init__(self, noun: str, targets: Mapping[str, str], group: str) -> None:
        self.noun = noun
        self.group = group
        self._targets = targets
        self._added: dict[str, T] = {}

    @cached_property
    def _plugins(self) -> dict[str, list[Plugin]]:
        from importlib.metadata import entry_points

        found: dict[str, list[Plugin]] = {}
        for point in entry_points(group=self.group):
            package = f"{point.dist.name} {point.dist.version}" if point.dist else "a package without metadata"
            others = found.setdefault(point.name, [])
            if point.value not in [other.target for other in others]:
                others.append(Plugin(point.value, package))
        return found

    def add(self, name: str, thing: T) -> None:
        """Register for this process, e.g. from a notebook."""
        if name in self:
            raise AssayError(f"a {self.noun} called {name} exists already; choose another name")
        self._added[name] = thing

    def __iter__(self) -> Iterator[str]:
        yield from self._targets
        yield from (name for name in self._plugins if name not in self._targets)
        yield from self._added

    def __contains__(self, name: object) -> bool:
        return name in self._targets or name in self._added or name in self._plugins

    def get(self, name: str) -> T:
        """What a name stands for; an error says which package to mend."""
        if name in self._added:
            return self._added[name]
        plugins = self._plugins.get(name, [])
        if name in self._targets:
            if plugins:
                raise self._taken(name, "assay's own", plugins[0])
            return self._load(name, self._targets[name])
        if not plugins:
            raise AssayError(
                f"no {self.noun} called {name}{did_you_mean(name, self)}; `assay {self.noun}s` lists them all"
            )
        if len(plugins) > 1:
            raise self._taken(name, f"{plugins[0].target} of {plugins[0].package}", plugins[1])
        return self._load(name, *plugins[0])

    def each(self, make: Callable[[T], R], broken: dict[str, str]) -> Iterator[tuple[str, R]]:
        """Name by name what `make` gives; `broken` fills with the reasons of those that cannot be loaded or used."""
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
        except Exception as error:  # importing runs the module, and anything may happen in it
            why = error if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
            remedy = f"; update or uninstall {package.partition(' ')[0]}" if package else ""
            raise AssayError(
                f"{self.noun} {name}{self._from(name)} cannot be loaded from {target}: {why}{remedy}"
            ) from error
        return thing

    def _from(self, name: str) -> str:
        plugins = self._plugins.get(name)
        return f" of {plugins[0].package}" if plugins else ""

    def _taken(self, name: str, first: str, second: Plugin) -> AssayError:
        return AssayError(
            f"two {self.noun}s are called {name}: {first} and {second.target} of {second.package}; "
            f"update or uninstall {second.package.partition(' ')[0]}, or have it renamed there"
        )
