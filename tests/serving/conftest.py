"""Databases to test servers with: SQLite always, PostgreSQL where its server is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from assay.serving.database import Database, open_database
from benchmarks.postgres import MISSING, cluster, fresh_database, programs


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    if programs() is None:
        pytest.skip(MISSING)
    pytest.importorskip("psycopg")
    with cluster() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str | None:
    """The URL of an empty database; None is SQLite in the server's folder."""
    if request.param == "sqlite":
        return None
    return fresh_database(request.getfixturevalue("postgres"), "tested")


@pytest.fixture
def opened(url: str | None, tmp_path: Path) -> Iterator[Callable[[], Database]]:
    """Opens the database, as often as asked: as several processes would."""
    held: list[Database] = []

    def one() -> Database:
        held.append(open_database(url, tmp_path))
        return held[-1]

    yield one
    for database in held:
        database.close()
