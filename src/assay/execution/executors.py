"""Executors: serial, processes, or a Ray cluster. Shards and results are the same, bit for bit.

An executor maps a pure, picklable function over shards and yields results in the order of the shards. A further kind
is one more class, like `ray_engine.Ray`.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from assay.errors import AssayError, UsageError
from assay.execution.rescue import RETRIES, Lost, all_of, rescue
from assay.specs import did_you_mean

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R")
ENGINES = ("serial", "processes", "ray")
ADDRESS = re.compile(r"auto|(//)?([^\s:/@\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")
"""Addresses of a cluster after `ray:`."""
AHEAD = 4
"""Maximum number of shards per worker that are started or waiting to be consumed."""


class Executor(Protocol):
    """Maps a function over shards."""

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        """Yield all results of `work` for each shard, in the order of shards, as they become available.

        A shard gives several results, so that each can be stored at once: a run that is killed in the middle of a
        shard loses one result, not all.
        """
        ...


@dataclass(frozen=True)
class Serial:
    """Run shards one by one in this process."""

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        for shard in shards:
            yield from work(shard)


SERIAL = Serial()


def away(executor: Executor) -> Executor | None:
    """Return the executor, if it uses other processes."""
    return None if isinstance(executor, Serial) else executor


@dataclass(frozen=True)
class Processes:
    """Run shards in parallel in processes of this machine."""

    workers: int
    retries: int = RETRIES
    """Number of worker deaths before shards are tried one by one."""
    always: bool = False
    """Whether a single shard gets its own process, so that a crash does not end this one."""

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        if len(shards) < (1 if self.always else 2):  # a process for it would only cost its start
            yield from SERIAL.map(work, shards)
            return
        waiting: deque[_Started[T, R]] = deque()
        todo = deque(shards)
        deaths = 0
        while todo or waiting:
            try:
                for results in self._work(work, todo, waiting):
                    yield from results
            except BrokenExecutor:  # the dead worker is not named
                deaths += 1
                again = [started for started in waiting if not started.is_whole()]
                for started in again:
                    started.future = None
                    if deaths > self.retries:
                        started.results = self._alone(work, started.shard)
                deaths = 0 if deaths > self.retries else deaths

    def _work(
        self, work: Callable[[T], Iterable[R]], todo: deque[T], waiting: deque[_Started[T, R]]
    ) -> Iterator[list[R]]:
        """Yield results as long as no worker dies."""
        pool = _pool(min(self.workers, len(todo) + len(waiting)))
        try:
            while todo or waiting:
                with _interrupts_blocked():
                    # bounded, since finished results stay in memory until they are consumed
                    while todo and len(waiting) < AHEAD * self.workers:
                        waiting.append(_Started(todo.popleft()))
                    for started in waiting:
                        if started.results is None and started.future is None:
                            started.future = pool.submit(all_of, work, started.shard)
                first = waiting[0]
                results = first.results if first.future is None else first.future.result()
                waiting.popleft()
                yield results or []
        except BrokenExecutor:
            raise
        except BaseException:  # interrupted, or a shard failed: the others are not awaited
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _alone(self, work: Callable[[T], Iterable[R]], shard: T) -> list[R]:
        """Run a shard that may kill workers, alone."""

        def attempt(part: T) -> list[R] | Lost:
            with _interrupts_blocked():
                pool = _pool(1)
                future = pool.submit(all_of, work, part)
            try:
                return future.result()
            except BrokenExecutor:
                return Lost("the process that worked on it died")
            finally:
                pool.shutdown(cancel_futures=True)

        return rescue(shard, attempt, "use fewer --workers")


@dataclass
class _Started(Generic[T, R]):
    """A shard in progress, or its results."""

    shard: T
    future: Future[list[R]] | None = None
    results: list[R] | None = None

    def is_whole(self) -> bool:
        if self.results is not None:
            return True
        return self.future is not None and self.future.done() and self.future.exception() is None


def _pool(workers: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    from assay.models.trust import is_trusting

    # A fresh interpreter a worker: forking a process that has threads (polars, BLAS) can hang.
    return ProcessPoolExecutor(workers, get_context("spawn"), _begin_worker, (is_trusting(),))


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block ^C while workers start: it would print a traceback in each of them and could leak a worker. Workers
    unblock it when they start working; here it is delivered afterwards."""
    import signal
    from threading import current_thread, main_thread

    if not hasattr(signal, "pthread_sigmask") or current_thread() is not main_thread():
        yield
        return
    blocked: list[FrameType | None] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # for the workers, which begin with it
    usual = signal.signal(signal.SIGINT, lambda number, frame: blocked.append(frame))  # other threads are told as well
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, usual)
        if blocked and callable(usual):
            usual(signal.SIGINT, blocked[0])


def _begin_worker(trusting: bool) -> None:
    """Initialize a worker: it may run code of models if its parent may, and ends at once on ^C, also within a kernel,
    and when its parent ends."""
    import os
    import signal
    from multiprocessing import parent_process
    from threading import Thread

    from assay.models import trust

    def set_trusting() -> None:
        if parent := parent_process():
            parent.join()
            os._exit(1)

    trust.set_trusting(trusting)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    Thread(target=set_trusting, daemon=True).start()


def choose_executor(
    workers: int | None = None, executor: Executor | None = None, engine: str | None = None
) -> Executor:
    """Return the executor, or the one for an engine (`serial`, `processes`, `ray`, `ray:ADDRESS`) and a number of
    workers; several workers alone mean processes."""
    if workers is not None and workers < 1:
        raise AssayError(f"workers={workers}: at least one process is needed")
    if executor is not None:
        for name, option_value in (("workers", None if workers == 1 else workers), ("engine", engine)):
            if option_value is not None:
                raise AssayError(f"{name}={option_value} and an executor exclude each other; leave one out")
        if not callable(getattr(executor, "map", None)):
            raise AssayError(f"executor: a {type(executor).__name__} has no `map`; see assay.execution.executors")
        return executor
    if engine is None:
        return Processes(workers) if workers and workers > 1 else SERIAL
    kind, colon, address = engine.partition(":")
    if kind == "ray":
        if colon and not ADDRESS.fullmatch(address):
            raise UsageError(f"engine {engine}: write ray, ray:auto, ray:HOST:PORT or ray://HOST:PORT")
        from assay.execution.ray_engine import Ray

        return Ray(f"ray:{address}" if address.startswith("//") else address, workers)
    if colon or kind not in ENGINES:
        raise UsageError(
            f"engine {engine or '(empty)'}{did_you_mean(kind, ENGINES)}: write {', '.join(ENGINES)} or ray:ADDRESS"
        )
    if kind == "serial":
        if (workers or 1) > 1:
            raise UsageError(f"engine serial has one worker, not {workers}; leave one out")
        return SERIAL
    return Processes(workers or os.cpu_count() or 1, always=True)
