"""Folders and downloads of released data."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assay.errors import AssayError, UsageError
from assay.meta.reproduce import released_data
from assay.meta.reproduce.released_data import RELEASED, DataFile, ReleasedData, data_folder, fetch
from assay.records.digests import FileDigest
from tests.conftest import DATA, Call

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
    with pytest.raises(AssayError, match=r"narrative: no stable address\. Download it from https://github.com/AADeL"):
        fetch("narrative", tmp_path)
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


def test_pinned_files_have_an_address_with_a_commit_and_a_digest() -> None:
    files = [file for work in RELEASED.values() for file in work.files]
    assert {name for name, work in RELEASED.items() if work.files} == {"frank", "eks", "fomc"}
    assert all(re.fullmatch(r"[0-9a-f]{64}", file.sha256) for file in files)
    prefix = r"https://raw\.githubusercontent\.com/[\w-]+/[\w-]+/[0-9a-f]{40}/"
    assert all(re.match(prefix, file.address) and file.address.endswith(file.path) for file in files)


@pytest.mark.parametrize("work", ["frank", "eks", "fomc"])
def test_pinned_digests_are_those_of_the_data_that_is_reproduced(work: str) -> None:
    folder = DATA / work
    if not folder.exists():
        pytest.skip(f"needs {folder}")
    wrong = [each.path for each in RELEASED[work].files if FileDigest.of(folder / each.path).sha256 != each.sha256]
    assert wrong == []


def test_the_command_downloads_and_says_what_is_left(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch, here: Callable[..., Call]
) -> None:
    release(monkeypatch, f"{address}/refs.csv")
    call = here("metric", "reproduce", "fetch", "toy", "--data", tmp_path / "data")
    assert (call.code, call.err) == (0, "")
    assert call.out.startswith(f"1 file in {tmp_path / 'data/toy'} · licence: MIT")
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    call = here("metric", "reproduce", "fetch", "toy")
    assert (call.code, call.out) == (2, "")
    assert "--data DIR" in call.err
