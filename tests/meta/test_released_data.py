"""Folders and downloads of released data."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assay.errors import AssayError, UsageError
from assay.meta.reproduce import released_data
from assay.meta.reproduce.released_data import DataFile, ReleasedData, data_folder, fetch

CONTENT = b"mr,ref\nname[Aromi],Aromi is a place to eat .\n"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    served = tmp_path / "served"
    served.mkdir()
    (served / "refs.csv").write_bytes(CONTENT)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(served)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def release(monkeypatch: pytest.MonkeyPatch, address: str, digest: str | None = None) -> None:
    file = DataFile("test/refs.csv", address, digest or hashlib.sha256(CONTENT).hexdigest())
    monkeypatch.setitem(released_data.RELEASED, "toy", ReleasedData("https://example.org", "MIT", (file,)))


def test_fetch_verifies_and_keeps_files(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release(monkeypatch, f"{address}/refs.csv")
    (path,) = fetch("toy", tmp_path / "data")
    assert path == tmp_path / "data/toy/test/refs.csv"
    assert path.read_bytes() == CONTENT
    (tmp_path / "served/refs.csv").unlink()
    assert fetch("toy", tmp_path / "data") == [path]  # not downloaded again


def test_fetch_refuses_changed_and_missing_files(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release(monkeypatch, f"{address}/refs.csv", "0" * 64)
    with pytest.raises(AssayError, match="expected 0000"):
        fetch("toy", tmp_path / "data")
    release(monkeypatch, f"{address}/other.csv")
    with pytest.raises(AssayError, match=r"download failed .*404"):
        fetch("toy", tmp_path / "data")
    assert not list((tmp_path / "data").rglob("*.csv*"))


def test_fetch_names_the_page_of_data_without_an_address(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match=r"frank: no stable address\. Download it from https://github.com/artidoro"):
        fetch("frank", tmp_path)
    with pytest.raises(UsageError, match="nope: no released data of this name"):
        fetch("nope", tmp_path)


def test_the_folder_has_no_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    with pytest.raises(AssayError, match="--data DIR or the environment variable ASSAY_DATA"):
        data_folder()
    with pytest.raises(AssayError, match="no such folder"):
        data_folder(tmp_path / "nowhere")
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    assert data_folder() == tmp_path
