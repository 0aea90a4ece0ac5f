"""`assay systems`: what can answer here."""

from __future__ import annotations

import dataclasses
from typing import Any

import click

from assay.cli.options import json_option
from assay.records import to_json
from assay.systems import SYSTEMS, System

EXAMPLE = """\b
Examples:
  assay systems
  assay systems hf
  assay systems --json
"""


@click.command(epilog=EXAMPLE)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List all systems, or everything about one: abilities, options, presets, and whether it runs here."""
    chosen = [SYSTEMS.get(known)() for known in ([name] if name else SYSTEMS)]
    if as_json:
        click.echo(to_json({"systems": {system.name: describe(system) for system in chosen}}))
    elif name:
        _print_one(chosen[0])
    else:
        _print_all(chosen)


def here(system: System) -> str | None:
    """Why a system of this kind cannot run here; that its argument is still missing is no reason."""
    return None if system.argument else system.why_not()


def describe(system: System) -> dict[str, Any]:
    """A system's metadata as data."""
    why_not = here(system)
    return {
        "about": system.about,
        "abilities": list(system.abilities),
        "argument": system.argument,
        "options": system.options(),
        "presets": {name: dict(values) for name, values in system.presets.items()},
        "needs_training_examples": system.trained,
        "extra": system.extra,
        "signature": to_json(system.fingerprint(), indent=None) if not system.argument else None,
        "citation": system.citation,
        "available": why_not is None,
        "why_not": why_not,
    }


def _print_all(systems: list[System]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from assay.cli.display import width

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("system", "can", "what", "here"):
        table.add_column(heading, no_wrap=heading == "system")
    for system in systems:
        argument = f":{system.argument.removesuffix('...').upper()}" if system.argument else ""
        table.add_row(system.name + argument, ", ".join(system.abilities), system.about, here(system) or "yes")
    Console(width=width(), highlight=False).print(table)
    click.echo("Next: assay systems NAME, or assay generate EXAMPLES --system NAME -o outputs.jsonl")


def _print_one(system: System) -> None:
    click.echo(f"{system.name}: {system.about}")
    click.echo(f"  can        {', '.join(system.abilities)}")
    click.echo(f"  here       {here(system) or 'yes'}")
    if system.trained:
        click.echo("  needs      training examples (--train)")
    for field in dataclasses.fields(system):
        if field.init:
            choices = str(field.type).replace("Literal", "").strip("[]")
            click.echo(f"  option     {field.name}={getattr(system, field.name)}   ({choices})")
    for preset, values in system.presets.items():
        listed = ":".join(f"{key}={value}" for key, value in values.items())
        click.echo(f"  preset     {system.name}:{preset} is {system.name}:{listed}")
    if system.citation:
        click.echo(f"  cite       {system.citation}")
