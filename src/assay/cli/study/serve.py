"""`assay study serve`: run a study on an annotation server."""

from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from assay.cli.server.options import database_option
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
@click.option("--tasks", type=PATH, multiple=True, help="Tasks: a journal of `assay study assign`, or JSONL.")
@click.option("--lessons", type=PATH, help="Tutorial and qualification items (JSONL).")
@click.option("--consent", type=PATH, help="Consent text (default: a short standard text).")
@click.option("--code", default="", help="Completion code for all participants (default: one each).")
@click.option("--pilot", is_flag=True, help="Start with the pilot of the design; it is ended on its page.")
@click.option(
    "--folder", type=click.Path(path_type=Path, file_okay=False), help="Folder of the server (default: DESIGN-server)."
)
@database_option
@click.option(
    "--invite", "invited", multiple=True, metavar="NAME", help="Print an invitation link for this participant."
)
@click.option(
    "--add", "only", is_flag=True, help="Add the study, or new tasks of it, to a server that may be running, and exit."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8020, show_default=True, help="Port; 0 picks a free one."
)
@click.option(
    "--name", "names", multiple=True, metavar="HOST", help="Further host name to answer to, e.g. that of a proxy."
)
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
    """Serve the study of a design (PLACE is a TOML file), or all studies of a server (PLACE is its folder).

    The first start prints a sign-in link for the organiser. An existing study is continued; new tasks and tutorial
    items are added.
    """
    from assay.server.manage import record_address, recorded_address, require_packages

    require_packages()
    from assay.server.studies import StudyFiles, read_study, serve_studies
    from assay.serving.access import access_for
    from assay.serving.listen import address_of, listen, server_of
    from assay.serving.server import open_server
    from assay.serving.settings import database_url

    if place.is_dir():
        options = {"--tasks": tasks, "--lessons": lessons, "--consent": consent, "--code": code, "--folder": folder}
        idle = next((option for option, value in options.items() if value), None)
        if idle:
            raise UsageError(f"{idle} requires a design; {place} is a folder. Pass the TOML file of the design.")
        files, home = None, place
    elif place.is_file():
        for path in (*tasks, *filter(None, (lessons, consent))):
            if not path.is_file():  # before a server folder is created for it
                raise AssayError(f"{path}: no such file. Check the path.")
        files = StudyFiles(place, tasks, lessons, consent, code)
        read_study(files)  # before a server folder is created for it
        home = folder or place.with_name(f"{place.stem}-server")
    else:
        raise AssayError(f"{place}: no such file or folder. Write a design with `assay study new`.")
    if only and files is None:
        raise UsageError(f"--add requires a design; {place} is a folder")
    listener = listen(host, 0 if only else port)
    access = access_for(host, listener.getsockname()[1], names, sign_in=True)
    if only:  # links begin with the address of the server that runs, which may be on another port
        explicit = click.get_current_context().get_parameter_source("port") is ParameterSource.COMMANDLINE
        address = ("" if explicit else recorded_address(home)) or f"http://{host}:{port}"
    else:
        address = address_of(listener, access).rstrip("/")
    server = open_server(home, database or database_url(), address)
    if not only:
        record_address(server)
    app, put, links = serve_studies(server, access, files, pilot, invited)
    if put is not None:
        say(f"study {put.id} · {put.tasks:,} tasks, {put.added:,} of them new")
        warn(put.notes)
    for what, link in links:
        say(f"{what}: {link}")
    if only:
        return
    say(f"{server.address}/running   (press Ctrl-C to stop)")
    server_of(app).run(sockets=[listener])
