"""Start of a server: bind a port, publish its address, run the app with its worker processes."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from assay.records.files import write_text
from assay.server.manage import ADDRESS, owner_link
from assay.serving.access import Access, access_for
from assay.serving.listen import address_of, listen, server_of
from assay.serving.settings import DATABASE, database_url

if TYPE_CHECKING:
    from assay.serving.server import Server


class Bound(NamedTuple):
    """A port that is bound, and the access rules for the address."""

    listener: socket.socket
    access: Access
    owner_link: str | None
    """Sign-in link of the owner, on the first start only."""


def bind(server: Server, host: str, port: int, names: Iterable[str] = ()) -> Bound:
    """Bind a port for the server and record its address in the folder.

    Args:
        server: The server.
        host: Interface to bind.
        port: Port to bind; 0 selects a free one.
        names: Additional host names to accept, such as that of a proxy.
    """
    listener = listen(host, port)
    own = [urlsplit(server.settings.address).netloc] if server.settings.address else []
    access = access_for(host, listener.getsockname()[1], [*names, *own], sign_in=True)
    server.address = server.settings.address or address_of(listener, access).rstrip("/")
    write_text(server.folder / ADDRESS, f"{server.address}\n")
    return Bound(listener, access, owner_link(server))


def run(
    server: Server, bound: Bound, worker_command: Sequence[str], workers: int = 1, database: str | None = None
) -> None:
    """Serve until the process is interrupted.

    Args:
        server: The server.
        bound: Its port.
        worker_command: Arguments of the `assay` command that runs a worker process.
        workers: Number of worker processes.
        database: URL of the database, passed to the workers in their environment.
    """
    from assay.server.app import build_app
    from assay.serving.worker_processes import WorkerProcesses

    url = database or database_url()
    with WorkerProcesses(worker_command, workers, {DATABASE: url} if url else {}):
        server_of(build_app(server, bound.access)).run(sockets=[bound.listener])
