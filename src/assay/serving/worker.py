"""A worker: a process that runs the jobs of the queue one at a time until the server that started it ends."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from secrets import token_hex
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from assay.errors import AssayError, first_line
from assay.serving import jobs
from assay.serving.database import Database
from assay.serving.settings import Settings

Apply = Callable[[Connection], None]
Handler = Callable[[dict[str, Any]], Apply]
"""Runs a job and returns a function that writes its result in the transaction that marks the job as done. It may be
called again for the same job by another worker, so it must have no other visible effect."""
TOO_LONG = "It took longer than {seconds:g} s. Send less, or ask the operator to raise job_seconds."
TOO_LARGE = "It needs more memory than the server allows. Send less, or ask the operator to raise job_bytes."
IDLE = 0.2
"""Seconds between two looks at an empty queue."""


class Worker:
    """Runs jobs by kind.

    Args:
        database: The database of the server.
        settings: The settings of the server.
        handlers: What does the work.
        failed: What records jobs that failed after the last attempt.
        stop: Ends the process of a job that takes too long: a thread cannot be stopped, and one upload would hold up
            all others. The server starts another worker.
    """

    def __init__(
        self, database: Database, settings: Settings, handlers: Mapping[str, Handler],
        failed: Mapping[str, jobs.Failed] | None = None, stop: Callable[[int], object] = os._exit,
    ) -> None:  # fmt: skip
        self.database = database
        self.settings = settings
        self.handlers = handlers
        self.failed = failed or {}
        self.stop = stop
        self.name = f"{os.getpid()}-{token_hex(4)}"

    def run(self, running: Callable[[], bool]) -> None:
        """Run jobs while `running()` is true."""
        while running():
            try:
                done = self.once()
            except SQLAlchemyError as error:  # the database may come back
                logging.getLogger(__name__).error("Database unreachable (%s); retrying", first_line(error))
                done = False
                time.sleep(1)
            if not done:
                time.sleep(IDLE)

    def once(self) -> bool:
        """Run one job; False if the queue is empty."""
        job = jobs.lease(
            self.database,
            self.name,
            self.settings.lease_seconds,
            self.settings.attempts,
            list(self.handlers),
            self.failed,
        )
        if job is None:
            return False
        gone = threading.Event()
        keeper = threading.Thread(target=self._keep, args=(job, gone), daemon=True)
        keeper.start()
        try:
            apply = self.handlers[job.kind](job.payload)
        except MemoryError:
            self._failed(job, TOO_LARGE, final=True)
            return True
        except Exception as error:  # the reason is stored with the job, and the next job runs
            self._failed(
                job, str(error) if isinstance(error, AssayError) else f"{type(error).__name__}: {first_line(error)}"
            )
            return True
        finally:
            gone.set()
            keeper.join()
        with self.database.write() as connection:
            if jobs.finish(connection, job):
                apply(connection)
        return True

    def _failed(self, job: jobs.Job, why: str, *, final: bool = False) -> None:
        last = final or job.attempts >= self.settings.attempts
        with self.database.write() as connection:
            if jobs.give_back(connection, job, why, last=last) and last and job.kind in self.failed:
                self.failed[job.kind](connection, job.payload, why)

    def _keep(self, job: jobs.Job, gone: threading.Event) -> None:
        until = time.monotonic() + self.settings.job_seconds
        while not gone.wait(min(self.settings.lease_seconds / 3, max(0.05, until - time.monotonic()))):
            with suppress(SQLAlchemyError):
                if time.monotonic() >= until:
                    self._failed(job, TOO_LONG.format(seconds=self.settings.job_seconds), final=True)
                    self.stop(1)
                    return
                if not jobs.renew(self.database, job, self.settings.lease_seconds):
                    return


def limit_memory(most: int | None = None) -> None:
    """Limit the memory of this process, where the system can: a job that needs more fails, not the server next to it.

    Args:
        most: Bytes (default: half of the memory of the machine).
    """
    with suppress(ImportError, AttributeError, ValueError, OSError):  # not on Windows; a lower limit may be set already
        import resource

        limit = most or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def until_orphaned() -> Callable[[], bool]:
    """Return a function that tells whether the parent process is still running."""
    parent = os.getppid()
    return lambda: os.getppid() == parent
