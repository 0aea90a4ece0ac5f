"""`assay system list`: the systems that run here."""

from __future__ import annotations

import click
import msgspec

from assay.cli.shared.display import print_options, print_preset
from assay.cli.shared.listing import Facts, Listing, list_command, text_columns
from assay.extras import missing_extra
from assay.records import to_json
from assay.specs_help import meanings, options_of
from assay.systems import SYSTEMS, System

EXAMPLE = """\b
Examples:
  assay system list
  assay system list hf
  assay system list train
  assay system list --json
"""
NEXT = """\
Next: assay system list NAME, or assay system generate EXAMPLES --system NAME -o outputs.jsonl
      assay system list train: options of training"""


class SystemEntry(msgspec.Struct, frozen=True):
    """The JSON object of a system."""

    about: str
    abilities: list[str]
    argument: str | None
    options: dict[str, object]
    meanings: dict[str, str]
    presets: dict[str, dict[str, object]]
    needs_training_examples: bool
    extra: str | None
    signature: str | None
    citation: str
    available: bool
    why_not: str | None

    @property
    def placeholder(self) -> str:
        """The argument as it is written after the name, e.g. `:MODEL`."""
        return f":{self.argument.removesuffix('...').upper()}" if self.argument else ""


def here(system: System) -> str | None:
    """Return why a system cannot run here, apart from a missing argument."""
    lacking = missing_extra(system.extra) if system.extra else None
    return lacking or (None if system.argument else system.why_not())


def describe(system: System) -> SystemEntry:
    why_not = here(system)
    return SystemEntry(
        about=system.about,
        abilities=list(system.abilities),
        argument=system.argument,
        options=system.options(),
        meanings=meanings(type(system)),
        presets={name: dict(values) for name, values in system.presets.items()},
        needs_training_examples=system.trained,
        extra=system.extra,
        signature=to_json(system.fingerprint(), indent=None) if not system.argument else None,
        citation=system.citation,
        available=why_not is None,
        why_not=why_not,
    )


LISTING = Listing(
    key="systems",
    registry=SYSTEMS,
    make=lambda system: system(),
    describe=describe,
    columns=text_columns("system", "can", "what", "here", fold=("can", "what", "here")),
    why="here",
    row=lambda name, about: [
        f"{name}{about.placeholder}", ", ".join(about.abilities), about.about, about.why_not or "yes"
    ],
)  # fmt: skip


@list_command(EXAMPLE)
def command(name: str | None, as_json: bool) -> None:
    """List all systems, or describe one: abilities, options, presets, and whether it runs here.

    `assay system list train` lists the options and presets of `assay system train`.
    """
    if name == "train":
        _training(as_json)
    elif name:
        system = SYSTEMS.get(name)()
        LISTING.show_one(system.name, system, _facts, as_json)
    else:
        LISTING.show(NEXT, as_json)


def _facts(system: System) -> Facts:
    return Facts(
        title=system.about,
        lines=[
            ("can", ", ".join(system.abilities)),
            ("here", here(system) or "yes"),
            ("needs", "training examples (--train)" if system.trained else None),
        ],
        options=options_of(type(system)),
        presets=system.presets,
        last=[("cite", system.citation)],
    )


def _training(as_json: bool) -> None:
    """Show the recipe of `assay system train`."""
    from assay.execution.training.kinds import KINDS, RECIPES
    from assay.systems.neural.presets import PRESETS
    from assay.systems.neural.recipe import Recipe

    if as_json:
        own = {
            kind: {name: value for name, value in recipe().to_dict().items() if name not in Recipe.__dataclass_fields__}
            for kind, recipe in RECIPES.items()
        }
        shown = {
            "kinds": list(KINDS), "options": Recipe().to_dict(), "meanings": meanings(Recipe), "presets": PRESETS,
            "options_of": own,
        }  # fmt: skip
        click.echo(to_json({"train": shown}))
        return
    click.echo(f"train: {', '.join(KINDS)}, each with presets and options (seq2seq:eks-bart:epochs=3)")
    print_options(options_of(Recipe))
    common = set(Recipe.__dataclass_fields__)
    for kind, recipe in RECIPES.items():
        click.echo(f"{kind} also has")
        print_options([one for one in options_of(recipe) if one.name not in common])
    for preset, values in PRESETS.items():
        print_preset("KIND", preset, values)
    click.echo("Next: assay system train KIND:PRESET:OPTION=VALUE --train train.jsonl --valid dev.jsonl -o FOLDER")
