"""`assay view`: what it cannot show is said in one line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
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
    server.send_signal(number)
    said = server.communicate(timeout=60)[1]
    assert server.returncode == 128 + signal.SIGTERM
    assert "Traceback" not in said
    assert not list(home.glob("assay-view-*"))
