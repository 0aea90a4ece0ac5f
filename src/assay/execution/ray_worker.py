"""The worker of a cluster: compute one shard with the same version and permissions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import AssayError, first_line
from assay.execution.rescue import all_of
from assay.version import VERSION

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class WorkerContext:
    """Context of a worker besides its shard."""

    version: str
    trusting: bool
    seconds: str
    folder: str
    """Working directory, for relative paths, if a node has it too."""

    @staticmethod
    def now() -> WorkerContext:
        from assay.models.trust import is_trusting

        return WorkerContext(VERSION, is_trusting(), os.environ.get("ASSAY_SHARD_SECONDS", ""), _current())


def _current() -> str:
    try:
        return str(Path.cwd())
    except OSError:  # it was removed
        return ""


def do(work: Callable[[T], Iterable[R]], shard: T, context: WorkerContext) -> list[R]:
    """Compute all results of one shard in a worker."""
    import platform

    from assay.models import trust

    if context.version != VERSION:
        raise AssayError(
            f"node {platform.node()} has assay {VERSION}, and this is {context.version}: scores could differ; install "
            "the same version on every node"
        )
    trust.set_trusting(context.trusting)
    os.environ["ASSAY_SHARD_SECONDS"] = context.seconds
    with suppress(OSError):  # a missing file is reported where it is needed
        os.chdir(context.folder)
    return all_of(work, shard)


class Holder:
    """A persistent worker that keeps its loaded weights."""

    def do(self, work: Callable[[T], Iterable[R]], shard: T, context: WorkerContext) -> list[R]:
        return do(work, shard, context)


def cause_of(error: Any) -> Exception:
    """Return the error of a worker as a local error."""
    cause = error.cause
    if isinstance(cause, ImportError) or "No module named" in str(cause):
        why = next((line for line in str(cause).splitlines() if "No module named" in line), first_line(cause))
        return AssayError(f"a node lacks a required package ({why}); install the same packages on every node")
    if isinstance(cause, Exception) and not type(cause).__module__.startswith("ray."):
        return cause
    return AssayError(f"a worker failed: {first_line(cause or error)}")
