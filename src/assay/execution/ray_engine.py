"""Run shards on a Ray cluster, or on a local Ray that is started and stopped automatically.

Shards without models are tasks for any CPU of the cluster. Shards with models go to actors, which load weights once and
use a GPU, or a share of one, if a node has one. Work that is lost with a worker or a node is repeated.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from statistics import median
from typing import Any, Generic, TypeVar

from assay.errors import AssayError, first_line
from assay.execution.ray_session import connect, gpu_share
from assay.execution.ray_worker import Holder, WorkerContext, cause_of, do
from assay.execution.rescue import RETRIES, Lost, longest, rescue
from assay.extras import missing_extra

T = TypeVar("T")
R = TypeVar("R")
QUEUED = 2
"""Shards per worker submitted to Ray at once: one in progress, one queued."""
AHEAD = 4
"""Maximum number of shards per worker that are started or waiting to be consumed in the object store."""
TICK = 1.0
SLOW = 3.0
"""Factor over the usual time after which a shard is started a second time elsewhere, once no shard is left."""
SOON = 5.0
"""Seconds before a shard can count as slow."""


@dataclass(frozen=True)
class Ray:
    """Executor on a Ray cluster; without an address on this machine."""

    address: str = ""
    """`ray://HOST:PORT` from anywhere, `HOST:PORT` or `auto` on a machine of the cluster."""
    workers: int | None = None
    """Number of shards at once (default: one per CPU)."""
    retries: int = RETRIES
    """Number of retries of a shard after its worker died."""
    gpus: float = field(default_factory=gpu_share)
    """Share of a GPU for a worker with models, if there are GPUs."""

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        if not shards:
            return
        if reason := missing_extra("cluster"):
            raise AssayError(f"engine ray: {reason}; --engine processes works without it")
        ray = connect(self.address, self.workers)
        flight = _Flight(self, ray, work, shards)
        try:
            yield from flight.results()
        finally:
            flight.end()


def may_run_twice(shard: object) -> bool:
    """Return whether two copies of a shard may run at once. Not of one without time limit (training), as two would
    write to one folder, nor of one that asks an endpoint, whose answers may have to be paid for."""
    return longest(shard) < inf and not getattr(shard, "endpoints", False)


@dataclass
class _Copy:
    """A shard in progress."""

    number: int
    started: float
    actor: Any = None


class _Flight(Generic[T, R]):
    """State of one `map`: shards in progress and results."""

    def __init__(self, how: Ray, ray: Any, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> None:
        self.how, self.ray, self.shards = how, ray, shards
        self.with_models = any(getattr(shard, "models", False) for shard in shards)
        self._gone = (ConnectionError, ray.exceptions.RayError)
        with self._reaching():
            self.work = ray.put(work)
        self.waiting = deque(range(len(shards)))
        self.running: dict[Any, _Copy] = {}
        self.done: dict[int, list[R] | Exception] = {}
        self.finished: set[int] = set()
        self.deaths: Counter[int] = Counter()
        self.took: deque[float] = deque(maxlen=100)
        self.actors: list[Any] = []
        self.idle: list[Any] = []
        self.resources: dict[str, float] = {}
        """Resources of the cluster, queried once per round rather than per shard."""

    def results(self) -> Iterator[R]:
        following = 0
        while following < len(self.shards):
            with self._reaching():
                slots = self._slots()
                within = [number for number in self.waiting if number < following + AHEAD * slots]
                for number in within[: AHEAD * slots]:
                    if len(self.running) < QUEUED * slots and self._launch(number, slots):
                        self.waiting.remove(number)
                ready, _ = self.ray.wait(list(self.running), timeout=TICK)
            for reference in ready:
                self._land(reference)
            if not self.waiting and len(self.running) < slots:
                with self._reaching():
                    self._begin_slow_ones_again(slots)
            while following in self.done:
                results = self.done.pop(following)
                if isinstance(results, Exception):  # in its turn: the first shard that fails is the same everywhere
                    raise results
                yield from results
                following += 1

    def end(self) -> None:
        """Cancel what is in progress: interrupted, or a second copy that is no longer needed."""
        with suppress(*self._gone):  # whose work has ended with it
            for reference in list(self.running):
                self._forget(reference)
            for actor in self.actors:
                self.ray.kill(actor)

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Query the cluster; report it if its head or the connection is lost."""
        try:
            yield
        except self._gone as error:
            why = f"{type(error).__name__}: {first_line(error)}"
            kept = "finished shards are kept in a run folder, and the same command resumes"
            raise AssayError(f"engine ray: the cluster no longer responds ({why}); {kept}") from None

    def _slots(self) -> int:
        """Return the number of shards to run at once; nodes may come and go."""
        self.resources = self.ray.cluster_resources()
        return max(1, min(int(self.resources.get("CPU", 1)), self.how.workers or 10**6))

    def _holders(self, slots: int) -> tuple[int, dict[str, float]]:
        """Return the number of actors and the resources of each. Without GPUs they share the CPUs and take all
        shards, since tasks would wait for a CPU that no actor releases."""
        gpus = self.resources.get("GPU", 0.0)
        if not gpus:
            return slots, {"num_cpus": 1}
        return max(1, min(int(gpus / self.how.gpus), slots)), {"num_cpus": 0, "num_gpus": self.how.gpus}

    def _launch(self, number: int, slots: int) -> bool:
        """Start a shard; return whether a worker was free."""
        arguments = self.work, self.shards[number], WorkerContext.now()
        most, takes = self._holders(slots) if self.with_models else (0, {})
        if not self.with_models or ("num_gpus" in takes and not getattr(self.shards[number], "models", False)):
            self.running[self._task().remote(*arguments)] = _Copy(number, time.monotonic())
            return True
        if not self.idle and len(self.actors) < most:
            self.idle.append(self.ray.remote(Holder).options(**takes).remote())
            self.actors.append(self.idle[-1])
        if not self.idle:
            return False
        actor = self.idle.pop()
        self.running[actor.do.remote(*arguments)] = _Copy(number, time.monotonic(), actor)
        return True

    def _task(self) -> Any:
        return self.ray.remote(do).options(num_cpus=1, max_retries=0)

    def _land(self, reference: Any) -> None:
        copy = self.running.pop(reference)
        outcome = self._outcome(reference)
        self._settle(copy, isinstance(outcome, Lost))
        if copy.number in self.finished:
            return
        if not isinstance(outcome, Lost):
            self.took.append(time.monotonic() - copy.started)
            self._keep(copy.number, outcome)
            return
        self.deaths[copy.number] += 1
        if any(other.number == copy.number for other in self.running.values()):
            return  # a second copy may still come to its end
        if self.deaths[copy.number] <= self.how.retries:
            self.waiting.appendleft(copy.number)
        else:
            remedy = "use nodes with more memory, or fewer --workers"
            self._keep(copy.number, rescue(self.shards[copy.number], self._alone, remedy))

    def _keep(self, number: int, results: list[R] | Exception) -> None:
        self.done[number] = results
        self.finished.add(number)
        for reference in [each for each, copy in self.running.items() if copy.number == number]:
            self._forget(reference)

    def _outcome(self, reference: Any) -> list[R] | Exception | Lost:
        errors = self.ray.exceptions
        try:
            results: list[R] = self.ray.get(reference)
        except errors.RayTaskError as error:  # the work itself has failed, and would fail again
            return cause_of(error)
        except errors.RayError as error:  # the worker, its node, or what it had made is gone
            return Lost(f"the process that worked on it died ({type(error).__name__})")
        except ConnectionError:  # no word of the work at all
            with self._reaching():
                raise
        return results

    def _settle(self, copy: _Copy, lost: bool) -> None:
        if copy.actor is None:
            return
        if lost:
            self.actors.remove(copy.actor)
        else:
            self.idle.append(copy.actor)

    def _forget(self, reference: Any) -> None:
        """End a copy, also within a kernel."""
        copy = self.running.pop(reference)
        if copy.actor is None:
            self.ray.cancel(reference, force=True)
            return
        self.actors.remove(copy.actor)
        self.ray.kill(copy.actor)

    def _alone(self, shard: T) -> list[R] | Lost:
        """Run a part of a shard that killed workers; other results wait."""
        for actor in self.idle:  # which would keep the processors
            self.ray.kill(actor)
            self.actors.remove(actor)
        self.idle = []
        outcome = self._outcome(self._task().remote(self.work, shard, WorkerContext.now()))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _begin_slow_ones_again(self, slots: int) -> None:
        """Start a second copy of slow shards at the end of a run on free workers; the first result counts."""
        if not self.took:
            return
        patience = max(SOON, SLOW * median(self.took))
        copies = Counter(copy.number for copy in self.running.values())
        for copy in list(self.running.values()):
            late = time.monotonic() - copy.started > patience and copies[copy.number] == 1
            if (
                late
                and may_run_twice(self.shards[copy.number])
                and len(self.running) < slots
                and self._launch(copy.number, slots)
            ):
                copies[copy.number] += 1
