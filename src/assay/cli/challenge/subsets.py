"""`assay challenge subsets`: the rules that divide a set into subsets."""

from __future__ import annotations

import msgspec

from assay.challenges.contrast import CONTRASTS, Contrast
from assay.cli.shared.listing import Facts, Listing, list_command, text_columns
from assay.specs_help import meanings, options_of

EXAMPLE = """\b
Examples:
  assay challenge subsets
  assay challenge subsets shape
"""


class RuleEntry(msgspec.Struct, frozen=True):
    """The JSON object of a rule."""

    about: str
    gives: str
    citation: str
    options: dict[str, object]
    meanings: dict[str, str]


def describe(rule: type[Contrast]) -> RuleEntry:
    return RuleEntry(
        about=rule.about,
        gives=rule.gives,
        citation=rule.citation,
        options={option.name: option.default for option in options_of(rule)},
        meanings=meanings(rule),
    )


LISTING = Listing(
    key="contrasts",
    registry=CONTRASTS,
    make=lambda rule: rule,
    describe=describe,
    columns=text_columns("rule", "what", "gives", fold=("what", "gives")),
    why="what",
    row=lambda name, about: [name, about.about, about.gives],
)


@list_command(EXAMPLE)
def command(name: str | None, as_json: bool) -> None:
    """List the rules of `assay challenge tag`, or describe one."""
    if name:
        LISTING.show_one(name, CONTRASTS.get(name), _facts, as_json)
    else:
        LISTING.show("Next: assay challenge tag EXAMPLES --rule NAME -o FILE", as_json)


def _facts(rule: type[Contrast]) -> Facts:
    return Facts(title=rule.about, lines=[("gives", rule.gives), ("cite", rule.citation)], options=options_of(rule))
