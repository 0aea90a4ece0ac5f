"""`assay data forms`: the forms that write an input as text."""

from __future__ import annotations

import msgspec

from assay.cli.shared.listing import Facts, Listing, list_command, text_columns
from assay.inputs import FORMS, Form
from assay.specs_help import options_of

EXAMPLE = """\b
Examples:
  assay data forms
  assay data forms event-template
"""


class FormEntry(msgspec.Struct, frozen=True):
    """The JSON object of a form."""

    about: str
    kind: str
    reversible: str
    options: dict[str, object]
    presets: dict[str, dict[str, object]]


def describe(form: type[Form]) -> FormEntry:
    return FormEntry(
        about=form.about,
        kind=form.kind,
        reversible=form.reversible,
        options={option.name: option.default for option in options_of(form)},
        presets={preset: dict(values) for preset, values in form.presets.items()},
    )


LISTING = Listing(
    key="forms",
    registry=FORMS,
    make=lambda form: form,
    describe=describe,
    columns=text_columns("form", "what", fold=("what",)),
    why="what",
    row=lambda name, about: [name, about.about],
)


@list_command(EXAMPLE)
def command(name: str | None, as_json: bool) -> None:
    """List the forms of `assay data render`, or show the options of one."""
    if name:
        LISTING.show_one(name, FORMS.get(name), _facts, as_json)
    else:
        LISTING.show("Next: assay data forms NAME, assay data render EXAMPLES --as NAME", as_json)


def _facts(form: type[Form]) -> Facts:
    return Facts(
        title=form.about,
        lines=[("writes", f"{form.kind} inputs"), ("read back", form.reversible)],
        options=options_of(form),
        presets=form.presets,
    )
