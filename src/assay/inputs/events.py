"""Event templates as text: a clean default, the paper's slot order, and the released program as a preset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.inputs.form import TRUE_FALSE, Form, Options, flag, structure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.records import Example

RELEASED = {
    "completion": "stage of completion",
    "date": "date",
    "location": "location",
    "perpind": "individual perpetrators",
    "perporg": "organizations responsible",
    "target": "physical targets",
    "type": "event type",
    "victim": "victims",
    "weapon": "weapons",
}
"""Slots with their descriptions, in the alphabetical order of the released program."""

PAPER = {
    key: "completion" if key == "completion" else RELEASED[key]
    for key in ("type", *(k for k in RELEASED if k != "type"))
}
"""The order and descriptions printed in the paper."""

PROMPT = {
    "type": "Event Type",
    "completion": "Stage of Completion",
    "perpind": "Individual Perpetrators",
    "perporg": "Organizations Responsible",
    "weapon": "Weapons",
    "victim": "Victims",
    "target": "Physical Targets",
}
"""Slots given to chat models, with their labels; empty ones are left out, date and place never given."""


def template_text(template: Mapping[str, Any], options: Options) -> str:
    """`SEPdescription: filler, fillerSEP...SEP`, without spaces around the separator."""
    separator, with_descriptions = options["separator"], flag(options, "descriptions")
    pieces: list[str] = []
    for key, description in (PAPER if options["order"] == "paper" else RELEASED).items():
        value = ", ".join(fillers(template, key))
        if not value and options["empty"] == "drop":
            continue
        if not value and options["empty"] == "repeat" and pieces:
            value = pieces[-1]  # the released program writes the slot before, with its description, once more
        pieces.append(f"{description}: {value}" if with_descriptions else value)
    return separator + "".join(piece + separator for piece in pieces)


def fillers(template: Mapping[str, Any], key: str) -> list[str]:
    value = template.get(key, [])
    return ([value] if value else []) if isinstance(value, str) else list(value)


def parse_template(text: str, options: Options) -> dict[str, list[str]]:
    """The slots of a text in the clean form with descriptions; a filler that holds a comma comes back as two."""
    separator = options["separator"]
    keys = {description: key for key, description in (PAPER if options["order"] == "paper" else RELEASED).items()}
    if not text.startswith(separator) or not text.endswith(separator) or len(text) < len(separator):
        raise AssayError(f"the text does not start and end with the separator {separator!r}")
    slots: dict[str, list[str]] = {}
    for piece in text[len(separator) :].split(separator)[:-1]:
        description, colon, value = piece.partition(": ")
        if not colon or description not in keys:
            raise AssayError(f"{piece[:40]!r} does not start with the description of a slot")
        slots[keys[description]] = value.split(", ") if value else []
    return slots


def _write(example: Example, options: Options) -> str:
    given = structure(example)
    template, document = given["template"], options["prefix"] + " ".join(given["document"])
    fields = options["fields"]
    if fields == "template_only":
        return options["prefix"] + template_text(template, options)
    if fields == "document_only":
        return document
    second = template["type"] if fields == "document_with_type" else template_text(template, options)
    return f"{document}{options['join']}{second}"


def _write_prompt(example: Example, options: Options) -> str:
    given = structure(example)
    document = " ".join(given["document"])
    lines = [f"- {label}: {', '.join(fillers(given['template'], key))}" for key, label in PROMPT.items()
             if fillers(given["template"], key)]  # fmt: skip
    return f'Document: "{document}"\n\nEvent Details:\n' + "\n".join(lines) + "\n\nSummary:"


TEMPLATE = Form(
    name="event-template",
    about="event template and document, either alone, or the document with the event type",
    kind="event",
    write=_write,
    parse=parse_template,
    options={
        "fields": "template_and_document",
        "separator": "</s>",
        "order": "released",
        "empty": "keep",
        "descriptions": "true",
        "prefix": "",
        "join": " ",
        "compat": "none",
    },
    choices={
        "fields": ("template_and_document", "template_only", "document_only", "document_with_type"),
        "order": ("released", "paper"),
        "empty": ("keep", "drop", "repeat"),
        "descriptions": TRUE_FALSE,
        "compat": ("none", "eks-release"),
    },
    presets={"eks-release": {"order": "released", "empty": "repeat"}},
)

PROMPTED = Form(
    name="event-prompt",
    about="the user prompt for chat models: quoted document, then the filled slots as a list",
    kind="event",
    write=_write_prompt,
)
