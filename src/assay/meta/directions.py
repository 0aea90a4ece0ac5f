"""Directions of metrics: the sign of metrics that are better when lower is reversed before a comparison."""

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
    """The sign that multiplies the correlation of a metric, and how it is known."""

    sign: int
    why: Literal["given", "name", "sign"]
    """`given`: by the user; `name`: by the metric of this name; `sign`: from its own correlation, taken as positive."""


@cache
def known_directions() -> dict[str, Better | None]:
    """Return the better direction of every score of every metric, by name in lower case."""
    from assay.metrics import METRICS

    unusable: dict[str, str] = {}  # plug-ins that cannot be loaded are ignored
    scores = METRICS.each(lambda cls: {part.name.casefold(): part.better for part in cls().parts()}, unusable)
    return {name: better for _, parts in scores for name, better in parts.items()}


def parse_directions(options: tuple[str, ...]) -> dict[str, Better]:
    """Parse options of the form `NAME=lower` or `NAME=higher`."""
    directions: dict[str, Better] = {}
    for each in options:
        name, equals, better = each.rpartition("=")
        if not equals or better not in ("lower", "higher"):
            raise UsageError(f"--direction {each}: use NAME=lower or NAME=higher.")
        if name in directions:
            raise UsageError(f"--direction {name}: given twice. Keep one.")
        directions[name] = "lower" if better == "lower" else "higher"
    return directions


def check_directions(directions: Mapping[str, Better], columns: tuple[str, ...]) -> None:
    """Raise UsageError for unknown columns and directions."""
    for name, better in directions.items():
        if better not in ("lower", "higher"):
            raise UsageError(f"--direction {name}={better}: use {name}=lower or {name}=higher.")
        if name not in columns:
            close = did_you_mean(name, columns)
            raise UsageError(f"--direction {name}: no such metric or human column{close}.")


def direction_of(metric: str, human: str, directions: Mapping[str, Better], correlation: float) -> Direction:
    """Return the direction of a metric: as given, else by its name, else by the sign of its correlation.

    A human column is better when higher, unless given otherwise.
    """
    human_sign = -1 if directions.get(human) == "lower" else 1
    if metric in directions:
        return Direction(human_sign * (-1 if directions[metric] == "lower" else 1), "given")
    better = known_directions().get(metric.casefold())
    if better is not None:
        return Direction(human_sign * (-1 if better == "lower" else 1), "name")
    return Direction(-1 if correlation < 0 else 1, "sign")
