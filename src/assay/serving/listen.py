"""A port to listen on, taken before anything is said about it."""

from __future__ import annotations

import socket

from assay.errors import AssayError


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
