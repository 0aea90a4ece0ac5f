"""Seals: a digest that the database keeps for every row, so that damage on disk is noticed.

Triggers compute the seal when a row is written, whichever code writes it; `problems` recomputes all of them. The
column is not part of `tables.py`: queries, exports and backups do not see it. The number of rows of each table is kept
as well: a flipped bit in a row's header or in the directory of a page hides the row. So is, in SQLite, a digest of the
schema, which is stored as text: a flipped bit renames a column.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, PrimaryKeyConstraint, Table, inspect, text
from sqlalchemy.exc import DBAPIError

from assay.errors import first_line
from assay.serving.tables import metadata

COLUMN = "seal"
COUNTS = "row_counts"
SCHEMA = "schema"
"""Entry of the counts with the digest of the schema."""
FUNCTION = "assay_seal"
SHOWN = 3
"""Damaged rows that are named for each table."""


def digest_values(*values: Any) -> str:
    """Return the seal of a row in SQLite; registered as a function of each connection."""
    return hashlib.sha256(json.dumps(values, separators=(",", ":")).encode()).hexdigest()


def is_sealed(connection: Connection) -> bool:
    """Return whether the database has seals."""
    return COLUMN in {column["name"] for column in inspect(connection).get_columns("people")}


def seal_tables(connection: Connection) -> None:
    """Add seals to every table, and seal the rows as they are now. Run after each migration to the newest revision."""
    for table in metadata.sorted_tables:
        if COLUMN not in {column["name"] for column in inspect(connection).get_columns(table.name)}:
            connection.execute(text(f'ALTER TABLE "{table.name}" ADD COLUMN {COLUMN} TEXT'))
    statements = _sqlite_triggers if connection.dialect.name == "sqlite" else _postgres_triggers
    for statement in statements():
        connection.exec_driver_sql(statement)


def _columns(table: Table | PrimaryKeyConstraint, prefix: str = "", stored: Container[str] | None = None) -> str:
    names = [column.name for column in table.columns if stored is None or column.name in stored]
    return ", ".join(f'{prefix}"{name}"' for name in names)


def _sqlite_triggers() -> Iterator[str]:
    yield f"CREATE TABLE IF NOT EXISTS {COUNTS} (name TEXT PRIMARY KEY, rows INTEGER NOT NULL)"
    for table in metadata.sorted_tables:
        name, columns = table.name, _columns(table)
        # The stored columns are read again: NEW may differ from them in type.
        sealing = f'UPDATE "{name}" SET {COLUMN} = {FUNCTION}({columns}) WHERE rowid = NEW.rowid'
        counting = f"UPDATE {COUNTS} SET rows = rows {{}} 1 WHERE name = '{name}'"
        for event, when, body in (
            ("insert", "INSERT", f"{sealing}; {counting.format('+')}"),
            ("update", f"UPDATE OF {columns}", sealing),
            ("delete", "DELETE", counting.format("-")),
        ):
            yield f'DROP TRIGGER IF EXISTS "seal_{name}_{event}"'
            yield f'CREATE TRIGGER "seal_{name}_{event}" AFTER {when} ON "{name}" BEGIN {body}; END'
        yield f'UPDATE "{name}" SET {COLUMN} = {FUNCTION}({columns})'
        yield f"INSERT OR REPLACE INTO {COUNTS} SELECT '{name}', COUNT(*) FROM \"{name}\""
    yield f"INSERT OR REPLACE INTO {COUNTS} {_sqlite_schema()}"


def _sqlite_schema() -> str:
    """Return the query for the digest of tables, indexes and triggers; the letter keeps it from becoming a number."""
    names = ", ".join(f"'{table.name}'" for table in metadata.sorted_tables)
    stored = f"SELECT sql FROM sqlite_master WHERE tbl_name IN ({names}) ORDER BY type, name"
    return f"SELECT '{SCHEMA}', 'x' || {FUNCTION}(group_concat(sql, ';')) FROM ({stored})"


def _postgres_triggers() -> Iterator[str]:
    # Each connection has counters of its own: no transaction waits for another.
    columns = "name TEXT, process INT, rows BIGINT NOT NULL, PRIMARY KEY (name, process)"
    yield f"CREATE TABLE IF NOT EXISTS {COUNTS} ({columns})"
    yield f"TRUNCATE {COUNTS}"
    yield (
        f"CREATE OR REPLACE FUNCTION count_rows() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO {COUNTS} "
        "SELECT TG_TABLE_NAME, pg_backend_pid(), n FROM (SELECT TG_ARGV[0]::int * COUNT(*) AS n FROM changed) AS c "
        f"WHERE n <> 0 ON CONFLICT (name, process) DO UPDATE SET rows = {COUNTS}.rows + EXCLUDED.rows; "
        "RETURN NULL; END $$"
    )
    for table in metadata.sorted_tables:
        name = f'"seal_{table.name}"'
        yield (
            f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"BEGIN NEW.{COLUMN} := {_postgres_seal(table, 'NEW.')}; RETURN NEW; END $$"
        )
        yield f'DROP TRIGGER IF EXISTS {name} ON "{table.name}"'
        yield (
            f'CREATE TRIGGER {name} BEFORE INSERT OR UPDATE ON "{table.name}" FOR EACH ROW EXECUTE FUNCTION {name}()'
        )
        yield f'UPDATE "{table.name}" SET {COLUMN} = NULL'
        for event, rows, sign in (("INSERT", "NEW", "+1"), ("DELETE", "OLD", "-1")):
            trigger = f'"count_{table.name}_{event.lower()}"'
            yield f'DROP TRIGGER IF EXISTS {trigger} ON "{table.name}"'
            yield (
                f'CREATE TRIGGER {trigger} AFTER {event} ON "{table.name}" REFERENCING {rows} TABLE AS changed '
                f"FOR EACH STATEMENT EXECUTE FUNCTION count_rows('{sign}')"
            )
        yield f"INSERT INTO {COUNTS} SELECT '{table.name}', 0, COUNT(*) FROM \"{table.name}\""


def _postgres_seal(table: Table, prefix: str = "", stored: Container[str] | None = None) -> str:
    return f"encode(sha256(convert_to(ROW({_columns(table, prefix, stored)})::text, 'UTF8')), 'hex')"


def problems(connection: Connection, *, newest: bool = True) -> list[str]:
    """Return what is damaged: the file itself, or rows that are not as written.

    Args:
        connection: The current transaction.
        newest: Whether the database has the newest revision. Earlier ones lack tables and columns of `tables.py`; their
            seals are over those that they have.
    """
    sqlite = connection.dialect.name == "sqlite"
    try:
        if sqlite and (broken := _broken_file(connection)):
            return [broken]
        if not is_sealed(connection):
            return ["the rows have no seals"]
        stored = _stored_columns(connection)
        if newest and (missing := list(_missing_columns(stored))):
            return missing
        counted = inspect(connection).has_table(COUNTS)  # not in a PostgreSQL that is about to be migrated
        broken_rows = [
            line for table in metadata.sorted_tables if stored[table.name]
            for line in _table_problems(connection, table, stored[table.name], sqlite, counted)
        ]  # fmt: skip
        return [*broken_rows, *(_schema_problems(connection) if sqlite and counted else ())]
    except (DBAPIError, UnicodeDecodeError) as error:
        return [f"cannot be read: {first_line(getattr(error, 'orig', None) or error)}"]


def _broken_file(connection: Connection) -> str | None:
    answer = str(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()).split("\n")
    return None if answer == ["ok"] else answer[-1]


def _stored_columns(connection: Connection) -> dict[str, set[str]]:
    """Return the columns of each table that the database has; empty for a table that it does not have."""
    tables = inspect(connection)
    return {
        table.name: {column["name"] for column in tables.get_columns(table.name)}
        if tables.has_table(table.name) else set()
        for table in metadata.sorted_tables
    }  # fmt: skip


def _missing_columns(stored: Mapping[str, set[str]]) -> Iterator[str]:
    for table in metadata.sorted_tables:
        if missing := [column.name for column in table.columns if column.name not in stored[table.name]]:
            yield f"table {table.name}: no column {missing[0]}"


def _schema_problems(connection: Connection) -> Iterator[str]:
    stated = connection.exec_driver_sql(f"SELECT rows FROM {COUNTS} WHERE name = '{SCHEMA}'").scalar()
    if stated is not None and stated != connection.exec_driver_sql(_sqlite_schema()).one()[1]:
        yield "the schema is not as written"


def _table_problems(
    connection: Connection, table: Table, stored: Container[str], sqlite: bool, counted: bool
) -> Iterator[str]:
    seal = f"{FUNCTION}({_columns(table, stored=stored)})" if sqlite else _postgres_seal(table, stored=stored)
    keys = _columns(table.primary_key)
    broken = f'FROM "{table.name}" WHERE {COLUMN} IS NULL OR {COLUMN} <> {seal}'
    n = connection.exec_driver_sql(f"SELECT COUNT(*) {broken}").scalar() or 0
    if n:
        rows = connection.exec_driver_sql(f"SELECT {keys} {broken} LIMIT {SHOWN}").all()
        names = ", ".join("/".join(str(part) for part in row) for row in rows)
        yield f"table {table.name}: {n:,} of its rows not as written ({names}{', …' if n > SHOWN else ''})"
    if counted:
        written = connection.exec_driver_sql(f"SELECT SUM(rows) FROM {COUNTS} WHERE name = '{table.name}'").scalar()
        rows_now = connection.exec_driver_sql(f'SELECT COUNT(*) FROM "{table.name}"').scalar()
        if written != rows_now:
            yield f"table {table.name}: {rows_now} rows, {written} were written"
