"""Results that may not be written to, as Ray hands them over from its shared memory: the same numbers."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pytest

import assay

T = TypeVar("T")
R = TypeVar("R")


def handed(thing: T) -> T:
    """A copy whose arrays lie in memory that is only read."""
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    copy: T = pickle.loads(packed, buffers=[bytes(buffer.raw()) for buffer in buffers])
    return copy


@dataclass(frozen=True)
class Handing:
    """Shards and results are handed over in such memory."""

    def map(self, work: Callable[[T], Iterable[R]], shards: Sequence[T]) -> Iterator[R]:
        for shard in shards:
            yield from handed(list(work(handed(shard))))


OUTPUTS = ["the cat sat on the mat", "кот сидит на окне", ""]
REFERENCES = [["a cat sat on a mat", "the cat sat"], ["кот спит на окне"], ["猫 在 垫子 上"]]
SOURCES = ["a cat, sitting on a mat", "кот на окне", "猫"]


@pytest.mark.parametrize("suite", ["default", "gem-light"])
@pytest.mark.parametrize("items", [1, 3])
def test_a_set_of_one_shard_has_the_same_numbers(suite: str, items: int) -> None:
    def scored(executor: Handing | None) -> dict[str, object]:
        texts = OUTPUTS[:items], REFERENCES[:items]
        result = assay.score(*texts, sources=SOURCES[:items], suite=suite, ci=20, executor=executor)
        assert not result.failed
        return dict(result.to_dict())

    assert scored(Handing()) == scored(None)
