"""Where work is done: here, in other processes, or on a cluster. The shards are the same, and so is every bit.

An executor is given a function and shards. What it must keep to is little, so that another kind is one class more (as
`ray_engine.Ray` is): the function is pure and can be pickled, results come in the order of the shards.
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
"""Of a cluster: what may follow `ray:`."""
AHEAD = 4
"""Shards for each worker that are begun or finished before the first of them is taken."""


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


def away(executor: Executor) -> Executor | None:
    """The executor, if work is done in other processes."""
    return None if isinstance(executor, Serial) else executor


@dataclass(frozen=True)
class Processes:
    """Shards side by side in as many processes of this machine."""

    workers: int
    retries: int = RETRIES
    """How often workers may die before their shards are tried one by one."""
    always: bool = False
    """Whether a single shard has a process, too: one that it crashes is then not the commanding one."""

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        if len(shards) < (1 if self.always else 2):  # a process for it would only cost its start
            yield from SERIAL.map(work, shards)
            return
        waiting: deque[_Begun[T, R]] = deque()
        todo = deque(shards)
        deaths = 0
        while todo or waiting:
            try:
                for found in self._work(work, todo, waiting):
                    yield from found
            except BrokenExecutor:  # whose worker it was that died, nobody says
                deaths += 1
                again = [begun for begun in waiting if not begun.is_whole()]
                for begun in again:
                    begun.future = None
                    if deaths > self.retries:
                        begun.results = self._alone(work, begun.shard)
                deaths = 0 if deaths > self.retries else deaths

    def _work(
        self, work: Callable[[T], Iterable[R]], todo: deque[T], waiting: deque[_Begun[T, R]]
    ) -> Iterator[list[R]]:
        """What comes of the shards, as long as no worker dies."""
        pool = _pool(min(self.workers, len(todo) + len(waiting)))
        try:
            while todo or waiting:
                with _interrupts_held():
                    # not all at once: what is finished and not yet taken has to be held here
                    while todo and len(waiting) < AHEAD * self.workers:
                        waiting.append(_Begun(todo.popleft()))
                    for begun in waiting:
                        if begun.results is None and begun.future is None:
                            begun.future = pool.submit(all_of, work, begun.shard)
                first = waiting[0]
                found = first.results if first.future is None else first.future.result()
                waiting.popleft()
                yield found or []
        except BrokenExecutor:
            raise
        except BaseException:  # stopped, or a shard failed: nobody waits for the others
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _alone(self, work: Callable[[T], Iterable[R]], shard: T) -> list[R]:
        """A shard that may be what workers die of, with nobody beside it."""

        def attempt(part: T) -> list[R] | Lost:
            with _interrupts_held():
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
class _Begun(Generic[T, R]):
    """A shard that somebody works on, or what has come of it."""

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
    """The executor itself, or the one that an engine (`serial`, `processes`, `ray`, `ray:ADDRESS`) and a number of
    workers stand for; several workers alone mean processes."""
    if workers is not None and workers < 1:
        raise AssayError(f"workers={workers}: at least one process is needed")
    if executor is not None:
        for name, given in (("workers", None if workers == 1 else workers), ("engine", engine)):
            if given is not None:
                raise AssayError(f"{name}={given} and an executor: give one of them")
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
            raise UsageError(f"engine serial has one worker, not {workers}; leave one of the two out")
        return SERIAL
    return Processes(workers or os.cpu_count() or 1, always=True)
