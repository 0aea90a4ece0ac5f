"""What `assay analyze power` is requested to compute, from what, and which options apply to that."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from assay.cli.shared.options import comma_separated, named_numbers
from assay.errors import UsageError
from assay.execution.request import ScoreRequest
from assay.meta.power import Effect
from assay.meta.variance_sources import Budget, Runs
from assay.results.verdict import Family
from assay.store.run_manifest import is_run

SOURCES: dict[str, tuple[str, ...]] = {
    "two systems": ("effect", "items", "cluster", "correction", "family"),
    "two files": ("effect", "versus", "runs", "budget", "cost"),
    "--judgements": ("effect", "systems", "criterion", "budget", "cost"),
    "--correlation": ("against",),
    "--sd": ("effect", "items"),
}
"""What power is computed from, with the options that apply to each."""


@dataclass(frozen=True)
class PlanRequest:
    """The options of `assay analyze power`, as they are typed."""

    effect: str | None
    cluster: str | None
    items: int | None
    budget: float | None
    cost: str | None
    judgements: Path | None
    systems: str | None
    criterion: str | None
    sd: float | None
    power: float
    alpha: float
    correction: Literal["max-t", "holm"] | None
    family: Family
    versus: tuple[Path, ...]
    runs: Runs | None
    correlation: float | None
    against: float | None

    @property
    def true_difference(self) -> Effect:
        """The effect: one number, or one by metric."""
        if self.effect is None or "=" in self.effect:
            return None if self.effect is None else named_numbers(self.effect, "--effect")
        try:
            value = float(self.effect)
        except ValueError:
            raise UsageError(f"--effect: '{self.effect}' is neither a number nor NAME=NUMBER,..") from None
        if not math.isfinite(value):
            raise UsageError(f"--effect: {self.effect} is not a finite number")
        return value

    @property
    def allocation(self) -> Budget | None:
        """The budget with its prices."""
        return None if self.budget is None else Budget(self.budget, named_numbers(self.cost, "--cost"))

    @property
    def pair(self) -> tuple[str, ...]:
        """The systems of --judgements."""
        return comma_separated(self.systems)

    def check(self, paths: tuple[Path, ...], scored: ScoreRequest) -> None:
        """Check that options fit together and that every number is finite."""
        for name in ("sd", "correlation", "against", "budget"):
            value = getattr(self, name)
            if value is not None and not math.isfinite(value):
                raise UsageError(f"--{name}: {value} is not a finite number")
        if (self.budget is None) != (self.cost is None):
            raise UsageError("--budget and --cost require each other")
        if self.runs and not self.versus:
            raise UsageError("--runs requires --versus")
        sources = self._sources(paths, scored)
        if len(sources) > 1:
            raise UsageError(f"{sources[0]} and {sources[1]} exclude each other; leave one out")
        if scored.allow_missing and sources and not sources[0].startswith("two "):
            raise UsageError(f"--allow-missing does not apply to {sources[0]}; it requires two systems or two files")
        for name in sorted({name for useful in SOURCES.values() for name in useful}):
            useful = [source for source in SOURCES if name in SOURCES[source]]
            if sources and self._states(name) and sources[0] not in useful:
                raise UsageError(
                    f"--{name.replace('_', '-')} does not apply to {sources[0]}; it requires {' or '.join(useful)}"
                )

    def _sources(self, paths: tuple[Path, ...], scored: ScoreRequest) -> list[str]:
        files = "two systems" if are_systems(paths, scored) else "two files"
        named = {f"--{field.name}" for field in fields(self) if getattr(self, field.name) is not None}
        return [*([files] if paths or self.versus else []), *(source for source in SOURCES if source in named)]

    def _states(self, option: str) -> bool:
        """Return whether an option has another value than its default."""
        value = getattr(self, option)
        return bool(value) and (option != "family" or value != "all")


def are_systems(paths: tuple[Path, ...], scored: ScoreRequest) -> bool:
    """Return whether these are outputs or saved runs, not scores of items: they are scored against something."""
    return bool(paths) and (any(is_run(path) for path in paths) or bool(scored.files))
