"""Event templates as text: a clean default, the paper's slot order, and the released program as a preset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.errors import AssayError
from assay.inputs.form import Form

if TYPE_CHECKING:
    from assay.records import Example
    from assay.records.kinds import Event

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

DETAILS = "Event Details:"
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


def filled(example: Example, given: Event) -> Event:
    """The same event; one without any filler names no event and is refused."""
    if not any(given.template.values()):
        raise AssayError(
            f"id {example.id}: the event template is empty, so there is no event to summarise; fill it or leave the "
            "item out"
        )
    return given


def document_text(example: Example, given: Event) -> str:
    """The sentences of the document as one text."""
    if given.document is None:
        raise AssayError(f"id {example.id}: input.document is missing; it is a list of sentences")
    return " ".join(given.document)


@dataclass(frozen=True)
class EventTemplate(Form):
    name: ClassVar = "event-template"
    about: ClassVar = "event template and document, either alone, or the document with the event type"
    kind: ClassVar = "event"
    presets: ClassVar = {"eks-release": {"compat": "eks-release"}, "paper": {"order": "paper"}}
    reversible: ClassVar = "the template, if no filler holds a comma or the separator"

    fields: Literal["template_and_document", "template_only", "document_only", "document_with_type"] = (
        "template_and_document"
    )
    separator: str = "</s>"
    order: Literal["released", "paper"] = "released"
    empty: Literal["keep", "drop"] = "keep"
    descriptions: bool = True
    prefix: str = ""
    join: str = " "
    compat: Literal["none", "eks-release"] = "none"
    """`eks-release` repeats the released program's defect: an empty slot shows the slot before it once more."""

    @property
    def slots(self) -> Mapping[str, str]:
        return PAPER if self.order == "paper" and self.compat == "none" else RELEASED

    def template(self, given: Event) -> str:
        """`SEPdescription: filler, fillerSEP...SEP`, without spaces around the separator."""
        pieces: list[str] = []
        for key, description in self.slots.items():
            value = ", ".join(given.fillers(key))
            if not value and self.compat == "eks-release" and pieces:
                value = pieces[-1]
            elif not value and self.empty == "drop":
                continue
            pieces.append(f"{description}: {value}" if self.descriptions else value)
        return self.separator + "".join(piece + self.separator for piece in pieces)

    def write(self, example: Example, given: Event) -> str:
        if self.fields == "template_only":
            return self.prefix + self.event(example, given)
        before = self.document(example, given)
        return before if self.fields == "document_only" else f"{before}{self.join}{self.event(example, given)}"

    def document(self, example: Example, given: Event) -> str:
        """The part that a model may be given less of."""
        return self.prefix + document_text(example, given)

    def event(self, example: Example, given: Event) -> str:
        """What names the event: its type, or the whole template."""
        if self.fields != "document_with_type":
            return self.template(filled(example, given))
        if "type" not in filled(example, given).template:
            raise AssayError(f"id {example.id}: input.template.type is missing; fields=document_with_type needs it")
        return ", ".join(given.fillers("type"))

    def read(self, text: str) -> dict[str, list[str]]:
        """The slots of a template written with descriptions."""
        separator = self.separator
        keys = {description: key for key, description in self.slots.items()}
        if len(text) < len(separator) or not text.startswith(separator) or not text.endswith(separator):
            raise AssayError(f"the text does not start and end with the separator {separator!r}")
        slots: dict[str, list[str]] = {}
        for piece in text[len(separator) :].split(separator)[:-1]:
            description, colon, value = piece.partition(": ")
            if not colon or description not in keys:
                raise AssayError(f"{piece[:40]!r} does not start with the description of a slot")
            slots[keys[description]] = value.split(", ") if value else []
        return slots


@dataclass(frozen=True)
class EventPrompt(Form):
    name: ClassVar = "event-prompt"
    usual: ClassVar = False
    about: ClassVar = "the user prompt for chat models: quoted document, then the filled slots as a list"
    kind: ClassVar = "event"
    presets: ClassVar = {"eks-release": {"compat": "eks-release"}}

    compat: Literal["none", "eks-release"] = "none"
    """`eks-release` leaves one more empty line where there are no physical targets, as the released prompts do."""

    def write(self, example: Example, given: Event) -> str:
        event = filled(example, given)
        lines = "\n".join(self.details(event))
        end = "\n\n\n" if self.compat == "eks-release" and not event.fillers("target") else "\n\n"
        return f'Document: "{document_text(example, given)}"\n\n{DETAILS}\n{lines}{end}Summary:'

    @staticmethod
    def details(event: Event) -> list[str]:
        """The filled slots, one a line."""
        listed = ((label, event.fillers(key)) for key, label in PROMPT.items())
        return [f"- {label}: {', '.join(values)}" for label, values in listed if values]
