"""Listening: bind a port before its address is printed, and serve an app on it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.serving.access import EVERYWHERE, PARAMETER, Access
from assay.serving.timeouts import BACKLOG, most_open, timed_protocol

if TYPE_CHECKING:
    from fastapi import FastAPI
    from uvicorn import Server

SHUTDOWN_SECONDS = 5
"""Seconds that a stopping server waits for requests in progress."""
UPLOAD_SECONDS = 1.5
"""Seconds that it waits for work on uploads, which takes much longer than other requests."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a port; port 0 selects a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)  # early clients wait until the server is ready
    except OSError as error:
        listener.close()
        raise AssayError(f"Cannot listen on {host}:{port} ({error.strerror}). Choose another --port.") from None
    return listener


def address_of(listener: socket.socket, access: Access) -> str:
    """Return the address for a browser, with the token if one is required."""
    host, port = listener.getsockname()[:2]
    if host in EVERYWHERE:
        host = socket.gethostname()
    token = f"?{PARAMETER}={access.token}" if access.token else ""
    return f"http://[{host}]:{port}/{token}" if ":" in host else f"http://{host}:{port}/{token}"


def server_of(app: FastAPI, end_long_work: Callable[[], None] | None = None) -> Server:
    """Return a web server that logs warnings only; `run(sockets=[listener])` serves until it is interrupted.

    Args:
        app: The app.
        end_long_work: Called when the server has been stopping for a moment. Threads cannot be cancelled: without
            it, the server waits for what they wait for.
    """
    import uvicorn

    class StoppingServer(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            def end() -> None:
                if end_long_work is not None:
                    end_long_work()

            later = asyncio.get_running_loop().call_later(UPLOAD_SECONDS, end)
            try:
                await super().shutdown(sockets)
            finally:
                later.cancel()
                end()

    # Proxy headers are not trusted here: clients could forge their address.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, proxy_headers=False, server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS, http=timed_protocol(most=most_open()), backlog=BACKLOG,
    )  # fmt: skip
    return StoppingServer(config)
