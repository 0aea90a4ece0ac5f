"""A hub that cannot be reached is recognized at once, not after retries of every file."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest

from assay.errors import AssayError
from assay.models import hub
from assay.models.checkpoints import local_folder
from assay.models.load import load

constants = pytest.importorskip("huggingface_hub.constants")


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A network that takes no connection until it is told to; it counts who tries."""
    state = SimpleNamespace(up=False, tried=[])

    def connect(address: tuple[str, int], timeout: float) -> Any:
        state.tried.append(address)
        if not state.up:
            raise OSError("no route to host")
        return SimpleNamespace(close=lambda: None)

    monkeypatch.setattr("assay.models.hub.socket.create_connection", connect)
    monkeypatch.setattr(hub, "_tried", (-hub.AGAIN, True))
    monkeypatch.setattr(hub, "_set_here", set())
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    return state


def test_a_missing_model_is_told_at_once(network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(name: str, local_files_only: bool, allow_patterns: list[str]) -> str:
        assert local_files_only, "nothing is requested from a hub that cannot be reached"
        raise OSError

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    for _ in range(3):
        with pytest.raises(AssayError, match="no-such/model are not downloaded, and the Hugging Face hub cannot"):
            local_folder("no-such/model")
    assert len(network.tried) == 1
    assert constants.HF_HUB_OFFLINE


def test_a_missing_model_is_told_before_its_libraries_are_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing them takes seconds."""
    monkeypatch.setattr("assay.models.load.loaded", lambda *arguments: pytest.fail("transformers would be imported"))
    with pytest.raises(AssayError, match="no-such/model are not downloaded, and the Hugging Face hub cannot"):
        load("no-such/model")


def test_it_is_tried_again_later(network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not hub.stop_retries()
    network.up = True
    assert not hub.stop_retries()
    later = time.monotonic() + hub.AGAIN + 1
    monkeypatch.setattr("assay.models.hub.time.monotonic", lambda: later)
    assert hub.stop_retries()
    assert not constants.HF_HUB_OFFLINE
    assert len(network.tried) == 2


def test_a_name_lookup_that_hangs_is_not_awaited(network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "PATIENCE", 0.05)

    def hanging(address: tuple[str, int], timeout: float) -> None:
        time.sleep(2)
        raise OSError("no such name")

    monkeypatch.setattr("assay.models.hub.socket.create_connection", hanging)
    start = time.monotonic()
    assert not hub.is_reachable()
    assert time.monotonic() - start < 1


@pytest.mark.parametrize(("variable", "address"), [("http://proxy:3128", ("proxy", 3128)), ("proxy", ("proxy", 80))])
def test_behind_a_proxy_the_proxy_counts(
    network: Any, monkeypatch: pytest.MonkeyPatch, variable: str, address: tuple[str, int]
) -> None:
    monkeypatch.setenv("https_proxy", variable)
    monkeypatch.setattr(constants, "ENDPOINT", "https://hub.example")
    network.up = True
    assert hub.is_reachable()
    assert network.tried == [address]


def test_the_setting_of_the_user_is_kept(network: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    network.up = True
    assert not hub.stop_retries()
    assert constants.HF_HUB_OFFLINE
    assert network.tried == []
