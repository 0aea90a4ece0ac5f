"""Names to things, imported only when asked for, and open to other packages through entry points."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from assay.errors import AssayError
from assay.specs import did_you_mean

T = TypeVar("T")


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


class Registry(Generic[T]):
    """A literal table of ``name -> "module:object"``, joined by the entry points of a group.

    A name of ours cannot be taken over by a plug-in: that is an error, because two numbers under one name
    could not be told apart.
    """

    def __init__(self, noun: str, targets: Mapping[str, str], group: str) -> None:
        self.noun = noun
        self.group = group
        self._targets = targets
        self._added: dict[str, T] = {}

    @cached_property
    def _entry_points(self) -> dict[str, str]:
        from importlib.metadata import entry_points

        found: dict[str, str] = {}
        for point in entry_points(group=self.group):
            if point.name in self._targets or found.get(point.name, point.value) != point.value:
                raise AssayError(
                    f"two {self.noun}s are called {point.name}: one comes from {point.value}; rename the plug-in's"
                )
            found[point.name] = point.value
        return found

    def add(self, name: str, thing: T) -> None:
        """Register for this process, e.g. from a notebook."""
        if name in self:
            raise AssayError(f"a {self.noun} called {name} exists already; choose another name")
        self._added[name] = thing

    def __iter__(self) -> Iterator[str]:
        yield from self._targets
        yield from self._entry_points
        yield from self._added

    def __contains__(self, name: object) -> bool:
        return name in self._targets or name in self._added or name in self._entry_points

    def get(self, name: str) -> T:
        if name in self._added:
            return self._added[name]
        target = self._targets.get(name) or self._entry_points.get(name)
        if target is None:
            raise AssayError(
                f"no {self.noun} called {name}{did_you_mean(name, self)}; `assay {self.noun}s` lists them all"
            )
        module, _, attribute = target.partition(":")
        try:
            thing: T = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise AssayError(f"{self.noun} {name} cannot be loaded from {target}: {error}") from error
        return thing
