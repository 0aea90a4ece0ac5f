"""The queue of commands on studies, executed by one thread of each process.

A command locks the row of its study, reads the events that other processes have added, decides, appends its own events,
and is acknowledged after the commit. Commands that wait at the same time share one transaction, and thus one flush to
disk.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from assay.errors import AssayError
from assay.serving.database import Database
from assay.serving.tables import studies
from assay.studies.server.store import LoadedStudy, StudyTransaction, load_row

T = TypeVar("T")
MOST = 256
"""Maximum number of commands in one transaction."""


@dataclass
class Command:
    """An action on one study, and the future of its result."""

    study: str
    action: Callable[[StudyTransaction], Any]
    writes: bool
    future: Future[Any] = field(default_factory=Future)


class AnnotationQueue:
    """Commands of all annotators and organisers, executed in the order of their arrival."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._loaded: dict[str, LoadedStudy] = {}
        self._waiting: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="studies", daemon=True)
        self._thread.start()

    def write(self, study: str, action: Callable[[StudyTransaction], T]) -> Future[T]:
        """Queue an action that may change a study. It is stored once the future has a result, and never if it fails."""
        return self._put(Command(study, action, True))

    def read(self, study: str, action: Callable[[StudyTransaction], T]) -> Future[T]:
        """Queue an action that changes nothing."""
        return self._put(Command(study, action, False))

    def close(self) -> None:
        """Finish all waiting commands and end the thread."""
        self._waiting.put(None)
        self._thread.join()

    def _put(self, command: Command) -> Future[Any]:
        self._waiting.put(command)
        return command.future

    def _run(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < MOST and not self._waiting.empty():
                batch.append(self._waiting.get())
            # Cancelled commands are left out here; later they can no longer be cancelled.
            commands = [each for each in batch if each is not None and each.future.set_running_or_notify_cancel()]
            for group in ([each for each in commands if not each.writes], [each for each in commands if each.writes]):
                if group and not self._execute(group):
                    for command in group:  # one command failed the transaction, so each gets its own
                        self._execute([command], last=True)
            if None in batch:
                return

    def _execute(self, commands: Sequence[Command], last: bool = False) -> bool:
        """Execute commands in one transaction; return False if it was rolled back and has to be retried."""
        results: list[tuple[Command, Any, BaseException | None]] = []
        try:
            with self.database.write() if commands[0].writes else self.database.read() as connection:
                for command in commands:
                    results.append(self._one(command, connection))
        except Exception as error:  # every future needs a result, whatever the error
            for command in commands:
                self._loaded.pop(command.study, None)  # the state in memory may have been rolled back
            if not last:
                return False
            commands[0].future.set_exception(error)
            return True
        for command, result, refused in results:
            if refused is not None:
                command.future.set_exception(refused)
            else:
                command.future.set_result(result)
        return True

    def _one(self, command: Command, connection: Connection) -> tuple[Command, Any, BaseException | None]:
        try:
            loaded = self._current(command.study, connection, command.writes)
        except AssayError as error:
            return command, None, error
        before = loaded.rows.written
        try:
            result = command.action(StudyTransaction(command.study, loaded.study, loaded.materials, connection))
        except AssayError as error:
            if loaded.rows.written > before:
                raise  # a part of the command was written: roll back
            return command, None, error
        finally:
            loaded.rows.connection = None
        return command, result, None

    def _current(self, id: str, connection: Connection, lock: bool) -> LoadedStudy:
        """Return the current state of a study; lock its row for a command that writes."""
        loaded = self._loaded.get(id)
        query = (select(studies) if loaded is None else select(studies.c.generation)).where(studies.c.id == id)
        row = connection.execute(query.with_for_update() if lock else query).first()
        if row is None:
            self._loaded.pop(id, None)
            raise AssayError(f"no study called {id[:80]}")
        if loaded is not None and loaded.generation != row.generation:
            del self._loaded[id]
            return self._current(id, connection, lock)
        if loaded is None:
            loaded = self._loaded[id] = load_row(connection, id, row)
        else:
            loaded.rows.connection = connection
            for event in loaded.rows.events():
                loaded.study.apply(event)
        return loaded
