"""`assay challenge subsets`: the rules that divide a set into subsets."""

from __future__ import annotations

from typing import Any

import click

from assay.challenges.contrast import CONTRASTS, Contrast
from assay.cli.shared.display import cannot_be_loaded, print_options, print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import json_option
from assay.records import to_json
from assay.show.tables import Column, Table
from assay.specs_help import meanings, options_of

EXAMPLE = """\b
Examples:
  assay challenge subsets
  assay challenge subsets shape
"""


@new_command(epilog=EXAMPLE)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the rules of `assay challenge tag`, or describe one."""
    if name:
        rule = CONTRASTS.get(name)
        if as_json:
            click.echo(to_json({"contrasts": {name: describe(rule)}}))
            return
        click.echo(f"{name}: {rule.about}")
        click.echo(f"  gives      {rule.gives}")
        if rule.citation:
            click.echo(f"  cite       {rule.citation}")
        print_options(options_of(rule))
        return
    broken: dict[str, str] = {}
    described = dict(CONTRASTS.each(describe, broken))
    if as_json:
        click.echo(to_json({"contrasts": described} | cannot_be_loaded(broken)))
        return
    columns = [Column("contrast", "left"), Column("what", "left", fold=True), Column("gives", "left", fold=True)]
    rows = [[known, about["about"], about["gives"]] for known, about in described.items()]
    print_tables(Table(columns, rows + [[known, why, ""] for known, why in broken.items()]))
    click.echo("Next: assay challenge tag EXAMPLES --rule NAME -o FILE")


def describe(rule: type[Contrast]) -> dict[str, Any]:
    """Return the metadata of a rule."""
    return {
        "about": rule.about,
        "gives": rule.gives,
        "citation": rule.citation,
        "options": {option.name: option.default for option in options_of(rule)},
        "meanings": meanings(rule),
    }
