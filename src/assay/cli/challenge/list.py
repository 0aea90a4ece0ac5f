"""`assay challenge list`: the ways to alter inputs."""

from __future__ import annotations

from typing import Any

import click

from assay.challenges import CHALLENGES, Perturbation
from assay.cli.shared.display import cannot_be_loaded, print_options, print_preset, print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import json_option
from assay.records import to_json
from assay.show.tables import Column, Table
from assay.specs_help import meanings, options_of

EXAMPLE = """\b
Examples:
  assay challenge list
  assay challenge list scramble
"""


@new_command(epilog=EXAMPLE)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the kinds of `assay challenge make`, or everything about one."""
    if name:
        found = CHALLENGES.get(name)
        if as_json:
            click.echo(to_json({"challenges": {name: describe(found)}}))
        else:
            _print_one(name, found)
        return
    broken: dict[str, str] = {}
    described = dict(CHALLENGES.each(describe, broken))
    if as_json:
        click.echo(to_json({"challenges": described} | cannot_be_loaded(broken)))
    else:
        columns = [Column("challenge", "left"), Column("what", "left", fold=True), Column("changes", "left", fold=True)]
        rows = [[known, about["about"], about["changes"]] for known, about in described.items()]
        missing = [f"{known}: not here: {about['why_not']}" for known, about in described.items() if about["why_not"]]
        print_tables(Table(columns, rows + [[known, why, ""] for known, why in broken.items()], notes=missing))
        click.echo("Next: assay challenge make NAME EXAMPLES -o FILE")


def _print_one(name: str, found: type[Perturbation]) -> None:
    click.echo(f"{name}: {found.about}")
    click.echo(f"  changes    {found.changes}")
    if why := found().why_not():
        click.echo(f"  not here   {why}")
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
        "why_not": found().why_not(),
        "options": {option.name: option.default for option in options_of(found)},
        "meanings": meanings(found),
        "presets": {preset: dict(values) for preset, values in found.presets.items()},
    }
