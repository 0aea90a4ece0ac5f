"""A cluster of two real nodes on this machine, each with a raylet of its own; the head also takes clients."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.execution.ray_session import QUIET

NODE: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 80 << 20}
HEAD: dict[str, Any] = {**NODE, "include_dashboard": False, "no_monitor": True, "include_log_monitor": False}
PATIENT = {"RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "240"}
"""A busy machine may take longer than Ray waits."""


@contextmanager
def two_nodes() -> Iterator[Any]:
    """The cluster, and this process connected to it."""
    changed = pytest.MonkeyPatch()
    paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    changed.setenv("PYTHONPATH", os.pathsep.join(paths))  # nodes import what they are given
    for name, value in {**QUIET, **PATIENT}.items():
        changed.setenv(name, value)
    import ray
    from ray.cluster_utils import Cluster

    for again in range(3):  # nor is there a setting for how long a node may take
        made = Cluster(initialize_head=False)
        try:
            made.add_node(**HEAD, ray_client_server_port=_free_port())
            made.add_node(**NODE)
            break
        except Exception:
            made.shutdown()  # type: ignore[no-untyped-call]
            if again == 2:
                pytest.skip("Ray's nodes do not start here within its half minute")
    ray.init(made.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield made
    finally:
        ray.shutdown()
        made.shutdown()  # type: ignore[no-untyped-call]
        changed.undo()


def for_clients(cluster: Any) -> str:
    """The address for whoever is no part of the cluster."""
    return f"ray://{cluster.address.rpartition(':')[0]}:{cluster.head_node._ray_params.ray_client_server_port}"


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("", 0))
        port: int = free.getsockname()[1]
        return port
