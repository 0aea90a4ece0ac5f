"""The way to Ray: addresses, clusters where nobody is or that are slow, and what is missing here."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from assay.errors import AssayError, UsageError
from assay.execution.executors import choose_executor
from assay.execution.ray_engine import Ray
from assay.execution.ray_session import connect
from tests.support import ray_jobs

pytest.importorskip("ray", reason="needs the cluster extra")


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_where_nobody_is_is_told_at_once(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray.is_initialized", lambda: False)  # whoever is connected is followed
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can answer there
        address = f"{scheme}127.0.0.1:{free.getsockname()[1]}"
        start = time.monotonic()
        with pytest.raises(AssayError, match=r"127\.0\.0\.1:\d+: no cluster answers \(.*refused\)"):
            connect(address, None)
    assert time.monotonic() - start < 30


def test_a_server_that_does_not_begin_in_time_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the head of a cluster, which starts one for each client."""
    said = iter(["in vain\nslow", "in vain\nslow", ""])

    def begun(address: str, **how: Any) -> None:
        if why := next(said):
            raise ConnectionAbortedError(why)

    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("ray.shutdown", lambda: None)
    monkeypatch.setattr("ray.init", begun)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"ray://127.0.0.1:{server.getsockname()[1]}"
        connect(address, None)
        said = iter(["in vain\nslow"] * 9)
        with pytest.raises(AssayError, match=r"no cluster answers \(slow\)"):
            connect(address, None)
    assert len([*said]) == 6


def test_addresses_and_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose_executor(engine="ray") == Ray()
    assert choose_executor(3, engine="ray:10.0.0.1:6379") == Ray("10.0.0.1:6379", 3)
    assert choose_executor(engine="ray://10.0.0.1:10001") == Ray("ray://10.0.0.1:10001")
    for wrong in ("ray:", "ray://", "ray:head", "ray://head", "ray:http://head:1", "ray:head:port", "ray:me:pw@head:1"):
        with pytest.raises(UsageError, match=r"write ray, ray:auto, ray:HOST:PORT or ray://HOST:PORT"):
            choose_executor(engine=wrong)
    monkeypatch.setenv("ASSAY_RAY_GPUS", "0.25")
    assert Ray().gpus == 0.25
    monkeypatch.setenv("ASSAY_RAY_GPUS", "half")
    with pytest.raises(AssayError, match=r"e\.g\. 0\.25"):
        Ray()
    monkeypatch.delenv("ASSAY_RAY_GPUS")
    monkeypatch.setattr("assay.extras.find_spec", lambda name: None)
    with pytest.raises(AssayError, match=r"pip install 'assay-eval\[cluster\]'"):
        list(Ray().map(ray_jobs.thirds, [1]))
