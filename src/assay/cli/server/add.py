"""`assay server add`: add a frozen benchmark version to a server."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.freezing import frozen_examples
from assay.cli.server.options import database_option
from assay.cli.shared.display import counted, say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, PATH
from assay.server.manage import add_benchmark, opened

EXAMPLE = """\b
Example:
  assay server add server tides-1.toml
"""


@new_command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.argument("manifest", type=PATH)
@database_option
def command(folder: Path, manifest: Path, database: str | None) -> None:
    """Add the frozen benchmark version of MANIFEST to the server in FOLDER."""
    frozen_examples(manifest)  # before a server folder is created for it
    with opened(folder, database) as server:
        added = add_benchmark(server, manifest)
    say(f"{added.manifest.title}: added with {counted(len(added.manifest.tasks), 'task')}")
    if added.carried_over:
        submissions = counted(added.carried_over, "submission")
        say(f"{submissions} to earlier versions will be scored on the tasks that are unchanged")
    say(f"Next: assay server invite {folder} EMAIL --role submitter --for {added.manifest.name}")
