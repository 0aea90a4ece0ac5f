"""Where work is done: here, or in other processes. The shards are the same, and so is every bit that comes out.

An executor is given a function and shards. What it must keep to is little, so that another kind (a cluster) is one
class more: the function is pure and can be pickled, results come in the order of the shards, one after the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Protocol, TypeVar

from assay.errors import AssayError

T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Works on shards, somewhere."""

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        """Everything that `work` gives for each shard, in the order of the shards, as it becomes known.

        A shard gives several results so that whoever keeps them can do so as they come: a run that is killed in the
        middle of a shard has lost one result, not all of them.
        """
        ...


@dataclass(frozen=True)
class Serial:
    """One shard after the other, in this process."""

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        for shard in shards:
            yield from work(shard)


SERIAL = Serial()


@dataclass(frozen=True)
class Processes:
    """Shards side by side in as many processes of this machine."""

    workers: int

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        if len(shards) < 2:  # a process for it would only cost its start
            yield from SERIAL.map(work, shards)
            return
        from concurrent.futures import ProcessPoolExecutor
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import get_context

        from assay.models.trust import is_trusting

        # A fresh interpreter a worker: forking a process that has threads (polars, BLAS) can hang.
        pool = ProcessPoolExecutor(
            min(self.workers, len(shards)), get_context("spawn"), _begin_worker, (is_trusting(),)
        )
        try:
            with _interrupts_held():
                waiting = deque(pool.submit(_all, work, shard) for shard in shards)
            while waiting:  # taken from the queue, so that nothing is held once it was handed on
                yield from waiting.popleft().result()
        except BrokenProcessPool as error:
            raise AssayError(
                "a worker died in the middle of its shard: killed, or out of memory; use fewer --workers"
            ) from error
        except BaseException:  # stopped, or a shard failed: nobody waits for the others
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """While workers are started: ^C in the middle of that would be a traceback of each of them, and perhaps a worker
    that nobody knows of. They begin without it and take it up with their work; here it comes a moment later."""
    import signal
    from threading import current_thread, main_thread

    if not hasattr(signal, "pthread_sigmask") or current_thread() is not main_thread():
        yield
        return
    held: list[FrameType | None] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # for the workers, which begin with it
    usual = signal.signal(signal.SIGINT, lambda number, frame: held.append(frame))  # other threads are told as well
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, usual)
        if held and callable(usual):
            usual(signal.SIGINT, held[0])


def _begin_worker(trusting: bool) -> None:
    """A worker runs code of models if its parent may. ^C ends it at once, also in the middle of a kernel: what it was
    working on is lost either way. So does the end of its parent, however it comes about: nobody else would tell it."""
    import os
    import signal
    from multiprocessing import parent_process
    from threading import Thread

    from assay.models import trust

    def follow() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    trust.follow(trusting)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    Thread(target=follow, daemon=True).start()


def _all(work: Callable[[T], Iterable[R]], shard: T) -> list[R]:
    return list(work(shard))


def choose_executor(workers: int = 1, executor: Executor | None = None) -> Executor:
    """The executor itself, or the one that a number of workers stands for."""
    if workers < 1:
        raise AssayError(f"workers={workers}: at least one process is needed")
    if executor is not None:
        if workers > 1:
            raise AssayError(f"workers={workers} and an executor: give one of them")
        if not callable(getattr(executor, "map", None)):
            raise AssayError(f"executor: a {type(executor).__name__} has no `map`; see assay.runs.executors")
        return executor
    return SERIAL if workers == 1 else Processes(workers)
