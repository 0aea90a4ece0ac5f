"""A server's database: transactions, migrations, and one writer at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import func, inspect, select, text

from assay.errors import AssayError
from assay.serving import seals
from assay.serving.database import Database, new_id, open_database
from assay.serving.migrate import migrate_database
from assay.serving.tables import BLOB_COLUMNS, metadata, people

Opened = Callable[[], Database]


def person(i: int) -> dict[str, str]:
    return {"id": str(i), "email": f"{i}@example.org", "name": "", "made": ""}


def test_migrations_give_the_tables(opened: Opened) -> None:
    """Whoever changes a table brings a migration: the two must say the same."""
    with opened().read() as connection:
        options = {"include_object": lambda _, name, *rest: name not in (seals.COLUMN, seals.COUNTS)}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), metadata) == []


def test_one_that_is_up_to_date_is_left_alone(opened: Opened) -> None:
    first = opened()
    with first.write() as connection:
        connection.execute(people.insert().values(person(1)))
    with opened().read() as connection:
        assert connection.execute(select(func.count()).select_from(people)).scalar() == 1


def test_one_of_a_newer_version_is_refused(opened: Opened) -> None:
    with opened().write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(AssayError, match="has revision 9999; this version of assay supports"):
        opened()


def test_an_empty_one_is_filled_once_by_many(url: str | None, tmp_path: Path) -> None:
    made = [open_database(url, tmp_path, migrate=False) for _ in range(4)]
    errors: list[Exception] = []

    def migrate(database: Database) -> None:
        try:
            migrate_database(database)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=migrate, args=(each,)) for each in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert set(metadata.tables) <= set(inspect(made[0].engine).get_table_names())
    for each in made:
        each.close()


def test_a_transaction_is_whole_or_nothing(opened: Opened) -> None:
    database = opened()

    def half() -> None:
        with database.write() as connection:
            connection.execute(people.insert().values(person(1)))
            raise KeyError

    with pytest.raises(KeyError):
        half()
    with database.read() as connection:
        assert connection.execute(select(people)).all() == []


def test_a_reader_sees_one_state(opened: Opened) -> None:
    database = opened()
    with database.read() as reader:
        assert reader.execute(select(func.count()).select_from(people)).scalar() == 0
        with database.write() as connection:
            connection.execute(people.insert().values(person(1)))
        assert reader.execute(select(func.count()).select_from(people)).scalar() == 0
    with database.read() as reader:
        assert reader.execute(select(func.count()).select_from(people)).scalar() == 1


def test_many_writers_lose_nothing(opened: Opened) -> None:
    """Two handles stand for two processes; each counts up from what it reads."""
    databases = [opened(), opened()]
    with databases[0].write() as connection:
        connection.execute(people.insert().values(person(0) | {"name": "0"}))

    def count(database: Database) -> None:
        for _ in range(15):
            with database.write() as connection:
                row = connection.execute(select(people.c.name).with_for_update()).scalar()
                connection.execute(people.update().values(name=str(int(row or 0) + 1)))

    threads = [threading.Thread(target=count, args=(database,)) for database in databases for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with databases[1].read() as connection:
        assert connection.execute(select(people.c.name)).scalar() == "90"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("nonsense", "not a URL"),
        ("mysql://a@b/c", "mysql is not supported"),
        ("postgresql://x@127.0.0.1:1/y", "cannot be"),
    ],
)
def test_urls_that_lead_nowhere(url: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=why):
        open_database(url, tmp_path)


def test_keys_sort_by_time() -> None:
    keys = [new_id() for _ in range(200)]
    assert [key[:16] for key in keys] == sorted(key[:16] for key in keys)
    assert len(set(keys)) == 200


def test_every_blob_column_is_of_a_table() -> None:
    assert all(column.table.name in metadata.tables for column in BLOB_COLUMNS)
