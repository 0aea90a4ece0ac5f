"""`assay server invite`: print a sign-in link."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.options import database_option
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
@click.option("--role", default="submitter", show_default=True, help="Role of the user.")
@click.option("--for", "scope", metavar="BENCHMARK", help="Benchmark, or study:NAME (default: the whole server).")
def command(folder: Path, email: str, database: str | None, role: str, scope: str | None) -> None:
    """Give the user with this EMAIL a role on the server in FOLDER, and print a one-time sign-in link."""
    with opened(folder, database) as server:
        link = invite(server, email, role, scope)
    say(f"{email}: {role} of {scope or 'the whole server'}. Sign-in link, valid once:")
    click.echo(link)
