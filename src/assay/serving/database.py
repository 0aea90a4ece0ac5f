"""The database of a server: SQLite in its folder, or PostgreSQL by URL.

SQLite: readers see a snapshot and do not wait (WAL mode); writers are serialised by a lock within this process and by
SQLite between processes. Committed data is on disk. PostgreSQL: durability as configured there.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep, time_ns
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError

from assay.errors import AssayError, first_line
from assay.serving.seals import FUNCTION, digest_values

FILE = "assay.sqlite"
WAIT = 30_000
"""Milliseconds that a writer waits for a writer in another process."""
LAST = "before-commit"
DAMAGED = "the database is damaged ({why}). Restore a backup: assay server restore NEW_FOLDER ARCHIVE"


class Database:
    """A connected database with read and write transactions."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.sqlite = engine.dialect.name == "sqlite"
        self._writer = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a read-only transaction on one snapshot."""
        with self.engine.connect() as connection:
            if not self.sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a write transaction, committed at the end of the block. Write transactions must not be nested."""
        if not self.sqlite:
            with self.engine.begin() as connection:
                yield from _finished(connection)
            return
        with self._writer, self.engine.connect() as connection:
            connection.execution_options(writes=True)
            with connection.begin():
                yield from _finished(connection)

    def close(self) -> None:
        self.engine.dispose()


def before_commit(connection: Connection, key: str, call: Callable[[Connection], None]) -> None:
    """Call a function once at the end of the current write transaction, after everything else in it."""
    connection.info.setdefault(LAST, {})[key] = call


def _finished(connection: Connection) -> Iterator[Connection]:
    try:
        yield connection
        for call in connection.info.pop(LAST, {}).values():
            call(connection)
    finally:
        connection.info.pop(LAST, None)


def open_database(url: str | None, folder: Path, *, migrate: bool = True) -> Database:
    """Open the database at a URL (default: SQLite in the folder) and migrate it to the current version."""
    from assay.serving.migrate import migrate_database

    database = Database(_sqlite(folder / FILE) if not url else _by_url(url))
    if migrate:
        with readable(database):
            migrate_database(database)
    return database


@contextmanager
def readable(database: Database) -> Iterator[None]:
    """Raise AssayError if the database cannot be opened or is damaged."""
    try:
        yield
    except OperationalError as error:
        where = database.engine.url.render_as_string(hide_password=True)
        raise AssayError(
            f"{where}: cannot be opened ({first_line(error)}). Check that it exists and is writable."
        ) from None
    except (DatabaseError, sqlite3.DatabaseError, UnicodeDecodeError) as error:
        why = first_line(getattr(error, "orig", None) or error)
        raise AssayError(f"{database.engine.url.database}: {DAMAGED.format(why=why)}") from None


def _by_url(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise AssayError("--database: not a URL. Write postgresql://user@host/name.") from None
    if parsed.drivername == "sqlite" and parsed.database:
        return _sqlite(Path(parsed.database))
    if parsed.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise AssayError(f"--database: {parsed.drivername} is not supported. Write postgresql://user@host/name.")
    driver = parsed.set(drivername="postgresql+psycopg")
    try:
        return create_engine(driver, pool_size=8, max_overflow=4, pool_pre_ping=True, pool_timeout=60)
    except (ImportError, NoSuchModuleError):
        raise AssayError("psycopg is not installed; pip install 'assay-eval[postgres]'") from None


def _sqlite(path: Path) -> Engine:
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{path}", pool_size=24, max_overflow=24, pool_timeout=60)

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions are started explicitly below
        connection.create_function(FUNCTION, -1, digest_values, deterministic=True)
        connection.execute("PRAGMA secure_delete=ON")  # deleted content is overwritten
        for pragma in (f"busy_timeout={WAIT}", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
        _enable_wal(connection)

    @event.listens_for(engine, "begin")
    def started(connection: Connection) -> None:
        # A transaction that starts reading and then writes could be refused: writers lock at the start.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _enable_wal(connection: Any) -> None:
    """Allow readers during a write. SQLite refuses this without waiting while others open a new database."""
    until = monotonic() + WAIT / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if monotonic() > until:
                raise
            sleep(0.02)
        else:
            return


def insert_new(connection: Connection, table: Table, key: str, /, **values: Any) -> bool:
    """Insert a row unless one with this key (a unique column) exists; return whether it was inserted."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    row = insert(table).values(**values).on_conflict_do_nothing(index_elements=[key]).returning(table.c[key])
    return connection.execute(row).first() is not None


def now() -> str:
    """Return the current time in ISO format, UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def later(**duration: float) -> str:
    """Return the time after a duration (arguments of `timedelta`) in ISO format, UTC."""
    return (datetime.now(UTC) + timedelta(**duration)).isoformat(timespec="microseconds")


def new_id() -> str:
    """Return a random key that sorts by the time of its creation."""
    return f"{time_ns():016x}{token_hex(8)}"
