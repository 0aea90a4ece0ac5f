"""`assay view`: explore results interactively in a browser."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import click

from assay.cli.shared.display import say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, family_option
from assay.errors import AssayError
from assay.results.verdict import Family

EXAMPLE = """\b
Examples:
  assay view results/sample
  assay view results/mine gem/results --port 8010
"""


@new_command(epilog=EXAMPLE)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port; 0 picks a free one."
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; 127.0.0.1 is this machine only.",
)
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME", help="Further host name to answer to, e.g. that of a proxy."
)
@click.option("--token", is_flag=True, help="Require the token on this machine too; remote access always requires it.")
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@family_option
def command(
    results: tuple[Path, ...],
    port: int,
    host: str,
    names: tuple[str, ...],
    token: bool,
    no_browser: bool,
    family: Family,
) -> None:
    """Serve the explorer for RESULTS: folders made by `assay run` or `assay score --save`, or results of other tools.

    A folder of such folders includes all of them. At a terminal the address opens in the browser, except in CI and
    where it has a token. Other users and machines need the token in the printed address.
    """
    from assay.explorer.standalone import HOW, built

    if not built():
        raise AssayError(f"{HOW} `assay report` works without them.")
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401

        from assay.explorer.server import app_of
    except ImportError as error:
        raise AssayError(f"{error.name} is not installed; pip install 'assay-eval[studio]'") from None
    from assay.explorer.queries import Queries
    from assay.serving.access import access_for
    from assay.serving.browser import open_browser
    from assay.serving.listen import address_of, listen, server_of

    queries = Queries(results, family)
    warn([*queries.overview.problems, *queries.overview.skipped])
    listener = listen(host, port)
    access = access_for(host, listener.getsockname()[1], names, token)
    runs = len(queries.overview.runs)
    say(f"{runs} runs of {queries.overview.title}: {address_of(listener, access)}   (press Ctrl-C to stop)")
    if not no_browser and not access.token:  # other users could read a token in the browser's command line
        open_browser(address_of(listener, access))
    Thread(target=queries.prepare, daemon=True).start()  # texts get ready while the first page is read
    server_of(app_of(queries, access)).run(sockets=[listener])
