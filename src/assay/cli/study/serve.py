"""`assay study serve`: a study that people take part in by browser."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import say, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH
from assay.errors import AssayError, UsageError

EXAMPLE = """\b
Examples:
  assay study serve design.toml --tasks study.jsonl --lessons lessons.jsonl
  assay study serve design.toml --invite anna --invite bert
  assay study serve design.toml --folder server --tasks more.jsonl --add
  assay study serve studies --database postgresql://assay@localhost/assay --port 8020
"""


@new_command(epilog=EXAMPLE)
@click.argument("place", type=PATH)
@click.option("--tasks", type=PATH, multiple=True, help="Tasks: a journal of `assay study assign`, or one JSON a line.")
@click.option("--lessons", type=PATH, help="Examples of the tutorial and the qualification test, one JSON a line.")
@click.option("--consent", type=PATH, help="What people agree to, as text; else a few plain sentences.")
@click.option("--code", default="", help="One completion code for everybody; else each person has their own.")
@click.option("--pilot", is_flag=True, help="Begin with the design's pilot; its page ends it.")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), help="Of the server; else DESIGN-server.")
@click.option("--database", metavar="URL", help="PostgreSQL instead of SQLite in the folder.")
@click.option("--invite", "invited", multiple=True, metavar="NAME", help="Print an invitation for this person.")
@click.option(
    "--add", "only", is_flag=True, help="Put the study, or what is new of it, on a server that may be running, and end."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8020, show_default=True, help="0 picks a free one.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="One more name to answer to (a proxy's).")
def command(
    place: Path,
    tasks: tuple[Path, ...],
    lessons: Path | None,
    consent: Path | None,
    code: str,
    pilot: bool,
    folder: Path | None,
    database: str | None,
    invited: tuple[str, ...],
    only: bool,
    host: str,
    port: int,
    names: tuple[str, ...],
) -> None:
    """Serve a study by its design (PLACE is a TOML file), or all studies of a server's folder (PLACE is a folder).

    The first time, a link to sign in by is printed, for whoever runs the studies. A design that is there already goes
    on where it was; tasks and lessons that are new are added.
    """
    from assay.server.manage import require_packages

    require_packages()
    from assay.server.studies import Files, serve_studies
    from assay.serving.access import access_for
    from assay.serving.listen import address_of, listen, server_of
    from assay.serving.server import open_server

    if place.is_dir():
        given = {"--tasks": tasks, "--lessons": lessons, "--consent": consent, "--code": code, "--folder": folder}
        idle = next((option for option, value in given.items() if value), None)
        if idle:
            raise UsageError(f"{idle} belongs to a design; {place} is a folder: name the design's TOML file")
        files, home = None, place
    elif place.is_file():
        files = Files(place, tasks, lessons, consent, code)
        home = folder or place.with_name(f"{place.stem}-server")
    else:
        raise AssayError(f"{place}: no such file or folder; `assay study new` writes a design")
    if only and files is None:
        raise UsageError(f"--add puts a design on a server; {place} is a folder")
    listener = listen(host, 0 if only else port)
    access = access_for(host, listener.getsockname()[1], names, sign_in=True)
    server = open_server(home, database, f"http://{host}:{port}" if only else address_of(listener, access).rstrip("/"))
    app, put, links = serve_studies(server, access, files, pilot, invited)
    if put is not None:
        say(f"study {put.id} · {put.tasks:,} tasks, {put.added:,} of them new")
        warn(put.notes)
    for what, link in links:
        say(f"{what}: {link}")
    if only:
        return
    say(f"{server.address}/running   (Ctrl-C ends it)")
    server_of(app).run(sockets=[listener])
