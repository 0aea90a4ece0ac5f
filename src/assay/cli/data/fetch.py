"""`assay data fetch`: download a dataset from the Hugging Face hub."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.data.cards import home
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FOLDER, json_option
from assay.datasets import dataset
from assay.records import to_json
from assay.show.numbers import file_size


@new_command(epilog="Example: assay data fetch common_gen --to data/common_gen")
@click.argument("name")
@click.option("--to", type=NEW_FOLDER, help="Folder to write to (default: the cache).")
@click.option("--config", help="Configuration on the hub (default: the only one).")
@json_option
def command(name: str, to: Path | None, config: str | None, as_json: bool) -> None:
    """Download dataset NAME from the Hugging Face hub: Parquet or JSON files, never code; checksums are recorded."""
    from assay.datasets import fetch as hub

    reader = dataset(name)
    folder = to or home(reader)
    files = hub.fetch(reader, folder, configuration=config)
    if as_json:
        click.echo(to_json({"dataset": reader.name, "folder": str(folder), "files": [vars(file) for file in files]}))
        return
    total = sum(file.bytes for file in files)
    click.echo(f"{reader.name} · {len(files)} files · {file_size(total)} in {folder} · checksums in {hub.MANIFEST}")
    click.echo(f"Next: assay data read {reader.name} {folder} -o {reader.name}.jsonl")
