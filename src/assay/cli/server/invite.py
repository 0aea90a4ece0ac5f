"""`assay server invite`: print a sign-in link."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.opening import database_option, opened
from assay.cli.shared.display import say
from assay.cli.shared.options import NEW_FOLDER
from assay.errors import AssayError, UsageError

EXAMPLE = """\b
Examples:
  assay server invite server ada@example.org --role submitter --for tides
  assay server invite server ada@example.org --role organiser --for study:tides
"""


@click.command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.argument("email")
@database_option
@click.option("--role", default="submitter", show_default=True, help="Role of the person.")
@click.option("--for", "benchmark", metavar="BENCHMARK", help="Benchmark, or study:NAME (default: the whole server).")
def command(folder: Path, email: str, database: str | None, role: str, benchmark: str | None) -> None:
    """Give the person with this EMAIL a role on the server in FOLDER, and print a one-time sign-in link."""
    with opened(folder, database) as served:
        from assay.benchmark.service.versions import scope_of
        from assay.cli.server.serving import scopes
        from assay.serving.people import RANKS, add_person, give_role, new_link

        if role not in RANKS:
            raise UsageError(f"--role {role}: there are {', '.join(RANKS)}")
        scope = benchmark if benchmark and benchmark.startswith("study:") else scope_of(benchmark) if benchmark else ""
        with served.database.write() as connection:
            if scope and scope not in scopes(connection):
                raise AssayError(
                    f"--for {benchmark}: not on this server; add it with `assay server add {served.folder} MANIFEST`"
                )
            person = add_person(connection, email, "")
            give_role(connection, person, scope, role, "")
            word = new_link(connection, person, "", served.settings)
        say(f"{email} is {role} of {benchmark or 'the whole server'}, and signs in, once, by:")
        click.echo(served.link(word))
