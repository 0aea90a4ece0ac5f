"""A server with nothing on it, in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from assay.serving.server import Server, open_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = open_server(tmp_path / "server", None, "http://127.0.0.1")
    yield made
    made.database.close()
