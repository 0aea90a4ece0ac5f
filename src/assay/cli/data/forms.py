"""`assay data forms`: the forms that write an input as text."""

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
    """List the forms of `assay data render`, or show the options of one."""
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


def _print_one(form_class: type[Form]) -> None:
    click.echo(f"{form_class.name:<16} {form_class.about}")
    click.echo(f"  writes        {form_class.kind} inputs")
    click.echo(f"  read back     {form_class.reversible}")
    for field in dataclasses.fields(form_class):
        click.echo(f"  option        {field.name}={field.default}   ({_choices(field)})")
    for preset, values in form_class.presets.items():
        listed = ":".join(f"{key}={value}" for key, value in values.items())
        click.echo(f"  preset        {form_class.name}:{preset} is {form_class.name}:{listed}")


def _choices(field: dataclasses.Field[Any]) -> str:
    return str(field.type).replace("Literal", "").strip("[]")


def describe(form_class: type[Form]) -> dict[str, Any]:
    """Return the metadata of a form."""
    return {
        "about": form_class.about,
        "kind": form_class.kind,
        "reversible": form_class.reversible,
        "options": {field.name: field.default for field in dataclasses.fields(form_class)},
        "presets": {preset: dict(values) for preset, values in form_class.presets.items()},
    }
