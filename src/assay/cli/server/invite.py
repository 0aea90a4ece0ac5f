"""`assay server invite`: print a sign-in link."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.options import database_option, require_server
from assay.cli.shared.display import say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER
from assay.server.manage import invite, opened

EXAMPLE = """\b
Examples:
  assay server invite server ada@example.org --role submitter --for tides
  assay server invite server ada@example.org --role organiser --for study:tides
"""


@new_command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.argument("email")
@database_option
@click.option(
    "--role",
    metavar="ROLE",
    help="Role: reader, annotator, submitter, organiser or owner (default: the present one, else submitter).",
)
@click.option("--for", "scope", metavar="BENCHMARK", help="Benchmark, or study:NAME (default: the whole server).")
def command(folder: Path, email: str, database: str | None, role: str | None, scope: str | None) -> None:
    """Give the user with this EMAIL a role on the server in FOLDER, and print a one-time sign-in link.

    A new link ends the sessions, the tokens and the sign-in key of the user.
    """
    require_server(folder)
    with opened(folder, database) as server:
        user = invite(server, email, role, scope)
    changed = f" (was: {user.before})" if user.before not in (None, user.role) else ""
    say(f"{email}: {user.role} of {scope or 'the whole server'}{changed}. Sign-in link, valid once:")
    click.echo(user.link)
