"""Warnings about scored items, computed on first access."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from assay.metrics import Metric
from assay.metrics.checks.linter import lint, lint_damage
from assay.records.items import Items


class Notes(Sequence[str]):
    """Notes from joining outputs with examples, and warnings of the linter about items and metrics."""

    def __init__(self, items: Items, metrics: Sequence[Metric]) -> None:
        self._items, self._metrics = items, metrics

    @cached_property
    def _lines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self._items.notes, *self.damage, *lint(self._items, self._metrics)]))

    @cached_property
    def damage(self) -> tuple[str, ...]:
        """The most serious warnings: damaged outputs, or outputs joined with the wrong items."""
        return tuple(lint_damage(self._items))

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._lines[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._lines == tuple(other)

    def __hash__(self) -> int:
        return hash(self._lines)

    def __repr__(self) -> str:
        return repr(self._lines)
