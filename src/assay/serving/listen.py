"""Taking a port before anything is said about it, and serving an app on it."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.serving.access import EVERYWHERE, PARAMETER, Access

if TYPE_CHECKING:
    from fastapi import FastAPI
    from uvicorn import Server


PATIENCE = 10
"""Seconds for which a server that was told to end waits for requests that are under way."""


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)  # whoever reads the address before the server is ready waits for it
    except OSError as error:
        listener.close()
        raise AssayError(f"cannot listen on {host}:{port} ({error.strerror}); choose another --port") from None
    return listener


def address_of(listener: socket.socket, access: Access) -> str:
    """Where a browser finds what is served there, with the token if it takes one."""
    host, port = listener.getsockname()[:2]
    if host in EVERYWHERE:
        host = socket.gethostname()
    token = f"?{PARAMETER}={access.token}" if access.token else ""
    return f"http://[{host}]:{port}/{token}" if ":" in host else f"http://{host}:{port}/{token}"


def server_of(app: FastAPI) -> Server:
    """A server that says nothing but warnings; `run(sockets=[listener])` serves until it is told to end."""
    import uvicorn

    # Who asks is who connects: a header could claim anything.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, proxy_headers=False, server_header=False,
        timeout_graceful_shutdown=PATIENCE,
    )  # fmt: skip
    return uvicorn.Server(config)
