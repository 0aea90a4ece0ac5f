"""Event templates as text, by any ontology: a clean default, the paper's order, the released program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from assay.errors import AssayError
from assay.inputs.form import Form
from assay.inputs.ontology import TYPE, Ontology, from_template, ontology, ontology_for
from assay.records.inputs import read_input
from assay.records.kinds import Event

if TYPE_CHECKING:
    from assay.records import Example

DETAILS = "Event Details:"


def filled(example: Example, structure: Event) -> Event:
    """Return the event; reject one without fillers."""
    if not any(structure.template.values()):
        raise AssayError(
            f"id {example.id}: the event template is empty, so there is no event to summarise; fill it or "
            "remove the item"
        )
    return structure


def document_text(example: Example, structure: Event) -> str:
    """Return the sentences of the document as one text; without them the source of the example."""
    if structure.document is None:
        if example.source and example.source.strip():
            return example.source
        raise AssayError(f"id {example.id}: input.document is missing; give a list of sentences, or a source")
    return " ".join(structure.document)


@dataclass(frozen=True)
class EventTemplate(Form):
    name: ClassVar = "event-template"
    about: ClassVar = "event template and document, one of them, or the document with the event type"
    kind: ClassVar = "event"
    presets: ClassVar = {"eks-release": {"compat": "eks-release"}, "paper": {"order": "paper"}}
    reversible: ClassVar = "the template, if no filler contains a comma or the separator"

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
    """`eks-release` reproduces a defect of the released program: an empty slot repeats the slot before it."""

    ontology: str = ""
    """Roles, their order and descriptions: name or file (default: that of the input, or MUC-4's; a template with other
    roles is written with all of them)."""

    def __post_init__(self) -> None:
        if self.ontology and (self.order == "paper" or self.compat != "none"):
            raise AssayError("form event-template: order=paper and compat are MUC-4's; leave them out with ontology")

    def roles(self, structure: Event, where: str = "") -> Ontology:
        """Return the roles to write; a template with a role that the ontology lacks is an error."""
        released = self.order == "paper" or self.compat != "none"
        named = ("muc4-paper" if self.order == "paper" and self.compat == "none" else "muc4") if released else ""
        return ontology_for(structure, named or self.ontology, where)

    def warnings(self, example: Example) -> list[str]:
        return _implied(read_input(example, Event), self.ontology)

    def template(self, structure: Event, where: str = "") -> str:
        """`SEPdescription: filler, fillerSEP...SEP`, without spaces around the separator."""
        known = self.roles(structure, where)
        pieces: list[str] = []
        for key in known.roles:
            description = known.about(key)
            value = ", ".join(structure.fillers(key))
            if not value and self.compat == "eks-release" and pieces:
                value = pieces[-1]
            elif not value and self.empty == "drop":
                continue
            pieces.append(f"{description}: {value}" if self.descriptions else value)
        return self.separator + "".join(piece + self.separator for piece in pieces)

    def write(self, example: Example, structure: Event) -> str:
        if self.fields == "template_only":
            return self.prefix + self.event(example, structure)
        before = self.document(example, structure)
        return before if self.fields == "document_only" else f"{before}{self.join}{self.event(example, structure)}"

    def document(self, example: Example, structure: Event) -> str:
        """Return the part that may be truncated."""
        return self.prefix + document_text(example, structure)

    def event(self, example: Example, structure: Event) -> str:
        """Return the event: its type, or the template."""
        if self.fields != "document_with_type":
            return self.template(filled(example, structure), f"id {example.id}: ")
        where = f"id {example.id}: "
        key = self.roles(filled(example, structure), where).type_role
        if key not in structure.template:
            raise AssayError(
                f"{where}input.template.{key or TYPE} is missing; fields=document_with_type needs it, or an ontology "
                'with one role of kind "label"'
            )
        return ", ".join(structure.fillers(key))

    def read(self, text: str) -> dict[str, list[str]]:
        """Return the slots of a template written with descriptions."""
        separator = self.separator
        known = ontology(self.ontology or ("muc4-paper" if self.order == "paper" else ""))
        keys = {known.about(key): key for key in known.roles}
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
    """`eks-release` has an additional empty line if there are no physical targets, as in the released prompts."""

    ontology: str = ""
    """Roles with their labels: name or file (default: that of the input, or MUC-4's; a template with other roles is
    written with all of them)."""

    def __post_init__(self) -> None:
        if self.ontology and self.compat != "none":
            raise AssayError("form event-prompt: compat is MUC-4's; leave it out with ontology")

    def write(self, example: Example, structure: Event) -> str:
        event = filled(example, structure)
        lines = "\n".join(self.details(event, ontology_for(event, self.ontology, f"id {example.id}: ")))
        end = "\n\n\n" if self.compat == "eks-release" and not event.fillers("target") else "\n\n"
        return f'Document: "{document_text(example, structure)}"\n\n{DETAILS}\n{lines}{end}Summary:'

    def warnings(self, example: Example) -> list[str]:
        event = read_input(example, Event)
        known = ontology_for(event, self.ontology)
        if any(event.template.values()) and not self.details(event, known):
            return [f"has none of the roles in prompts ({', '.join(known.prompted)}): no event details are written"]
        return _implied(event, self.ontology)

    @staticmethod
    def details(event: Event, known: Ontology) -> list[str]:
        """Return the filled slots, one per line."""
        listed = ((label, event.fillers(key)) for key, label in known.prompted.items())
        return [f"- {label}: {', '.join(values)}" for label, values in listed if values]


def _implied(event: Event, named: str) -> list[str]:
    """Return a warning about a template that has no ontology: its roles are described by their keys only."""
    known = ontology_for(event, named)
    if known != from_template(event.template):
        return []
    return ["has roles of no ontology; they are written by their keys. Give ontology=FILE for order and descriptions"]
