"""`assay study new`: write a study design."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.shared.display import print_tables, say
from assay.cli.shared.help import new_command
from assay.cli.shared.options import NEW_FILE, json_option
from assay.errors import AssayError, UsageError
from assay.records import to_json, write_text
from assay.show.tables import Column, Table
from assay.studies.lint import lint
from assay.studies.presets import preset, preset_names, preset_text, renamed

EXAMPLE = """\b
Examples:
  assay study new --list
  assay study new --preset narrative --name my-stories -o design.toml
"""


@new_command(epilog=EXAMPLE)
@click.option("--preset", "chosen", default="recommended", show_default=True, help="Preset to start from; see --list.")
@click.option("--name", help="Name of the study (default: that of the preset).")
@click.option("--output", "-o", type=NEW_FILE, help="File to write (default: stdout).")
@click.option("--force", is_flag=True, help="Replace an existing file.")
@click.option("--list", "listing", is_flag=True, help="List the presets with their questions.")
@json_option
def command(chosen: str, name: str | None, output: Path | None, force: bool, listing: bool, as_json: bool) -> None:
    """Write a study design (TOML): questions, sample, annotators, presentation, quality control, reporting."""
    if listing:
        _list(as_json)
        return
    if as_json:
        raise UsageError("--json requires --list; a design is TOML")
    text = preset_text(chosen)
    text = renamed(text, name) if name else text
    if output is None:
        click.echo(text, nl=False)
        return
    if output.exists() and not force:
        raise AssayError(f"{output}: already exists. Pass another file, or --force.")
    write_text(output, text)
    say(f"{output} · preset {chosen}")
    say(f"Next: assay study lint {output}")


def _list(as_json: bool) -> None:
    designs = [preset(name) for name in preset_names()]
    if as_json:
        rows = [
            {
                "name": design.name, "title": design.title, "lineage": design.lineage,
                "questions": [{"criterion": q.criterion, "kind": q.kind} for q in design.questions],
                "complete": lint(design).complete,
            }
            for design in designs
        ]  # fmt: skip
        click.echo(to_json({"presets": rows}))
        return
    columns = [Column("preset", "left"), Column("title", "left", fold=True), Column("questions", "left", fold=True)]
    listed = [[d.name, d.title, ", ".join(f"{q.criterion} ({q.kind})" for q in d.questions)] for d in designs]
    print_tables(Table(columns, listed, f"{len(designs)} designs"))
