"""`assay server start`: serve benchmarks and studies over the web."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.server.opening import ADDRESS, DATABASE, database_from_file, database_option, opened
from assay.cli.shared.display import say
from assay.cli.shared.options import NEW_FOLDER
from assay.records.files import write_text

if TYPE_CHECKING:
    from assay.serving.served import Served

EXAMPLE = """\b
Examples:
  assay server start server --port 8000
  assay server start server --database postgresql://assay@db/assay --host 0.0.0.0 --name bench.example.org
"""


@click.command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@database_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port; 0 picks a free one."
)
@click.option(
    "--name", "names", multiple=True, metavar="HOST", help="Further host name to answer to, e.g. that of a proxy."
)
@click.option("--workers", type=click.IntRange(0), default=1, show_default=True, help="Number of scoring processes.")
@click.option("--work", is_flag=True, hidden=True)
def command(
    folder: Path, database: str | None, host: str, port: int, names: tuple[str, ...], workers: int, work: bool
) -> None:
    """Serve the benchmarks and studies in FOLDER: sign-in by link, submissions, queue, results.

    The first start prints a sign-in link for the owner. Submissions are scored in separate processes and survive
    interruption. Settings are in FOLDER/assay.toml.
    """
    with opened(folder, database, f"http://{host}:{port}") as served:
        if work:
            _work(served)
        else:
            _serve(served, database or database_from_file(), host, port, names, workers)


def _serve(served: Served, database: str | None, host: str, port: int, names: tuple[str, ...], workers: int) -> None:
    from urllib.parse import urlsplit

    from assay.cli.server.serving import app_of
    from assay.serving.access import access_for
    from assay.serving.children import Children
    from assay.serving.listen import address_of, listen, server_of

    listener = listen(host, port)
    more = [*names, *([urlsplit(served.settings.address).netloc] if served.settings.address else [])]
    access = access_for(host, listener.getsockname()[1], more, sign_in=True)
    served.address = served.settings.address or address_of(listener, access).rstrip("/")
    write_text(served.folder / ADDRESS, f"{served.address}\n")
    _first_link(served)
    say(f"{served.settings.title}: {served.address}/   (Ctrl-C ends it)")
    words = ["server", "start", str(served.folder), "--work"]
    with Children(words, workers, {DATABASE: database} if database else {}):
        server_of(app_of(served, access)).run(sockets=[listener])


def _first_link(served: Served) -> None:
    from assay.serving.people import add_person, give_role, has_owner, new_link

    with served.database.write() as connection:
        if has_owner(connection):
            return
        owner = add_person(connection, "owner@localhost", "")
        give_role(connection, owner, "", "owner", "")
        word = new_link(connection, owner, "", served.settings)
    say(f"The owner signs in, once, by: {served.link(word)}")


def _work(served: Served) -> None:
    from assay.benchmark.service.scoring import failures, handlers
    from assay.benchmark.service.versions import Versions
    from assay.serving.working import Worker, until_orphaned

    worker = Worker(served.database, served.settings, handlers(Versions(served)), failures())
    worker.run(until_orphaned())
