"""A cluster that is gone in mid-run is told in one line, wherever it is noticed; what the work itself says stays."""

from __future__ import annotations

import time
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from assay.errors import AssayError
from assay.execution.ray_engine import Ray, _Copy, _Flight, may_run_twice
from assay.execution.shard_job import Job
from assay.metrics import resolve
from assay.models.context import Context
from assay.records import Example, Items
from assay.records.items import Span


class RayError(Exception):
    pass


class RayTaskError(RayError):
    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Cluster:
    """As much of Ray as a run without models asks for. What is named in `gone` finds nobody."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)

    def __init__(self, gone: str, error: Exception) -> None:
        self.gone, self.error = gone, error

    def __getattr__(self, name: str) -> Any:
        def answer(*given: Any, **more: Any) -> Any:
            if self.gone == name or (self.gone == "all but put" and name != "put"):
                raise self.error
            if name == "wait":
                return given[0], []
            return {"CPU": 2} if name == "cluster_resources" else self

        return answer

    def __hash__(self) -> int:
        return 1


@pytest.mark.parametrize("error", [ConnectionError("Client is shutting down."), RayError("GCS is away")])
@pytest.mark.parametrize("gone", ["put", "cluster_resources", "remote", "wait", "all but put"])
def test_a_cluster_that_is_gone_is_told(gone: str, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.execution.ray_engine.missing_extra", lambda name: None)
    monkeypatch.setattr("assay.execution.ray_engine.connect", lambda address, workers: Cluster(gone, error))
    with pytest.raises(AssayError, match=r"no longer responds \(.*\); finished shards are kept"):
        list(Ray().map(list, [[1], [2]]))


def test_a_result_that_cannot_be_fetched_tells_of_the_cluster() -> None:
    flight = _Flight(Ray(), Cluster("get", ConnectionError("reset")), list, [[1]])
    with pytest.raises(AssayError, match="no longer responds"):
        list(flight.results())


def test_an_error_of_the_work_itself_is_its_own() -> None:
    flight = _Flight(Ray(), Cluster("get", RayTaskError(ConnectionError("of the metric"))), list, [[1]])
    with pytest.raises(ConnectionError, match="of the metric"):
        list(flight.results())
    flight.end()


class Endless(list[int]):
    """A shard that takes as long as it takes, as a training does."""

    seconds = inf


def job(spec: str) -> Job:
    items = Items(("d",), (Example(id="a", references=("b",), source="c"),))
    return Job(Span(0, 1), {"x": resolve(spec)[0].metric}, items, Context())


@pytest.mark.parametrize(
    ("shard", "copies"),
    [
        ([1], 2), (Endless([1]), 1), (job("bleu"), 2), (job("judge:adequacy:model=m"), 1), (job("feqa:qa=chat:m"), 1),
    ],
    ids=["a shard", "a training", "counting", "a judge", "questions to a model"],
)  # fmt: skip
def test_only_what_is_late_is_begun_a_second_time(shard: Any, copies: int) -> None:
    """A second training would be refused by the lock of the first, and that refusal would count as what came of it. An
    answer of an endpoint would be paid for twice."""
    flight = _Flight(Ray(), Cluster("", ValueError()), list, [shard])
    flight.running["first"] = _Copy(0, time.monotonic() - 1e6)
    flight.took.append(0.1)
    flight._begin_slow_ones_again(2)
    assert len(flight.running) == copies


def test_what_asks_no_endpoint_may_run_twice() -> None:
    assert may_run_twice(job("feqa"))
    assert not may_run_twice(job("feqa:qa=chat:m"))
