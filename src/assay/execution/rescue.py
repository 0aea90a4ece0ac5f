"""When the process that works on a shard dies: the shard is taken apart until it is known on what.

A worker may be killed, run out of memory, crash in native code or never come to an end. Executors try such a shard
again a few times; if that does not help, `rescue` computes what can be computed of it and names the item that cannot.
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
"""How often a shard is tried again after its worker died."""
HOUR = 3600.0


class Lost(NamedTuple):
    """What there is instead of results where a worker died."""

    why: str


@runtime_checkable
class Divisible(Protocol):
    """A shard that can be taken apart."""

    def apart(self) -> Sequence[Any]:
        """Shards whose results together are those of this one."""
        ...

    def halves(self) -> Sequence[Any]:
        """The first and the second half of its items, to search in; nothing where there is one item."""
        ...

    def given_up(self, why: str) -> Iterable[Any]:
        """What takes the place of its results."""
        ...

    def __str__(self) -> str:
        """Its items, in words."""
        ...


def rescue(shard: T, attempt: Callable[[T], list[R] | Lost], remedy: str) -> list[R]:
    """All that can be computed of a shard that workers have died of, each part tried once more and alone."""
    found: list[R] = []
    for part in shard.apart() if isinstance(shard, Divisible) else [shard]:
        outcome = attempt(part)
        if not isinstance(outcome, Lost):
            found += outcome
        elif isinstance(part, Divisible):
            found += cast("Iterable[R]", part.given_up(_culprit(part, outcome.why, attempt, remedy)))
        else:
            about = getattr(part, "about", "its shard")
            raise AssayError(f"a worker died in the middle of {about}: killed, or out of memory; {remedy}")
    return found


def _culprit(shard: Divisible, why: str, attempt: Callable[[Any], list[R] | Lost], remedy: str) -> str:
    """The item that a worker dies of, or why there is no such item."""
    while halves := shard.halves():
        for half in halves:
            outcome = attempt(half)
            if isinstance(outcome, Lost):
                shard, why = half, outcome.why
                break
        else:
            return f"{why}, on {shard} together but on neither half: most likely out of memory; {remedy}"
    return f"{shard}: {why}; leave this item out, or mend the metric"


def longest(shard: object = None) -> float:
    """Seconds that a worker may take for one shard: what it says itself (a training has no end to be foreseen), else an
    hour, or what ASSAY_SHARD_SECONDS says."""
    own: float | None = getattr(shard, "seconds", None)
    if own is not None:
        return own
    said = os.environ.get("ASSAY_SHARD_SECONDS") or str(HOUR)
    try:
        seconds = float(said)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise AssayError(f"ASSAY_SHARD_SECONDS={said}: write a number of seconds above 0")
    return seconds


def all_of(work: Callable[[T], Iterable[R]], shard: T) -> list[R]:
    """In a worker: all results of a shard. One that takes too long ends its worker, which is then as good as dead: no
    shard holds a run for ever. It is the clock of the C runtime that does it, also in the middle of a kernel."""
    import faulthandler

    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        if (seconds := longest(shard)) < inf:
            faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            return list(work(shard))
        finally:
            faulthandler.cancel_dump_traceback_later()
