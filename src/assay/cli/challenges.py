"""`assay challenges`: the ways to alter inputs."""

from __future__ import annotations

from typing import Any

import click

from assay.challenges import CHALLENGES, Perturbation
from assay.cli.display import print_options, print_preset, print_tables
from assay.cli.options import json_option
from assay.records import to_json
from assay.show.tables import Column, Table
from assay.specs_help import meanings, options_of

EXAMPLE = """\b
Examples:
  assay challenges
  assay challenges scramble
"""


@click.command(epilog=EXAMPLE)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the kinds of `assay challenge`, or everything about one."""
    chosen = {known: CHALLENGES.get(known) for known in ([name] if name else CHALLENGES)}
    if as_json:
        click.echo(to_json({"challenges": {known: describe(found) for known, found in chosen.items()}}))
    elif name:
        _print_one(name, chosen[name])
    else:
        columns = [Column("challenge", "left"), Column("what", "left", fold=True), Column("changes", "left", fold=True)]
        print_tables(Table(columns, [[known, found.about, found.changes] for known, found in chosen.items()]))
        click.echo("Next: assay challenge NAME EXAMPLES -o FILE")


def _print_one(name: str, found: type[Perturbation]) -> None:
    click.echo(f"{name}: {found.about}")
    click.echo(f"  changes    {found.changes}")
    if found.citation:
        click.echo(f"  cite       {found.citation}")
    print_options(options_of(found))
    for preset, values in found.presets.items():
        print_preset(name, preset, values)


def describe(found: type[Perturbation]) -> dict[str, Any]:
    """A perturbation's metadata as data."""
    return {
        "about": found.about,
        "changes": found.changes,
        "citation": found.citation,
        "options": {option.name: option.default for option in options_of(found)},
        "meanings": meanings(found),
        "presets": {preset: dict(values) for preset, values in found.presets.items()},
    }
