"""Jobs are done at least once and count once, whoever dies on the way."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, func, select

from assay.errors import AssayError
from assay.serving import jobs
from assay.serving.database import Database, new_id
from assay.serving.settings import Settings
from assay.serving.tables import jobs as table
from assay.serving.tables import people
from assay.serving.worker import Worker

Opened = Callable[[], Database]
QUICK = Settings(lease_seconds=0.3, attempts=3)


def add(database: Database, n: int, kind: str = "greet") -> None:
    with database.write() as connection:
        for i in range(n):
            assert jobs.add_job(connection, kind, f"{kind}:{i}", {"i": i})


def greet(payload: dict[str, Any]) -> Callable[[Connection], None]:
    """Its result is a row each: done twice, there would be two."""

    def apply(connection: Connection) -> None:
        connection.execute(
            people.insert().values(id=new_id(), email=f"{new_id()}@example.org", name=str(payload["i"]), made="")
        )

    return apply


def results(database: Database) -> Counter[str]:
    with database.read() as connection:
        return Counter(connection.execute(select(people.c.name)).scalars())


def states(database: Database) -> dict[str, int]:
    with database.read() as connection:
        return jobs.counts(connection)


def test_a_key_is_one_job(opened: Opened) -> None:
    database = opened()
    add(database, 1)
    with database.write() as connection:
        assert not jobs.add_job(connection, "greet", "greet:0", {"i": 7})
    assert states(database) == {"waiting": 1}


def test_many_workers_do_each_once(opened: Opened) -> None:
    database = opened()
    add(database, 20)
    left = threading.Event()
    workers = [Worker(opened(), QUICK, {"greet": greet}) for _ in range(4)]
    threads = [threading.Thread(target=worker.run, args=(lambda: not left.is_set(),)) for worker in workers]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    while states(database).get("done", 0) < 20 and time.monotonic() < deadline:
        time.sleep(0.05)
    left.set()
    for thread in threads:
        thread.join()
    assert results(database) == {str(i): 1 for i in range(20)}


def test_a_lease_that_ran_out_is_taken_again_and_the_late_one_writes_nothing(opened: Opened) -> None:
    database = opened()
    add(database, 1)
    first = jobs.lease(database, "a", 0.01, 3)
    assert first is not None
    time.sleep(0.05)
    second = jobs.lease(database, "b", 60, 3)
    assert second is not None
    assert (second.id, second.attempts) == (first.id, 2)
    with database.write() as connection:
        assert not jobs.finish(connection, first)
        assert jobs.finish(connection, second)
    assert not jobs.renew(database, first, 60)


def test_a_worker_of_the_same_name_is_another(opened: Opened) -> None:
    database = opened()
    add(database, 1)
    first = jobs.lease(database, "a", 0.01, 3)
    time.sleep(0.05)
    second = jobs.lease(database, "a", 60, 3)
    assert first is not None
    assert second is not None
    with database.write() as connection:
        assert not jobs.finish(connection, first)
        assert jobs.finish(connection, second)


def test_a_lease_from_before_the_clock_was_set_back_is_taken(opened: Opened) -> None:
    database = opened()
    add(database, 1)
    with database.write() as connection:
        connection.execute(table.update().values(state=jobs.LEASED, worker="gone", lease_until=time.time() + 3600))
    assert jobs.lease(database, "next", 30, 5) is not None
    assert jobs.lease(database, "third", 30, 5) is None


def test_long_work_keeps_its_lease(opened: Opened) -> None:
    database = opened()
    add(database, 1)

    def slow(payload: dict[str, Any]) -> Callable[[Connection], None]:
        time.sleep(0.9)  # three leases
        assert jobs.lease(opened(), "thief", 1, 3) is None
        return greet(payload)

    assert Worker(database, QUICK, {"greet": slow}).once()
    assert results(database) == {"0": 1}


@pytest.mark.parametrize(
    ("error", "why"), [(AssayError("no such file x"), "no such file x"), (KeyError("k"), "KeyError: 'k'")]
)
def test_what_breaks_is_tried_again_and_then_said(opened: Opened, error: Exception, why: str) -> None:
    database = opened()
    add(database, 1)
    told: list[str] = []

    def broken(payload: dict[str, Any]) -> Callable[[Connection], None]:
        raise error

    worker = Worker(database, QUICK, {"greet": broken}, {"greet": lambda _, payload, said: told.append(said)})
    for _ in range(3):
        assert worker.once()
        assert len(told) == (states(database) == {"failed": 1})
    assert not worker.once()
    assert told == [why]
    with database.write() as connection:
        assert connection.execute(select(table.c.error)).scalar() == why
        assert jobs.retry(connection, "greet:0")
    assert Worker(database, QUICK, {"greet": greet}).once()
    assert results(database) == {"0": 1}


def test_a_job_that_kills_its_workers_fails_in_the_end(opened: Opened) -> None:
    database = opened()
    add(database, 1)
    told: list[str] = []
    for i in range(3):
        assert jobs.lease(database, str(i), 0.001, 3) is not None
        time.sleep(0.01)
    failed = {"greet": lambda _, payload, why: told.append(why)}
    assert jobs.lease(database, "last", 1, 3, failed=failed) is None
    assert told == ["The worker process ended unexpectedly 3 times."]


def test_a_worker_leaves_what_it_does_not_know(opened: Opened) -> None:
    database = opened()
    add(database, 1, kind="other")
    assert not Worker(database, QUICK, {"greet": greet}).once()
    with database.read() as connection:
        assert connection.execute(select(func.count()).select_from(table)).scalar() == 1


def test_a_job_that_takes_too_long_is_stopped_and_the_next_one_runs(opened: Opened) -> None:
    """One submission with hours of work would hold up all others: its lease was renewed for ever."""
    database = opened()
    add(database, 1)
    stopped, told = threading.Event(), []

    def endless(payload: dict[str, Any]) -> Callable[[Connection], None]:
        assert stopped.wait(20)
        return greet(payload)

    settings = Settings(lease_seconds=0.3, attempts=3, job_seconds=0.5)
    failed = {"greet": lambda _, payload, said: told.append(said)}
    worker = Worker(database, settings, {"greet": endless}, failed, stop=lambda _: stopped.set())
    assert worker.once()
    assert told == ["It took longer than 0.5 s. Send less, or ask the operator to raise job_seconds."]
    assert states(database) == {"failed": 1}
    assert not results(database)
    assert not worker.once()


def test_a_job_that_needs_too_much_memory_has_failed(opened: Opened) -> None:
    """Scoring 22 MB took 1.8 GB: a few such jobs ended the server that runs on the same machine."""
    database = opened()
    add(database, 2)
    told: list[str] = []

    def huge(payload: dict[str, Any]) -> Callable[[Connection], None]:
        if payload["i"] == 0:
            raise MemoryError
        return greet(payload)

    worker = Worker(database, QUICK, {"greet": huge}, {"greet": lambda _, payload, said: told.append(said)})
    assert worker.once()
    assert worker.once()
    assert told == ["It needs more memory than the server allows. Send less, or ask the operator to raise job_bytes."]
    assert states(database) == {"failed": 1, "done": 1}


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_the_memory_of_a_worker_is_limited() -> None:
    code = "from assay.serving.worker import limit_memory; limit_memory(400_000_000); len(bytearray(500_000_000))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MemoryError" in ended.stderr
