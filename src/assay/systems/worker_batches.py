"""Batches of examples answered by worker processes, each with its own copy of the system and its weights."""

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
    """The interface required of an executor."""

    def map(self, work: Callable[[Any], Iterable[Any]], shards: Sequence[Any]) -> Iterator[Any]: ...


@dataclass(frozen=True)
class BatchJob:
    """One batch of examples for a worker."""

    copy: bytes
    """The pickled task and system; a worker unpickles them once, not once per batch."""
    batch: Sequence[Example]
    label: str

    models: ClassVar[bool] = True

    @property
    def about(self) -> str:
        """Description of the batch for the message about a worker that died."""
        first = f"id {self.batch[0].id}"
        return first if len(self.batch) == 1 else f"{len(self.batch)} items from {first} on"


def answer_in_workers(
    executor: Mapper, task: Task, system: System, batches: Sequence[Sequence[Example]], label: str
) -> Iterator[Iterable[tuple[Row, bytes]]]:
    """Yield the rows of each batch, in order."""
    try:
        copy = pickle.dumps((task, system))
    except Exception as error:
        raise AssayError(
            f"{system.spec or system.name}: cannot be sent to workers ({error}); use --engine serial"
        ) from None
    return executor.map(run_batch, [BatchJob(copy, batch, label) for batch in batches])


@lru_cache(maxsize=2)
def _copy(pickled: bytes) -> tuple[Task, System]:
    unpickled: tuple[Task, System] = pickle.loads(pickled)
    return unpickled


def run_batch(job: BatchJob) -> Iterator[list[tuple[Row, bytes]]]:
    """Answer one batch in a worker process."""
    from assay.systems.answering import answer_batch

    task, system = _copy(job.copy)
    yield list(answer_batch(task, system, job.batch, job.label))
