"""`assay view`: what it cannot show is said in one line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.explorer.standalone import built

Call = Callable[..., Any]


def test_view_without_pages_says_how(here: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.explorer.standalone.KINDS", {"nothing.html": "text/html"})
    said = here("view", tmp_path)
    assert said.code == 1
    assert "make pages" in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_view_of_nothing(here: Call, tmp_path: Path) -> None:
    assert here("view", tmp_path / "none").code == 1
    (tmp_path / "empty").mkdir()
    said = here("view", tmp_path / "empty")
    assert said.code == 1
    assert "neither" in said.err


def test_wrong_usage(here: Call, tmp_path: Path) -> None:
    assert here("view").code == 2
    assert "70000" in here("view", tmp_path, "--port", "70000").err


def _as_from_a_terminal() -> None:
    """Whoever runs the tests under nohup hands down that a hang-up is ignored, which a server rightly keeps to."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_no_texts_stay_behind(tmp_path: Path, number: signal.Signals) -> None:
    """Whoever ends a server, or closes its terminal, leaves no copies of texts in the temporary folder."""
    assay.score(["the cat sat"] * 3, ["a cat sat"] * 3, metrics="rouge1", save=tmp_path / "run")
    home = tmp_path / "tmp"
    home.mkdir()
    server = subprocess.Popen(
        [sys.executable, "-m", "assay", "view", str(tmp_path / "run"), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(home)},
        preexec_fn=_as_from_a_terminal,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not list(home.glob("assay-view-*/*.parquet")) and time.monotonic() < until:
        time.sleep(0.05)
    assert list(home.glob("assay-view-*/*.parquet"))
    assert server.stdout is not None
    address = re.search(r"http://\S+", server.stdout.readline())
    assert address is not None
    urllib.request.urlopen(address[0], timeout=60).close()  # it runs: before that, a signal ends it in another way
    server.send_signal(number)
    said = server.communicate(timeout=60)[1]
    assert server.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in said
    assert not list(home.glob("assay-view-*"))


def _opened(here: Call, monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str) -> list[str]:
    """The addresses that a browser is asked to open; the server itself does not run."""
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
    monkeypatch.setattr("assay.serving.browser.Thread", _Now)
    done = here("view", folder, "--port", "0", *options)
    assert done.code == 0, done.err
    assert "press Ctrl-C to stop" in done.out
    return opened


class _Now:
    """A thread that does its work at once."""

    def __init__(self, target: Callable[..., Any], args: tuple[Any, ...] = (), daemon: bool = False) -> None:
        self._target, self._args = target, args

    def start(self) -> None:
        self._target(*self._args)


@pytest.mark.skipif(not built(), reason="needs the built pages (make pages)")
def test_the_browser_opens_for_a_person_only(here: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assay.score(["the cat sat"] * 3, ["a cat sat"] * 3, metrics="rouge1", save=tmp_path / "run")
    for name in ("CI", "BROWSER", "SSH_CONNECTION", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    assert _opened(here, monkeypatch, tmp_path / "run") == []  # the output is a pipe
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    (address,) = _opened(here, monkeypatch, tmp_path / "run")
    assert address.startswith("http://127.0.0.1:")
    assert _opened(here, monkeypatch, tmp_path / "run", "--no-browser") == []
    assert _opened(here, monkeypatch, tmp_path / "run", "--token") == []  # a token is not for the list of processes
    monkeypatch.setenv("CI", "true")
    assert _opened(here, monkeypatch, tmp_path / "run") == []
    monkeypatch.delenv("CI")
    monkeypatch.delenv("DISPLAY")
    monkeypatch.setattr(sys, "platform", "linux")
    assert _opened(here, monkeypatch, tmp_path / "run") == []  # no display: a text browser would take the terminal
