"""Measuring: cpu seconds of this process, the better of a few goes, and what a row of results looks like."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypedDict, TypeVar

T = TypeVar("T")


class Result(TypedDict, total=False):
    """One line of `benchmarks/results.json`."""

    name: str
    pairs: int
    seconds: float
    """cpu seconds of assay"""
    peer: str
    peer_seconds: float
    ratio: float
    target: float
    """The ratio, or where there is no peer the seconds, that is to be reached."""
    values: dict[str, Any]
    equal: bool
    peak_mb: float
    note: str


def timed(call: Callable[[], T], goes: int = 1) -> tuple[T, float]:
    """What a call returns, and the cpu seconds of the fastest of some goes."""
    best = float("inf")
    for _ in range(goes):
        start = time.process_time()
        value = call()
        best = min(best, time.process_time() - start)
    return value, best


def line(row: Result) -> str:
    said = f"{row['name']:<44} {row.get('seconds', 0):9.3f} s"
    if "ratio" in row:
        said += f"   {row['peer']:<28} {row['peer_seconds']:9.2f} s   {row['ratio']:8.1f}x (target {row['target']:g}x)"
    elif "target" in row:
        said += f"   target {row['target']:g} s"
    if "peak_mb" in row:
        said += f"   {row['peak_mb']:.0f} MB"
    if "equal" in row:
        said += "   equal" if row["equal"] else "   VALUES DIFFER"
    return said + (f"   {row['note']}" if row.get("note") else "")


def against(
    name: str,
    pairs: int,
    ours: tuple[dict[str, float], float],
    peer: str,
    theirs: tuple[dict[str, float], float],
    target: float,
    tolerance: float = 1e-9,
) -> Result:
    """A row for a peer that computed the same numbers."""
    values, peers = ours[0], theirs[0]
    equal = all(abs(values[key] - peers[key]) <= tolerance * max(1.0, abs(peers[key])) for key in peers)
    return {
        "name": name,
        "pairs": pairs,
        "seconds": ours[1],
        "peer": peer,
        "peer_seconds": theirs[1],
        "ratio": theirs[1] / ours[1],
        "target": target,
        "values": values,
        "equal": equal,
    }
