"""Servers to test with; see made_service."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("sqlalchemy")

from assay.serving.server import open_server
from tests.serving.conftest import postgres
from tests.support.made_service import MadeService, made_service

__all__ = ["postgres"]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> MadeService:
    """A server that was closed, to be copied."""
    made = made_service(tmp_path_factory.mktemp("service"))
    made.server.database.close()
    return made


@pytest.fixture
def service(template: MadeService, tmp_path: Path) -> Iterator[MadeService]:
    shutil.copytree(template.server.folder, tmp_path / "server")
    made = replace(template, server=open_server(tmp_path / "server", None, "http://127.0.0.1"))
    yield made
    made.server.database.close()
