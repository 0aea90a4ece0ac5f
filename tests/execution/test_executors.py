"""Executors: the same results in the same order, wherever the shards are worked on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

import assay
from assay.errors import AssayError, UsageError
from assay.execution.executors import SERIAL, Executor, Processes, Serial, choose_executor
from assay.execution.request import ScoreRequest, choose
from assay.execution.scoring import score_outputs
from assay.metrics import MetricRequest
from assay.models.trust import code_options, trusting
from assay.specs import parse
from tests.support import ray_jobs


def thirds(number: int) -> Iterator[tuple[int, int]]:
    return ((number, third) for third in range(3))


def trusted(number: int) -> list[bool]:
    return [code_options()["trust_remote_code"]]


def where(number: int) -> list[int]:
    return [os.getpid()]


@pytest.mark.parametrize("executor", [Serial(), Processes(2)], ids=["serial", "processes"])
def test_results_come_in_the_order_of_the_shards(executor: Executor) -> None:
    assert list(executor.map(thirds, [3, 1, 2])) == [(n, third) for n in (3, 1, 2) for third in range(3)]
    assert list(executor.map(thirds, [])) == []


def test_workers_trust_what_their_parent_was_told_to() -> None:
    """Whoever gives --trust-remote-code means the work, wherever it is done; nobody else means it."""
    assert list(Processes(2).map(trusted, [1, 2])) == [False, False]
    with trusting():
        assert list(Processes(2).map(trusted, [1, 2])) == [True, True]
    assert list(Processes(2).map(trusted, [1, 2])) == [False, False]


def test_serial_gives_each_result_as_it_is_known() -> None:
    begun: list[int] = []

    def work(number: int) -> Iterator[int]:
        for third in range(3):
            begun.append(third)
            yield number

    results = SERIAL.map(work, [1, 2])
    assert next(results) == 1
    assert begun == [0]


def test_processes_are_other_processes_except_for_a_single_shard() -> None:
    assert list(Processes(2).map(where, [1])) == [os.getpid()]
    assert os.getpid() not in list(Processes(2).map(where, [1, 2, 3]))


def test_a_single_shard_cannot_end_a_command_that_asked_for_processes() -> None:
    """Most sets are one shard, and it may be the one with the item that crashes a metric."""
    outputs = {f"i{n}": "the poison sat" if n == 4 else "the cat sat" for n in range(6)}
    requests = [MetricRequest(parse("careful"), ray_jobs.Careful(), None), *choose("bleu")]
    executor = choose_executor(2, engine="processes")
    assert list(executor.map(where, [])) == []
    assert os.getpid() not in list(executor.map(where, [1]))
    request = ScoreRequest(requests=requests, references=dict.fromkeys(outputs, "the cat sat"), executor=executor)
    found = score_outputs(outputs, request).result
    assert "bleu" in found.scores
    (failed,) = found.failed
    assert failed.why.startswith("id i4: the process that worked on it died")


def test_an_executor_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever has `map` can do the work; it is given shards of the fixed size and nothing else."""
    monkeypatch.setattr("assay.execution.measure.SHARD", 2)
    shards: list[int] = []

    class Backwards:
        def map(self, work: Callable[[Any], Iterable[Any]], given: Sequence[Any]) -> Iterator[Any]:
            shards.extend(len(job.items) for job in given)
            done = [list(work(shard)) for shard in reversed(given)]
            return (result for results in reversed(done) for result in results)

    outputs = [f"the cat sat {i}" for i in range(5)]
    alone = assay.score(outputs, ["the cat sat 1"] * 5, metrics="rouge,bleu")
    elsewhere = assay.score(outputs, ["the cat sat 1"] * 5, metrics="rouge,bleu", executor=Backwards())
    assert shards == [2, 2, 1]
    assert elsewhere.to_dict() == alone.to_dict()
    assert assay.score_all({"a": outputs}, ["the cat sat 1"] * 5, metrics="bleu", executor=Backwards())


def test_workers_stand_for_an_executor() -> None:
    assert choose_executor(1) == Serial()
    assert choose_executor(4) == Processes(4)
    mine = Processes(2)
    assert choose_executor(executor=mine) is mine
    for workers, executor, said in ((0, None, "at least one process"), (2, mine, "exclude each other")):
        with pytest.raises(AssayError, match=said):
            choose_executor(workers, executor)
    with pytest.raises(AssayError, match="a str has no `map`"):
        assay.score(["a"], ["a"], executor="ray")  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["", "serial:", "processes:", "processes:4", "Ray", "seriall"])
def test_an_engine_that_is_none_is_told(engine: str) -> None:
    with pytest.raises(UsageError, match="write serial, processes, ray or ray:ADDRESS"):
        choose_executor(engine=engine)


def dies(number: int) -> list[int]:
    os.kill(os.getpid(), 9)
    return []


def test_a_worker_that_dies_is_said_in_one_line() -> None:
    with pytest.raises(AssayError, match="a worker died"):
        list(Processes(2).map(dies, [1, 2, 3]))
