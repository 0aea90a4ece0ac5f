"""Work that outlives a request: a row each, leased by a worker, tried again when the worker is gone.

A job is done at least once and counts once: its mark and what came of it are written in one transaction, by whoever
still holds the lease. Jobs of one key are one job."""

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
    """In the transaction of what asks for it. False if it is there already, in whatever state."""
    return insert_new(
        connection, jobs, "key", id=new_id(), kind=kind, key=key, payload=payload, state=WAITING, attempts=0,
        lease_until=0.0, worker="", error="", made=now(),
    )  # fmt: skip


Failed = Callable[[Connection, dict[str, Any], str], None]
"""What is written, in one transaction with the job's mark, when a job has failed for good: payload, reason."""


def lease(
    database: Database, worker: str, seconds: float, attempts: int, kinds: Sequence[str] = (),
    failed: Mapping[str, Failed] | None = None,
) -> Job | None:  # fmt: skip
    """The oldest job that waits or whose worker is gone, for this worker. One that broke too often has failed."""
    with database.write() as connection:
        while True:
            # A lease that would last longer than any was given when the clock was wrong.
            at = time.time()
            gone = or_(jobs.c.lease_until < at, jobs.c.lease_until > at + 2 * seconds)
            free = or_(jobs.c.state == WAITING, and_(jobs.c.state == LEASED, gone))
            asked = select(jobs).where(free).order_by(jobs.c.id).limit(1).with_for_update(skip_locked=True)
            row = connection.execute(asked.where(jobs.c.kind.in_(kinds)) if kinds else asked).mappings().first()
            if row is None:
                return None
            own = jobs.update().where(jobs.c.id == row["id"])
            if row["attempts"] >= attempts:
                error = row["error"] or f"its worker was gone {attempts} times"
                connection.execute(own.values(state=FAILED, error=error, done=now()))
                if failed and row["kind"] in failed:
                    failed[row["kind"]](connection, dict(row["payload"]), error)
                continue
            until = time.time() + seconds
            tried = row["attempts"] + 1
            connection.execute(own.values(state=LEASED, worker=worker, lease_until=until, attempts=tried))
            return Job(row["id"], row["kind"], row["key"], dict(row["payload"]), tried, worker)


def renew(database: Database, job: Job, seconds: float) -> bool:
    """False when the job belongs to another by now."""
    with database.write() as connection:
        values = {"lease_until": time.time() + seconds}
        return connection.execute(jobs.update().where(_held(job)).values(**values)).rowcount == 1


def finish(connection: Connection, job: Job) -> bool:
    """Mark it as done, in the transaction that writes what came of it. False: another has it, so write nothing."""
    values = {"state": DONE, "done": now(), "error": "", "lease_until": 0.0}
    return connection.execute(jobs.update().where(_held(job)).values(**values)).rowcount == 1


def give_back(connection: Connection, job: Job, why: str, *, last: bool) -> bool:
    """It broke: it waits for another try, or (`last`) has failed."""
    values: dict[str, Any] = {"state": FAILED if last else WAITING, "error": why[:500], "lease_until": 0.0}
    if last:
        values["done"] = now()
    return connection.execute(jobs.update().where(_held(job)).values(**values)).rowcount == 1


def retry(connection: Connection, key: str, before: str = "", ended: Sequence[str] = (FAILED,)) -> bool:
    """A failed job waits again, or one that has ended otherwise; with `before`, only if that is when it did."""
    failed = and_(jobs.c.key == key, jobs.c.state.in_(ended), *([jobs.c.done < before] if before else []))
    values = {"state": WAITING, "attempts": 0, "error": "", "done": None}
    return connection.execute(jobs.update().where(failed).values(**values)).rowcount == 1


def counts(connection: Connection) -> dict[str, int]:
    found = connection.execute(select(jobs.c.state, func.count().label("n")).group_by(jobs.c.state))
    return {row.state: row.n for row in found}


def _held(job: Job) -> Any:
    """By the worker and by the attempt: a worker that comes back late finds its lease taken by its namesake, too."""
    return and_(
        jobs.c.id == job.id, jobs.c.state == LEASED, jobs.c.worker == job.worker, jobs.c.attempts == job.attempts
    )
