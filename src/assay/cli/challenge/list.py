"""`assay challenge list`: the perturbations."""

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
    """List the perturbations of `assay challenge make`, or describe one."""
    if name:
        perturbation = CHALLENGES.get(name)
        if as_json:
            click.echo(to_json({"challenges": {name: describe(perturbation)}}))
        else:
            _print_one(name, perturbation)
        return
    broken: dict[str, str] = {}
    described = dict(CHALLENGES.each(describe, broken))
    if as_json:
        click.echo(to_json({"challenges": described} | cannot_be_loaded(broken)))
    else:
        columns = [Column("challenge", "left"), Column("what", "left", fold=True), Column("changes", "left", fold=True)]
        rows = [[known, about["about"], about["changes"]] for known, about in described.items()]
        missing = [
            f"{known}: not available: {about['why_not']}" for known, about in described.items() if about["why_not"]
        ]
        print_tables(Table(columns, rows + [[known, why, ""] for known, why in broken.items()], notes=missing))
        click.echo("Next: assay challenge make NAME EXAMPLES -o FILE")


def _print_one(name: str, perturbation: type[Perturbation]) -> None:
    click.echo(f"{name}: {perturbation.about}")
    click.echo(f"  changes    {perturbation.changes}")
    if why := perturbation().why_not():
        click.echo(f"  missing    {why}")
    if perturbation.citation:
        click.echo(f"  cite       {perturbation.citation}")
    print_options(options_of(perturbation))
    for preset, values in perturbation.presets.items():
        print_preset(name, preset, values)


def describe(perturbation: type[Perturbation]) -> dict[str, Any]:
    """Return the metadata of a perturbation."""
    return {
        "about": perturbation.about,
        "changes": perturbation.changes,
        "citation": perturbation.citation,
        "why_not": perturbation().why_not(),
        "options": {option.name: option.default for option in options_of(perturbation)},
        "meanings": meanings(perturbation),
        "presets": {preset: dict(values) for preset, values in perturbation.presets.items()},
    }
