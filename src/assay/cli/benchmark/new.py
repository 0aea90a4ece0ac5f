"""`assay benchmark new`: start the manifest of a benchmark."""

from __future__ import annotations

from pathlib import Path

import click

from assay.benchmark.manifest import AT_LEAST, BenchmarkManifest, write_manifest
from assay.cli.benchmark.manifest import MANIFEST
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE
from assay.errors import AssayError

EXAMPLE = """\b
Examples:
  assay benchmark new tides -o tides-1.toml

"""


@new_command(epilog=EXAMPLE + MANIFEST)
@click.argument("name")
@click.option("--version", "version", default="1", show_default=True, help="Name of the first version.")
@click.option("--about", default="", help="One-sentence description.")
@click.option(
    "--cards-at-least", type=click.FloatRange(0, 100), default=AT_LEAST, show_default=True,
    help="Required completeness of task cards, in percent.",
)  # fmt: skip
@click.option("--output", "-o", type=NEW_FILE, required=True, help="Manifest to write (TOML).")
def command(name: str, version: str, about: str, cards_at_least: float, output: Path) -> None:
    """Write a new manifest of benchmark NAME."""
    if output.exists():
        raise AssayError(f"{output}: already exists. Write to another file, or delete it.")
    write_manifest(output, BenchmarkManifest(name=name, version=version, about=about, cards_at_least=cards_at_least))
    click.echo(f"written: {output}\nNext: assay benchmark add {output} TASK --examples FILE --card FILE --metrics A,B")
