"""A server with a study on each database, and a real browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from tests.serving.conftest import postgres as postgres
from tests.serving.conftest import url as url
from tests.studies.server.synthetic import KINDS, Site, add_site, design_of, make_site, tasks_of


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Makes servers over SQLite; `url=` for another database."""
    made: list[Site] = []

    def make(*args: Any, url: str | None = None, **more: Any) -> Site:
        made.append(make_site(tmp_path / str(len(made)), url, *args, **more))
        return made[-1]

    yield make
    for each in made:
        each.served.database.close()


@pytest.fixture(scope="session")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Site]]:
    """One server with a study of every kind; everybody has a task of their own there."""
    folder = tmp_path_factory.mktemp("kinds")
    first, *others = KINDS
    made = make_site(folder, None, design_of(first), tasks_of(first, 12))
    for kind in others:
        add_site(made, folder, design_of(kind), tasks_of(kind, 12))
    yield lambda kind: made.of(f"by-{kind}")
    made.served.database.close()
