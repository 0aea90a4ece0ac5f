"""The connection to Ray: an existing cluster, or a local one that ends with this process."""

from __future__ import annotations

import logging
import os
import socket
from typing import Any

from assay.errors import AssayError, first_line

STORE = 200 << 20
"""Bytes of shared memory of a local Ray; bounded by back-pressure."""
STARTS = 3
"""Number of attempts to start a local Ray or a client server."""
PATIENCE = 10.0
"""Timeout in seconds to connect to an address."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is told to anybody
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_IGNORE_UNHANDLED_ERRORS": "1",  # of copies that are no longer awaited
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",  # paragraphs about dead workers, on standard output: we say it in one line
}


def connect(address: str, workers: int | None) -> Any:
    """Return Ray, connected. An existing connection (a notebook, a test) is used; a Ray that is started here ends
    with this process."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:  # there, but not whole
        raise AssayError(f"engine ray: {first_line(error)}; pip install 'assay-eval[cluster]'") from None
    if ray.is_initialized():
        return ray
    target = address if "://" in address else f"ray:{address}"
    if why := _nobody_at(address):  # Ray itself would try for minutes, and tell of it in paragraphs
        raise AssayError(_unreachable(target, address, why))
    how: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if not address:
        how |= {"num_cpus": workers or os.cpu_count(), "include_dashboard": False, "object_store_memory": STORE}
    for left in reversed(range(STARTS)):
        try:
            ray.init(address or "local", **how)
            break
        except ImportError as error:
            raise AssayError(f"engine {target}: {first_line(error)}; pip install 'assay-eval[cluster]'") from None
        except Exception as error:  # of many kinds, and a bare one where a busy machine takes longer than Ray waits
            ray.shutdown()
            if left and (not address or isinstance(error, ConnectionAbortedError)):
                continue
            if isinstance(error, ConnectionAbortedError):  # the head of a cluster, whose last line has the reason
                error = ConnectionAbortedError(str(error).strip().rpartition("\n")[2])
            if address:
                raise AssayError(_unreachable(target, address, first_line(error))) from None
            raise AssayError(
                f"engine ray: Ray could not be started here ({first_line(error)}); try again when less is running, "
                "or use --engine processes"
            ) from None
    return ray


def gpu_share() -> float:
    """Return the share of a GPU for a worker with models: ASSAY_RAY_GPUS, or one."""
    target = os.environ.get("ASSAY_RAY_GPUS") or "1"
    try:
        share = float(target)
    except ValueError:
        share = 0.0
    if not 0 < share <= 64:
        raise AssayError(f"ASSAY_RAY_GPUS={target}: use the number of GPUs per worker, e.g. 0.25")
    return share


def _nobody_at(address: str) -> str | None:
    """Return why an address cannot be reached; None if it can, or if there is none."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host:
        return None
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except (OSError, OverflowError, UnicodeError) as error:
        return first_line(error)
    return None


def _unreachable(target: str, address: str, why: str) -> str:
    look = f"`ray status --address {address}` shows whether it runs, and " if "://" not in address else ""
    return f"engine {target}: no cluster answers ({why}); {look}`ray start --head` starts one"
