"""`assay benchmark retire`: remove a task from a manifest."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.manifest_changes import retire_task
from assay.cli.benchmark.manifest import edit, version_option, written_option
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH
from assay.records.recognize import gem_name

EXAMPLE = """\b
Examples:
  assay benchmark retire tides-1.toml news_scrambled --why "too easy" --version 2 -o tides-2.toml
"""


@new_command(epilog=EXAMPLE)
@click.argument("manifest", type=PATH)
@click.argument("name", metavar="TASK")
@click.option("--why", required=True, help="Reason, kept in the manifest.")
@version_option
@written_option
def command(manifest: Path, name: str, why: str, version: str | None, output: Path | None) -> None:
    """Remove TASK from MANIFEST; its results stay with the earlier versions."""
    edit(manifest, version, output, lambda draft: retire_task(draft, gem_name(name), why))
