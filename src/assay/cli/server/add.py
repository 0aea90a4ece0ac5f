"""`assay server add`: add a frozen benchmark version to a server."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.server.opening import database_option, opened
from assay.cli.shared.display import counted, say
from assay.cli.shared.options import NEW_FOLDER, PATH
from assay.errors import AssayError

EXAMPLE = """\b
Example:
  assay server add server tides-1.toml
"""


@click.command(epilog=EXAMPLE)
@click.argument("folder", type=NEW_FOLDER)
@click.argument("manifest", type=PATH)
@database_option
def command(folder: Path, manifest: Path, database: str | None) -> None:
    """Add the frozen benchmark version of MANIFEST to the server in FOLDER."""
    if not manifest.is_file():  # before a server is made for it
        raise AssayError(f"{manifest}: no such file; check the path")
    with opened(folder, database) as served:
        from assay.benchmark.service.carrying import carry_over
        from assay.benchmark.service.versions import Versions

        versions = Versions(served)
        added = versions.add(manifest)
        say(f"{added.title}: {len(added.tasks)} tasks are served")
        if carried := carry_over(versions, added):
            say(f"{counted(carried, 'submission')} to earlier versions will be scored for the tasks that are unchanged")
        say(f"Next: assay server invite {served.folder} EMAIL --role submitter --for {added.name}")
