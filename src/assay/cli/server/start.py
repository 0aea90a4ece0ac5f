"""`assay server start`: serve benchmarks and studies over the web."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.options import database_option
from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER
from assay.server.manage import opened, require_packages, run_worker

EXAMPLE = """\b
Examples:
  assay server start server --port 8000
  assay server start server --database postgresql://assay@db/assay --host 0.0.0.0 --name bench.example.org
"""


@new_command(epilog=EXAMPLE)
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

    The first start creates FOLDER and prints a sign-in link for the owner. Submissions are scored in separate
    processes and survive interruption. Settings are in FOLDER/assay.toml.
    """
    if work:
        with opened(folder, database, f"http://{host}:{port}") as server:
            run_worker(server)
        return
    require_packages()
    from assay.server.start import bind, run
    from assay.serving.listen import listen

    listener = listen(host, port)  # before a server folder is created
    with opened(folder, database, f"http://{host}:{port}") as server:
        bound = bind(server, listener, host, names)
        if bound.owner_link:
            say(f"Sign-in link of the owner, valid once: {bound.owner_link}")
        say(f"{server.settings.title}: {server.address}/   (press Ctrl-C to stop)")
        run(server, bound, ["server", "start", str(folder), "--work"], workers, database)
