"""Which way a metric points: correlations of metrics that are better when lower are turned before they are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from assay.errors import UsageError
from assay.specs import did_you_mean

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Direction:
    """The sign by which a metric's correlation is multiplied, and where it was known from."""

    sign: int
    why: Literal["given", "name", "sign"]
    """The user said so; a metric of that name is known; nobody knows, and its own correlation is taken as positive."""


@cache
def known_directions() -> dict[str, Better | None]:
    """Every number that some metric yields, in lower case, and what is better of it."""
    from assay.metrics import METRICS

    unusable: dict[str, str] = {}  # a plug-in that cannot be loaded names no column of ours
    found = METRICS.each(lambda cls: {part.name.casefold(): part.better for part in cls().parts()}, unusable)
    return {name: better for _, parts in found for name, better in parts.items()}


def parse_directions(given: tuple[str, ...]) -> dict[str, Better]:
    """`NAME=lower` or `NAME=higher`, several."""
    found: dict[str, Better] = {}
    for each in given:
        name, equals, better = each.rpartition("=")
        if not equals or better not in ("lower", "higher"):
            raise UsageError(f"--direction {each}: write NAME=lower or NAME=higher")
        if name in found:
            raise UsageError(f"--direction: {name} is given twice; keep one")
        found[name] = "lower" if better == "lower" else "higher"
    return found


def check_directions(given: Mapping[str, Better], columns: tuple[str, ...]) -> None:
    for name, better in given.items():
        if better not in ("lower", "higher"):
            raise UsageError(f"--direction {name}={better}: write {name}=lower or {name}=higher")
        if name not in columns:
            close = did_you_mean(name, columns)
            raise UsageError(f"--direction {name}: no such metric or human column{close}")


def direction_of(metric: str, human: str, given: Mapping[str, Better], correlation: float) -> Direction:
    """By what was said, else by the metric of that name, else by the sign of its own correlation.

    A human column counts as better when higher, unless it was said to be better when lower.
    """
    people = -1 if given.get(human) == "lower" else 1
    if metric in given:
        return Direction(people * (-1 if given[metric] == "lower" else 1), "given")
    better = known_directions().get(metric.casefold())
    if better is not None:
        return Direction(people * (-1 if better == "lower" else 1), "name")
    return Direction(-1 if correlation < 0 else 1, "sign")
