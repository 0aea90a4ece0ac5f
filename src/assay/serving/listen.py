"""Taking a port before anything is said about it, and serving an app on it."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from assay.errors import AssayError

if TYPE_CHECKING:
    from fastapi import FastAPI
    from uvicorn import Server

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise AssayError(f"cannot listen on {host}:{port} ({error.strerror}); choose another --port") from None
    return listener


def address_of(listener: socket.socket) -> str:
    """Where a browser finds what is served there."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def hosts_of(host: str) -> frozenset[str]:
    """The names a server on this host answers to: its own on this machine, any where others may reach it."""
    return LOOPBACK if host in LOOPBACK else frozenset()


def server_of(app: FastAPI) -> Server:
    """A server that says nothing but warnings; `run(sockets=[listener])` serves until it is told to end."""
    import uvicorn

    return uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
