"""The job queue: each job is a row that a worker leases; a job whose worker is gone is retried.

A job runs at least once and takes effect once: its result and its state are written in one transaction by the worker
that has the lease. A key identifies a job; adding the same key again adds nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, or_, select

from assay.serving.database import Database, insert_new, new_id, now
from assay.serving.tables import jobs

WAITING, LEASED, DONE, FAILED = "waiting", "leased", "done", "failed"


class Job(NamedTuple):
    id: str
    kind: str
    key: str
    payload: dict[str, Any]
    attempts: int
    worker: str


def add_job(connection: Connection, kind: str, key: str, payload: dict[str, Any]) -> bool:
    """Add a job in the current transaction; False if a job with this key exists, whatever its state."""
    return insert_new(
        connection, jobs, "key", id=new_id(), kind=kind, key=key, payload=payload, state=WAITING, attempts=0,
        lease_until=0.0, worker="", error="", made=now(),
    )  # fmt: skip


Failed = Callable[[Connection, dict[str, Any], str], None]
"""Called with payload and reason, in the transaction that marks a job as failed after its last attempt."""


def lease(
    database: Database, worker: str, seconds: float, attempts: int, kinds: Sequence[str] = (),
    failed: Mapping[str, Failed] | None = None,
) -> Job | None:  # fmt: skip
    """Lease the oldest job that is waiting or whose lease has expired; None if there is none.

    Args:
        database: The database of the server.
        worker: Name of the worker.
        seconds: Duration of the lease.
        attempts: Number of attempts after which a job has failed.
        kinds: Kinds of jobs to lease (default: all).
        failed: By kind, what to write when a job has failed.
    """
    with database.write() as connection:
        while True:
            # A lease that ends too far in the future was given while the clock was wrong.
            at = time.time()
            gone = or_(jobs.c.lease_until < at, jobs.c.lease_until > at + 2 * seconds)
            free = or_(jobs.c.state == WAITING, and_(jobs.c.state == LEASED, gone))
            query = select(jobs).where(free).order_by(jobs.c.id).limit(1).with_for_update(skip_locked=True)
            row = connection.execute(query.where(jobs.c.kind.in_(kinds)) if kinds else query).mappings().first()
            if row is None:
                return None
            own = jobs.update().where(jobs.c.id == row["id"])
            if row["attempts"] >= attempts:
                error = row["error"] or f"The worker process ended unexpectedly {attempts} times."
                connection.execute(own.values(state=FAILED, error=error, done=now()))
                if failed and row["kind"] in failed:
                    failed[row["kind"]](connection, dict(row["payload"]), error)
                continue
            until = time.time() + seconds
            tried = row["attempts"] + 1
            connection.execute(own.values(state=LEASED, worker=worker, lease_until=until, attempts=tried))
            return Job(row["id"], row["kind"], row["key"], dict(row["payload"]), tried, worker)


def renew(database: Database, job: Job, seconds: float) -> bool:
    """Extend the lease of a job; False if another worker has it."""
    with database.write() as connection:
        values = {"lease_until": time.time() + seconds}
        return connection.execute(jobs.update().where(_leased(job)).values(**values)).rowcount == 1


def finish(connection: Connection, job: Job) -> bool:
    """Mark a job as done, in the transaction that writes its result; False if another worker has it: write nothing."""
    values = {"state": DONE, "done": now(), "error": "", "lease_until": 0.0}
    return connection.execute(jobs.update().where(_leased(job)).values(**values)).rowcount == 1


def give_back(connection: Connection, job: Job, why: str, *, last: bool) -> bool:
    """Return a job that raised an error: it waits for another attempt, or (`last`) has failed."""
    values: dict[str, Any] = {"state": FAILED if last else WAITING, "error": why[:500], "lease_until": 0.0}
    if last:
        values["done"] = now()
    return connection.execute(jobs.update().where(_leased(job)).values(**values)).rowcount == 1


def retry(connection: Connection, key: str, before: str = "", ended: Sequence[str] = (FAILED,)) -> bool:
    """Queue a failed job again; False if there is none.

    Args:
        connection: The current transaction.
        key: Key of the job.
        before: Only if the job ended before this time.
        ended: States in which the job may be.
    """
    failed = and_(jobs.c.key == key, jobs.c.state.in_(ended), *([jobs.c.done < before] if before else []))
    values = {"state": WAITING, "attempts": 0, "error": "", "done": None}
    return connection.execute(jobs.update().where(failed).values(**values)).rowcount == 1


def counts(connection: Connection) -> dict[str, int]:
    """Return the number of jobs by state."""
    rows = connection.execute(select(jobs.c.state, func.count().label("n")).group_by(jobs.c.state))
    return {row.state: row.n for row in rows}


def _leased(job: Job) -> Any:
    """Match the worker and the attempt, so that an expired lease of the same worker does not count."""
    return and_(
        jobs.c.id == job.id, jobs.c.state == LEASED, jobs.c.worker == job.worker, jobs.c.attempts == job.attempts
    )
