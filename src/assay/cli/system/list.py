"""`assay system list`: the systems that run here."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.shared.display import cannot_be_loaded, print_options, print_preset, print_tables
from assay.cli.shared.help import new_command
from assay.cli.shared.options import json_option
from assay.extras import missing_extra
from assay.records import to_json
from assay.show.tables import Column, Table
from assay.specs_help import meanings, options_of
from assay.systems import SYSTEMS, System

EXAMPLE = """\b
Examples:
  assay system list
  assay system list hf
  assay system list train
  assay system list --json
"""


@new_command(epilog=EXAMPLE)
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List all systems, or describe one: abilities, options, presets, and whether it runs here.

    `assay system list train` lists the options and presets of `assay system train`.
    """
    if name == "train":
        _training(as_json)
        return
    if name:
        system = SYSTEMS.get(name)()
        if as_json:
            click.echo(to_json({"systems": {system.name: describe(system)}}))
        else:
            _print_one(system)
        return
    broken: dict[str, str] = {}
    described = dict(SYSTEMS.each(lambda cls: describe(cls()), broken))
    if as_json:
        click.echo(to_json({"systems": described} | cannot_be_loaded(broken)))
    else:
        _print_all(described, broken)


def here(system: System) -> str | None:
    """Return why a system cannot run here, apart from a missing argument."""
    lacking = missing_extra(system.extra) if system.extra else None
    return lacking or (None if system.argument else system.why_not())


def describe(system: System) -> dict[str, Any]:
    """Return the metadata of a system."""
    why_not = here(system)
    return {
        "about": system.about,
        "abilities": list(system.abilities),
        "argument": system.argument,
        "options": system.options(),
        "meanings": meanings(type(system)),
        "presets": {name: dict(values) for name, values in system.presets.items()},
        "needs_training_examples": system.trained,
        "extra": system.extra,
        "signature": to_json(system.fingerprint(), indent=None) if not system.argument else None,
        "citation": system.citation,
        "available": why_not is None,
        "why_not": why_not,
    }


def _print_all(systems: dict[str, dict[str, Any]], broken: dict[str, str]) -> None:
    rows = []
    for name, about in systems.items():
        argument = f":{about['argument'].removesuffix('...').upper()}" if about["argument"] else ""
        rows.append([name + argument, ", ".join(about["abilities"]), about["about"], about["why_not"] or "yes"])
    rows += [[name, "", "", why] for name, why in broken.items()]
    headings = ("system", "can", "what", "here")
    print_tables(Table([Column(heading, "left", fold=heading != "system") for heading in headings], rows))
    click.echo("Next: assay system list NAME, or assay system generate EXAMPLES --system NAME -o outputs.jsonl")
    click.echo("      assay system list train: options of training")


def _print_one(system: System) -> None:
    click.echo(f"{system.name}: {system.about}")
    click.echo(f"  can        {', '.join(system.abilities)}")
    click.echo(f"  here       {here(system) or 'yes'}")
    if system.trained:
        click.echo("  needs      training examples (--train)")
    print_options(options_of(type(system)))
    for preset, values in system.presets.items():
        print_preset(system.name, preset, values)
    if system.citation:
        click.echo(f"  cite       {system.citation}")


def _training(as_json: bool) -> None:
    """Show the recipe of `assay system train`."""
    from assay.execution.training.kinds import KINDS
    from assay.systems.neural.recipe import PRESETS, Recipe

    if as_json:
        shown = {"kinds": list(KINDS), "options": Recipe().to_dict(), "meanings": meanings(Recipe), "presets": PRESETS}
        click.echo(to_json({"train": shown}))
        return
    click.echo(f"train: {', '.join(KINDS)}, each with presets and options (seq2seq:eks-bart:epochs=3)")
    print_options(options_of(Recipe))
    for preset, values in PRESETS.items():
        print_preset("KIND", preset, values)
    click.echo("Next: assay system train KIND:PRESET:OPTION=VALUE --train train.jsonl --valid dev.jsonl -o FOLDER")
