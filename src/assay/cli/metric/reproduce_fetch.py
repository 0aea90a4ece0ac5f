"""`assay metric reproduce fetch`: download released data from pinned addresses."""

from __future__ import annotations

import os
from pathlib import Path

import click

from assay.cli.shared.display import counted, warn
from assay.cli.shared.help import new_command
from assay.cli.shared.options import PATH, json_option
from assay.errors import UsageError
from assay.meta.reproduce.released_data import RELEASED, VARIABLE, fetch
from assay.records import to_json

EXAMPLE = """\b
Examples:
  assay metric reproduce fetch fomc --data released
  assay metric reproduce fetch eks --data released
"""


@new_command(name="fetch", epilog=EXAMPLE)
@click.argument("name")
@click.option("--data", type=PATH, metavar="DIR", help="Folder to write to (default: $ASSAY_DATA).")
@json_option
def command(name: str, data: Path | None, as_json: bool) -> None:
    """Download the released data of NAME at pinned commits; every file is verified by its SHA-256.

    NAME is frank, eks or fomc; for others, the page to download from is printed. Complete files are kept.
    """
    folder = data or os.environ.get(VARIABLE)
    if not folder:
        raise UsageError(f"name the folder to write to: --data DIR, or the environment variable {VARIABLE}")
    paths = fetch(name, folder)
    work = RELEASED[name]
    if as_json:
        record = {"files": [str(path) for path in paths], "page": work.page, "licence": work.licence}
        click.echo(to_json(record | {"by_hand": work.by_hand or None}))
        return
    click.echo(f"{counted(len(paths), 'file')} in {Path(folder) / name} · licence: {work.licence}")
    if work.by_hand:
        warn([f"not published as one file, so add it by hand: {work.by_hand} ({work.page})"])
    click.echo(f"Next: assay metric reproduce {name} --data {folder}")
