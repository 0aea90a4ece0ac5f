"""Concurrent calls in daemon threads, which do not delay the end of the process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from assay.errors import AssayError

Job = TypeVar("Job")
Result = TypeVar("Result")


def _next(queue: SimpleQueue[Result]) -> Result:
    """Return the next result. Polls, because a signal received by another thread does not end a blocking wait."""
    while True:
        try:
            return queue.get(timeout=0.2)
        except Empty:
            continue


def at_once(
    jobs: Sequence[tuple[str, Job]], do: Callable[[Job, Event], Result], workers: int
) -> Iterator[tuple[str, Result | AssayError]]:
    """Yield the result or the error of `do` for every job as it completes, from `workers` threads.

    When the caller stops reading (an error, ^C), the event passed to every call of `do` is set and no further job
    starts. Running calls are not waited for: daemon threads end with the process, unlike those of a pool.
    """
    stop = Event()
    waiting: SimpleQueue[tuple[str, Job]] = SimpleQueue()
    ready: SimpleQueue[tuple[str, Result | Exception]] = SimpleQueue()
    for one in jobs:
        waiting.put(one)

    def work() -> None:
        while not stop.is_set():
            try:
                id, job = waiting.get_nowait()
            except Empty:
                return
            try:
                ready.put((id, do(job, stop)))
            except Exception as error:  # passed on: the reader waits for one result per job
                ready.put((id, error))

    try:
        for _ in range(min(max(1, workers), len(jobs))):
            Thread(target=work, daemon=True).start()
        for _ in jobs:
            id, result = _next(ready)
            if isinstance(result, Exception) and not isinstance(result, AssayError):
                raise result
            yield id, result
    finally:
        stop.set()
