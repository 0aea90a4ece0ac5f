"""`assay serve`: benchmarks that people submit to, over the web."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.display import counted, say
from assay.cli.options import NEW_FILE, NEW_FOLDER, PATH
from assay.errors import AssayError, UsageError
from assay.records.files import read_text, write_text

if TYPE_CHECKING:
    from assay.serving.served import Served

EXAMPLE = """\b
Examples:
  assay serve server --add tides-1.toml
  assay serve server --port 8000
  assay serve server --invite ada@example.org --role submitter --for tides
  assay serve server --database postgresql://assay@db/assay --host 0.0.0.0 --name bench.example.org
  assay serve server --backup monday.tar
"""
DATABASE = "ASSAY_DATABASE"
ADDRESS = "address"
ONE_OF = ("add", "invite", "backup", "restore", "work")


@click.command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.option("--database", metavar="URL", envvar=DATABASE, help="postgresql://..; else SQLite in the folder.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 picks a free one.")
@click.option("--name", "names", multiple=True, metavar="HOST", help="One more name to answer to (a proxy's).")
@click.option("--workers", type=click.IntRange(0), default=1, show_default=True, help="Processes that score.")
@click.option("--add", type=PATH, metavar="MANIFEST", help="Take in a frozen version of a benchmark, and end.")
@click.option("--invite", metavar="EMAIL", help="Print a link that signs this person in, and end.")
@click.option("--role", default="submitter", show_default=True, help="Their role, with --invite.")
@click.option(
    "--for", "scope", metavar="BENCHMARK", help="What the role is for (a study is study:NAME); else the whole server."
)
@click.option("--backup", type=NEW_FILE, metavar="FILE.tar", help="Write everything into one archive, and end.")
@click.option("--restore", type=PATH, metavar="FILE.tar", help="Fill an empty folder from such an archive, and end.")
@click.option("--work", is_flag=True, hidden=True)
def command(
    folder: Path, database: str | None, host: str, port: int, names: tuple[str, ...], workers: int, scope: str | None,
    role: str, **asked: Any,
) -> None:  # fmt: skip
    """Serve the benchmarks in FOLDER: people sign in by link, submit, watch the queue, and explore results.

    The first start prints a link for the owner. What is submitted is scored by processes of their own; everything
    survives being killed. Settings are in FOLDER/assay.toml.
    """
    database = database or _database_in_a_file()
    chosen = [name for name in ONE_OF if asked[name]]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]}: give one of them")
    if asked["add"] and not asked["add"].is_file():  # before a server is made for it
        raise AssayError(f"{asked['add']}: no such file; check the path")
    _needed()
    from assay.serving.served import open_served

    if asked["restore"]:
        _restore(folder, database, asked["restore"])
        return
    served = open_served(folder, database, _last_address(folder) or f"http://{host}:{port}")
    try:
        if asked["add"]:
            _add(served, asked["add"])
        elif asked["invite"]:
            _invite(served, asked["invite"], role, scope)
        elif asked["backup"]:
            _back_up(served, asked["backup"])
        elif asked["work"]:
            _work(served)
        else:
            _serve(served, database, host, port, names, workers)
    finally:
        served.database.close()


def _last_address(folder: Path) -> str:
    """Where the server listened when it was started last: what is printed by other calls begins with it."""
    file = folder / ADDRESS
    return read_text(file).strip() if file.is_file() else ""


def _database_in_a_file() -> str | None:
    """As containers hand out what has a password in it."""
    file = os.environ.get(f"{DATABASE}_FILE")
    if not file:
        return None
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"{DATABASE}_FILE: {file} cannot be read ({error}); write the URL into it") from None


def _needed() -> None:
    try:
        import alembic  # noqa: F401
        import fastapi  # noqa: F401
        import itsdangerous  # noqa: F401
        import python_multipart  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise AssayError(f"{error.name} is not installed; pip install 'assay-eval[studio]'") from None


def _serve(served: Served, database: str | None, host: str, port: int, names: tuple[str, ...], workers: int) -> None:
    from urllib.parse import urlsplit

    from assay.cli.serving import app_of
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
    words = ["serve", str(served.folder), "--work"]
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


def _invite(served: Served, email: str, role: str, benchmark: str | None) -> None:
    from assay.benchmark.service.versions import scope_of
    from assay.cli.serving import scopes
    from assay.serving.people import RANKS, add_person, give_role, new_link

    if role not in RANKS:
        raise UsageError(f"--role {role}: there are {', '.join(RANKS)}")
    scope = benchmark if benchmark and benchmark.startswith("study:") else scope_of(benchmark) if benchmark else ""
    with served.database.write() as connection:
        if scope and scope not in scopes(connection):
            raise AssayError(f"--for {benchmark}: no such benchmark here; `assay serve {served.folder} --add MANIFEST`")
        person = add_person(connection, email, "")
        give_role(connection, person, scope, role, "")
        word = new_link(connection, person, "", served.settings)
    say(f"{email} is {role} of {benchmark or 'the whole server'}, and signs in, once, by:")
    click.echo(served.link(word))


def _add(served: Served, manifest: Path) -> None:
    from assay.benchmark.service.carrying import carry_over
    from assay.benchmark.service.versions import Versions

    versions = Versions(served)
    added = versions.add(manifest)
    say(f"{added.title}: {len(added.tasks)} tasks are served")
    if carried := carry_over(versions, added):
        say(f"{counted(carried, 'submission')} to earlier versions will be scored by it, for tasks that are the same")
    say(f"Next: assay serve {served.folder} --invite EMAIL --role submitter --for {added.name}")


def _work(served: Served) -> None:
    from assay.benchmark.service.scoring import failures, handlers
    from assay.benchmark.service.versions import Versions
    from assay.serving.working import Worker, until_orphaned

    worker = Worker(served.database, served.settings, handlers(Versions(served)), failures())
    worker.run(until_orphaned())


def _back_up(served: Served, target: Path) -> None:
    from assay.serving.backup import back_up

    counts = back_up(served.database, served.folder, target)
    say(f"{target}: {sum(counts.values()):,} rows of {len(counts)} tables, and every blob they name")


def _restore(folder: Path, database: str | None, source: Path) -> None:
    from assay.serving.backup import restore
    from assay.serving.database import open_database

    folder.mkdir(0o700, parents=True, exist_ok=True)
    opened = open_database(database, folder)
    try:
        counts = restore(opened, folder, source)
    finally:
        opened.close()
    say(f"{folder}: {sum(counts.values()):,} rows of {len(counts)} tables restored")
    say(f"Next: assay serve {folder}")
