"""`assay data forms`: the ways to write an input as text."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from assay.cli.shared.display import cannot_be_loaded
from assay.cli.shared.help import new_command
from assay.cli.shared.options import json_option
from assay.inputs import FORMS, Form
from assay.records import to_json
from assay.show.escape import plain

EXAMPLE = """\b
Examples:
  assay data forms
  assay data forms event-template
"""


@new_command(epilog=EXAMPLE)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the forms of `assay data render`, or the options of one."""
    broken: dict[str, str] = {}
    described = {name: describe(FORMS.get(name))} if name else dict(FORMS.each(describe, broken))
    if as_json:
        click.echo(to_json({"forms": described} | cannot_be_loaded(broken)))
    elif name:
        _print_one(FORMS.get(name))
    else:
        for known, what in [*((known, about["about"]) for known, about in described.items()), *broken.items()]:
            click.echo(f"{known:<16} {plain(what)}")
        click.echo("Next: assay data forms NAME, assay data render EXAMPLES --as NAME")


def _print_one(found: type[Form]) -> None:
    click.echo(f"{found.name:<16} {found.about}")
    click.echo(f"  writes        {found.kind} inputs")
    click.echo(f"  read back     {found.reversible}")
    for field in dataclasses.fields(found):
        click.echo(f"  option        {field.name}={field.default}   ({_choices(field)})")
    for preset, values in found.presets.items():
        listed = ":".join(f"{key}={value}" for key, value in values.items())
        click.echo(f"  preset        {found.name}:{preset} is {found.name}:{listed}")


def _choices(field: dataclasses.Field[Any]) -> str:
    return str(field.type).replace("Literal", "").strip("[]")


def describe(found: type[Form]) -> dict[str, Any]:
    """A form's metadata as data."""
    return {
        "about": found.about,
        "kind": found.kind,
        "reversible": found.reversible,
        "options": {field.name: field.default for field in dataclasses.fields(found)},
        "presets": {preset: dict(values) for preset, values in found.presets.items()},
    }
