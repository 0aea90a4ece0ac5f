"""A server with nothing on it, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from assay.serving.served import Served, open_served


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    made = open_served(tmp_path / "served", None, "http://127.0.0.1")
    yield made
    made.database.close()
