"""Stores behind URLs for tests: in memory, a folder, and one that speaks S3."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import OUTPUTS, REFERENCES

fsspec = pytest.importorskip("fsspec", reason="needs the remote extra")
BUCKET = "assay-tests"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """A store that speaks S3, in this process."""
    pytest.importorskip("s3fs", reason="needs the remote extra")
    server = pytest.importorskip("moto.server", reason="needs moto").ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    changed = pytest.MonkeyPatch()
    told = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**told, "AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing"}.items():
        changed.setenv(name, value)
    fsspec.get_filesystem_class("s3").clear_instance_cache()  # one of another file still asks the server that is gone
    fsspec.filesystem("s3").makedirs(BUCKET, exist_ok=True)  # what is held stays for the next server of this process
    yield f"s3://{BUCKET}"
    changed.undo()
    server.stop()


@pytest.fixture(params=["memory", "file", "s3"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "s3":
        return f"{request.getfixturevalue('s3')}/{tmp_path.name}"
    return f"memory://{tmp_path.name}" if request.param == "memory" else f"file://{tmp_path}/there"


@pytest.fixture
def files(home: str) -> str:
    outputs = [{"id": f"i{i}", "output": text} for i, text in enumerate(OUTPUTS)]
    references = [{"id": f"i{i}", "references": [text]} for i, text in enumerate(REFERENCES)]
    for name, rows in (("outputs", outputs), ("references", references)):
        put(f"{home}/{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    return home


def put(url: str, text: str) -> None:
    system, path = fsspec.core.url_to_fs(url)
    system.makedirs(path.rpartition("/")[0], exist_ok=True)
    system.pipe_file(path, text.encode())


def held(url: str) -> dict[str, bytes]:
    """What is there; without a file that is taken away while we look."""
    system, path = fsspec.core.url_to_fs(url)
    system.invalidate_cache()
    found = {}
    for file in system.find(path):
        with suppress(FileNotFoundError):
            found[file[len(path) :].lstrip("/")] = system.cat_file(file)
    return found
