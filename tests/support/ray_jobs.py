"""What workers of a cluster are given in tests: functions that they can import."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.execution.executors import Executor
from assay.metrics import Dense, Items, MeanMetric, Part


def thirds(number: int) -> Iterator[tuple[int, int]]:
    return ((number, third) for third in range(3))


def dies(number: int) -> list[int]:
    os.kill(os.getpid(), 9)
    return []


def fails(number: int) -> list[int]:
    raise ValueError(f"no {number}")


def where(number: int) -> list[str]:
    import ray

    time.sleep(0.5)
    return [ray.get_runtime_context().get_node_id()]


def slow_once(given: tuple[int, str]) -> list[int]:
    """The third is slow for whoever comes first."""
    number, folder = given
    begun = Path(folder) / "begun"
    if number == 3 and not begun.exists():
        begun.touch()
        time.sleep(120)
    return [number]


def never_ends(number: int) -> list[int]:
    while number:
        time.sleep(1)
    return []


class Weighty:
    """A shard that says it needs weights."""

    models = True

    def __init__(self, number: int) -> None:
        self.number = number


_loaded: list[int] = []


def loads_once(shard: Weighty) -> list[tuple[int, int]]:
    """Which process had it, and how many had come there before."""
    _loaded.append(shard.number)
    return [(os.getpid(), len(_loaded))]


@dataclass(frozen=True)
class Careful(MeanMetric):
    """Length in words, except that it ends its process on a word."""

    name: ClassVar[Any] = "careful"
    category: ClassVar[Any] = "descriptive"
    summary: ClassVar[Any] = "a metric that crashes"
    citation: ClassVar[Any] = "nobody"
    needs: ClassVar[Any] = ()

    def parts(self) -> tuple[Part, ...]:
        return (Part("careful", bounds=(0, None), digits=1),)

    def statistics(self, items: Items) -> Dense:
        if any("poison" in text for text in items.outputs):
            ctypes.string_at(0)  # as a mistake in native code does
        return self.rows({"careful": np.array([len(text.split()) for text in items.outputs], dtype=np.float64)})


class Slowly:
    """Ray with shards that take a while, so that there is a middle to be killed in."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor

    def map(self, work: Any, shards: Any) -> Iterator[Any]:
        return self.executor.map(Delayed(work), shards)


class Delayed:
    def __init__(self, work: Any) -> None:
        self.work = work

    def __call__(self, shard: Any) -> list[Any]:
        time.sleep(0.4)
        return list(self.work(shard))
