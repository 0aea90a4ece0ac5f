"""A worker: a process of its own that does jobs, one at a time, until the server that started it is gone."""

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
"""Does the work for a payload, and returns what writes its result; that is called in the transaction that marks the
job as done. It may be called again for the same job, by another worker, so nothing else may show."""
IDLE = 0.2


class Worker:
    def __init__(
        self, database: Database, settings: Settings, handlers: Mapping[str, Handler],
        failed: Mapping[str, jobs.Failed] | None = None,
    ) -> None:  # fmt: skip
        self.database = database
        self.settings = settings
        self.handlers = handlers
        self.failed = failed or {}
        self.name = f"{os.getpid()}-{token_hex(4)}"

    def run(self, going_on: Callable[[], bool]) -> None:
        while going_on():
            try:
                done = self.once()
            except SQLAlchemyError as error:  # the database is away for a while: whoever waits for it goes on later
                logging.getLogger(__name__).error(
                    "the database cannot be reached (%s); trying again", first_line(error)
                )
                done = False
                time.sleep(1)
            if not done:
                time.sleep(IDLE)

    def once(self) -> bool:
        """Do one job; False if there was none."""
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
        except Exception as error:  # whatever broke is said, and the next job goes on
            self._broke(
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

    def _broke(self, job: jobs.Job, why: str) -> None:
        last = job.attempts >= self.settings.attempts
        with self.database.write() as connection:
            if jobs.give_back(connection, job, why, last=last) and last and job.kind in self.failed:
                self.failed[job.kind](connection, job.payload, why)

    def _keep(self, job: jobs.Job, gone: threading.Event) -> None:
        while not gone.wait(self.settings.lease_seconds / 3):
            with suppress(SQLAlchemyError):
                if not jobs.renew(self.database, job, self.settings.lease_seconds):
                    return


def until_orphaned() -> Callable[[], bool]:
    """Whether the process that started this one is still there."""
    parent = os.getppid()
    return lambda: os.getppid() == parent
