"""Warnings about scored items, looked for when somebody wants to read them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from assay.metrics import Metric
from assay.metrics.checks.linter import lint, lint_damage
from assay.records.items import Items


class Notes(Sequence[str]):
    """What came up when the items were joined, and what the linter has to say of them with these metrics."""

    def __init__(self, items: Items, metrics: Sequence[Metric]) -> None:
        self._items, self._metrics = items, metrics

    @cached_property
    def _found(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self._items.notes, *self.damage, *lint(self._items, self._metrics)]))

    @cached_property
    def damage(self) -> tuple[str, ...]:
        """The worst of them: outputs that were damaged or stand beside the wrong items."""
        return tuple(lint_damage(self._items))

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._found[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._found == tuple(other)

    def __hash__(self) -> int:
        return hash(self._found)

    def __repr__(self) -> str:
        return repr(self._found)
