"""Start of a server: bind a port, publish its address, run the app with its worker processes."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from assay.server.manage import owner_link, record_address
from assay.serving.access import Access, access_for
from assay.serving.bounded import SHARED
from assay.serving.integrity import require_startable
from assay.serving.listen import address_of, server_of
from assay.serving.settings import DATABASE, database_url

if TYPE_CHECKING:
    from assay.serving.server import Server

UPLOADS = "uploads"


class Bound(NamedTuple):
    """A port that is bound, and the access rules for the address."""

    listener: socket.socket
    access: Access
    owner_link: str | None
    """Sign-in link of the owner, on the first start only."""


def bind(server: Server, listener: socket.socket, host: str, names: Iterable[str] = ()) -> Bound:
    """Bind the server to a port and record its address in the folder.

    Args:
        server: The server.
        listener: Socket that listens on the port (`assay.serving.listen.listen`).
        host: Interface of the socket, as requested.
        names: Additional host names to accept, such as that of a proxy.
    """
    require_startable(server.database, server.folder)
    shutil.rmtree(server.folder / UPLOADS, ignore_errors=True)  # of requests that a killed server was reading
    own = [urlsplit(server.settings.address).netloc] if server.settings.address else []
    access = access_for(host, listener.getsockname()[1], [*names, *own], sign_in=True)
    server.address = server.settings.address or address_of(listener, access).rstrip("/")
    record_address(server)
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
        server_of(build_app(server, bound.access), SHARED.stop).run(sockets=[bound.listener])
