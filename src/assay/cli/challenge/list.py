"""`assay challenge list`: the perturbations."""

from __future__ import annotations

import msgspec

from assay.challenges import CHALLENGES, Perturbation
from assay.cli.shared.listing import Facts, Listing, list_command, text_columns
from assay.specs_help import meanings, options_of

EXAMPLE = """\b
Examples:
  assay challenge list
  assay challenge list scramble
"""


class PerturbationEntry(msgspec.Struct, frozen=True):
    """The JSON object of a perturbation."""

    about: str
    changes: str
    citation: str
    why_not: str | None
    options: dict[str, object]
    meanings: dict[str, str]
    presets: dict[str, dict[str, object]]


def describe(perturbation: type[Perturbation]) -> PerturbationEntry:
    return PerturbationEntry(
        about=perturbation.about,
        changes=perturbation.changes,
        citation=perturbation.citation,
        why_not=perturbation().why_not(),
        options={option.name: option.default for option in options_of(perturbation)},
        meanings=meanings(perturbation),
        presets={preset: dict(values) for preset, values in perturbation.presets.items()},
    )


LISTING = Listing(
    key="challenges",
    registry=CHALLENGES,
    make=lambda perturbation: perturbation,
    describe=describe,
    columns=text_columns("challenge", "what", "changes", fold=("what", "changes")),
    why="what",
    row=lambda name, about: [name, about.about, about.changes],
    note=lambda name, about: about.why_not and f"{name}: not available: {about.why_not}",
)


@list_command(EXAMPLE)
def command(name: str | None, as_json: bool) -> None:
    """List the perturbations of `assay challenge make`, or describe one."""
    if name:
        LISTING.show_one(name, CHALLENGES.get(name), _facts, as_json)
    else:
        LISTING.show("Next: assay challenge make NAME EXAMPLES -o FILE", as_json)


def _facts(perturbation: type[Perturbation]) -> Facts:
    return Facts(
        title=perturbation.about,
        lines=[
            ("changes", perturbation.changes),
            ("missing", perturbation().why_not()),
            ("cite", perturbation.citation),
        ],
        options=options_of(perturbation),
        presets=perturbation.presets,
    )
