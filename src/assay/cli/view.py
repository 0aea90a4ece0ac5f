"""`assay view`: walk through results in a browser."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import click

from assay.cli.options import PATH
from assay.errors import AssayError

EXAMPLE = """\b
Examples:
  assay view results/sample
  assay view results/mine gem/results --port 8010
"""


@click.command(epilog=EXAMPLE)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 picks a free one.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Only this machine unless you say otherwise: texts are not public.",
)
def command(results: tuple[Path, ...], port: int, host: str) -> None:
    """Serve the explorer over RESULTS: folders made by assay run or assay score --save, or results of other tools."""
    from assay.explorer.static_files import HOW, built

    if not built():
        raise AssayError(f"{HOW}; `assay report` works without them")
    try:
        import uvicorn

        from assay.explorer.server import LOOPBACK, app_of
    except ImportError as error:
        raise AssayError(f"{error.name} is not installed; pip install 'assay[studio]'") from None
    from assay.explorer.queries import Shelf
    from assay.serving.listen import listen

    shelf = Shelf(results)
    lines = len(shelf.board.lines)
    for problem in shelf.board.problems:
        click.echo(f"! {problem}", err=True)
    listener = listen(host, port)
    address = listener.getsockname()
    name = f"[{address[0]}]" if ":" in address[0] else address[0]
    click.echo(f"{lines} lines of {shelf.board.title}: http://{name}:{address[1]}/   (Ctrl-C ends it)")
    Thread(target=shelf.prepare, daemon=True).start()  # texts get ready while the first page is read
    hosts = LOOPBACK if host in LOOPBACK else frozenset()
    config = uvicorn.Config(app_of(shelf, hosts), log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])
