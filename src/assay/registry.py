"""Names to things, imported only when asked for, and open to other packages through entry points."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Generic, TypeVar

from assay.errors import AssayError
from assay.specs import did_you_mean

T = TypeVar("T")


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
