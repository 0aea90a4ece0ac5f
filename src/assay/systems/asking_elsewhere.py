"""Batches of examples asked about by workers: each has a copy of the system, and with it the weights it has loaded."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Protocol

from assay.errors import AssayError
from assay.records.types import Example
from assay.systems.base import Row, System
from assay.systems.tasks import Task


class Mapper(Protocol):
    """What is needed of an executor."""

    def map(self, work: Callable[[Any], Iterable[Any]], shards: Sequence[Any]) -> Iterator[Any]: ...


@dataclass(frozen=True)
class Asking:
    """One batch."""

    copy: bytes
    """The task and the system, pickled once: a worker makes one copy of them, not one a batch."""
    batch: Sequence[Example]
    label: str

    models: ClassVar[bool] = True

    @property
    def about(self) -> str:
        """What is told where a worker dies of it."""
        first = f"id {self.batch[0].id}"
        return first if len(self.batch) == 1 else f"{len(self.batch)} items from {first} on"


def elsewhere(
    executor: Mapper, task: Task, system: System, batches: Sequence[Sequence[Example]], label: str
) -> Iterator[Iterable[tuple[Row, bytes]]]:
    """What each batch gives, in order."""
    try:
        copy = pickle.dumps((task, system))
    except Exception as error:
        raise AssayError(
            f"{system.spec or system.name}: cannot be sent to workers ({error}); ask it with --engine serial"
        ) from None
    return executor.map(ask, [Asking(copy, batch, label) for batch in batches])


@lru_cache(maxsize=2)
def _copy(pickled: bytes) -> tuple[Task, System]:
    made: tuple[Task, System] = pickle.loads(pickled)
    return made


def ask(job: Asking) -> Iterator[list[tuple[Row, bytes]]]:
    """In a worker."""
    from assay.systems.answering import asked

    task, system = _copy(job.copy)
    yield list(asked(task, system, job.batch, job.label))
