"""Several calls at once, in threads that nobody has to wait for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from assay.errors import AssayError

Job = TypeVar("Job")
Found = TypeVar("Found")


def _next(queue: SimpleQueue[Found]) -> Found:
    """Looked for again and again: a signal that another thread received does not wake one that only waits."""
    while True:
        try:
            return queue.get(timeout=0.2)
        except Empty:
            continue


def at_once(
    jobs: Sequence[tuple[str, Job]], do: Callable[[Job, Event], Found], workers: int
) -> Iterator[tuple[str, Found | AssayError]]:
    """What `do` finds for every job or why it fails, as it comes, from so many threads.

    When the reader leaves (an error, ^C) the event that every call of `do` is given is set, and no job is begun any
    more. What is under way is not waited for: the threads end with the process, as those of a pool would not.
    """
    stop = Event()
    waiting: SimpleQueue[tuple[str, Job]] = SimpleQueue()
    ready: SimpleQueue[tuple[str, Found | Exception]] = SimpleQueue()
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
            except Exception as error:  # told to the reader, who waits for an answer to every job
                ready.put((id, error))

    try:
        for _ in range(min(max(1, workers), len(jobs))):
            Thread(target=work, daemon=True).start()
        for _ in jobs:
            id, found = _next(ready)
            if isinstance(found, Exception) and not isinstance(found, AssayError):
                raise found
            yield id, found
    finally:
        stop.set()
