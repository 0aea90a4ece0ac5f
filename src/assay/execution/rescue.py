"""Recover from dead workers: a shard is split until the failing item is known.

A worker may be killed, run out of memory, crash in native code or hang. Executors retry such a shard a few times; then
`rescue` computes what can be computed and names the failing item.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

from assay.errors import AssayError

T = TypeVar("T")
R = TypeVar("R")
RETRIES = 2
"""Number of retries of a shard after its worker died."""
HOUR = 3600.0


class Lost(NamedTuple):
    """Placeholder for results of a dead worker."""

    why: str


@runtime_checkable
class Divisible(Protocol):
    """A shard that can be split."""

    def apart(self) -> Sequence[Any]:
        """Shards whose results together are those of this one."""
        ...

    def halves(self) -> Sequence[Any]:
        """The first and the second half of its items, to search in; nothing where there is one item."""
        ...

    def given_up(self, why: str) -> Iterable[Any]:
        """Return the placeholder of its results."""
        ...

    def __str__(self) -> str:
        """Return a description of its items."""
        ...


def rescue(shard: T, attempt: Callable[[T], list[R] | Lost], remedy: str) -> list[R]:
    """Compute what can be computed of a shard that killed workers, each part once more and alone."""
    results: list[R] = []
    for part in shard.apart() if isinstance(shard, Divisible) else [shard]:
        outcome = attempt(part)
        if not isinstance(outcome, Lost):
            results += outcome
        elif isinstance(part, Divisible):
            results += cast("Iterable[R]", part.given_up(_culprit(part, outcome.why, attempt, remedy)))
        else:
            about = getattr(part, "about", "its shard")
            raise AssayError(f"a worker died during {about}: killed, or out of memory; {remedy}")
    return results


def _culprit(shard: Divisible, why: str, attempt: Callable[[Any], list[R] | Lost], remedy: str) -> str:
    """Find the item that kills a worker, or explain why there is none."""
    while halves := shard.halves():
        for half in halves:
            outcome = attempt(half)
            if isinstance(outcome, Lost):
                shard, why = half, outcome.why
                break
        else:
            return f"{why}, on {shard} but on neither half: probably out of memory; {remedy}"
    return f"{shard}: {why}; remove this item, or fix the metric"


def longest(shard: object = None) -> float:
    """Return the time limit of a shard in seconds: its own (training has none), else ASSAY_SHARD_SECONDS, else an
    hour."""
    own: float | None = getattr(shard, "seconds", None)
    if own is not None:
        return own
    limit = os.environ.get("ASSAY_SHARD_SECONDS") or str(HOUR)
    try:
        seconds = float(limit)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise AssayError(f"ASSAY_SHARD_SECONDS={limit}: use a number of seconds above 0")
    return seconds


def all_of(work: Callable[[T], Iterable[R]], shard: T) -> list[R]:
    """Compute all results of a shard in a worker. On timeout the worker ends, through a timer of the C runtime, also
    within a kernel."""
    import faulthandler

    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        if (seconds := longest(shard)) < inf:
            faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            return list(work(shard))
        finally:
            faulthandler.cancel_dump_traceback_later()
