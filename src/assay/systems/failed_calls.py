"""Failures of calls to a server: which of them explains the others, and which count as failures of an item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from assay.errors import AssayError
from assay.systems.http import CallError

DOWN = "not tried: the server answers nothing any more"
OF_ITEM = {400, 413, 422}
"""Status of a server that declines one input, such as one that is too long."""
Failures = Sequence[tuple[str, AssayError]]


class NotAskedError(AssayError):
    """A call that was not made: the server is down, the limit of cost is reached, or the run was stopped."""


def first_cause(failures: Failures) -> tuple[str, AssayError]:
    """Return the failure that says why others follow: a limit or a stop, else what the server answered first."""
    stopped = [each for each in failures if isinstance(each[1], NotAskedError) and str(each[1]) != DOWN]
    called = [each for each in failures if not isinstance(each[1], NotAskedError)]
    return (stopped or called or list(failures))[0]


def of_items(failures: Failures) -> bool:
    """Return whether all failures say something about their items, and none about the server or the settings."""
    calls = [why for _, why in failures if isinstance(why, CallError)]
    return len(calls) == len(failures) and all(why.kind != "error" or why.status in OF_ITEM for why in calls)


def counted(failures: Failures) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """Yield the failures of calls that were made, as answers without a text."""
    for id, why in failures:
        if not isinstance(why, NotAskedError):
            yield id, ("", {"failure": getattr(why, "kind", "error"), "why": str(why)[:200]})
