"""The server's database: SQLite in its folder, or PostgreSQL by URL. One transaction a reading, one a writing.

SQLite: readers see a snapshot and wait for nobody (WAL); writers queue, in this process by a lock and between processes
by SQLite's own. What is committed is on disk. PostgreSQL: as its server is set up. Loaded by servers alone."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from time import monotonic, sleep, time_ns
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError

from assay.errors import AssayError, first_line

FILE = "assay.sqlite"
WAIT = 30_000
"""Milliseconds that a writer of one process waits for one of another."""


class Database:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.sqlite = engine.dialect.name == "sqlite"
        self._writer = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state throughout, and writes nothing."""
        with self.engine.connect() as connection:
            if not self.sqlite:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is on disk when the block has ended, or never was. Never one inside another."""
        if not self.sqlite:
            with self.engine.begin() as connection:
                yield connection
            return
        with self._writer, self.engine.connect() as connection:
            connection.execution_options(writes=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        self.engine.dispose()


def open_database(url: str | None, folder: Path, *, migrate: bool = True) -> Database:
    """The database at a URL, or the one in a folder; an older one is brought up to date."""
    from assay.serving.migrate import migrate_database

    database = Database(_sqlite(folder / FILE) if not url else _by_url(url))
    if migrate:
        try:
            migrate_database(database)
        except OperationalError as error:
            where = database.engine.url.render_as_string(hide_password=True)
            raise AssayError(f"{where}: cannot be opened ({first_line(error)}); is it there and may we?") from None
    return database


def _by_url(url: str) -> Engine:
    try:
        made = make_url(url)
    except ArgumentError:
        raise AssayError("--database: not a URL; write postgresql://user@host/name") from None
    if made.drivername == "sqlite" and made.database:
        return _sqlite(Path(made.database))
    if made.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise AssayError(f"--database: {made.drivername} is not known; write postgresql://user@host/name, or leave it")
    try:
        return create_engine(
            made.set(drivername="postgresql+psycopg"), pool_size=8, max_overflow=4, pool_pre_ping=True, pool_timeout=60
        )
    except (ImportError, NoSuchModuleError):
        raise AssayError("psycopg is not installed; pip install 'assay-eval[postgres]'") from None


def _sqlite(path: Path) -> Engine:
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{path}", pool_size=24, max_overflow=24, pool_timeout=60)

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we say ourselves when a transaction begins
        connection.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten
        for pragma in (f"busy_timeout={WAIT}", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
        _log_ahead(connection)

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        # A writer that only finds out on its way that it is one could be refused; so it says so at once.
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _log_ahead(connection: Any) -> None:
    """Readers beside a writer. While several open a new database at once, SQLite refuses this without waiting."""
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
    """Add a row unless one with this key (a unique column) is there; whether it was added."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    row = insert(table).values(**values).on_conflict_do_nothing(index_elements=[key]).returning(table.c[key])
    return connection.execute(row).first() is not None


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def later(**how_long: float) -> str:
    return (datetime.now(UTC) + timedelta(**how_long)).isoformat(timespec="microseconds")


def new_id() -> str:
    """A key that nobody guesses, and that sorts by the time at which it was made."""
    return f"{time_ns():016x}{token_hex(8)}"
