"""Event ontologies: the roles of event templates, their order, descriptions and kinds.

    name = "acquisitions"

    [roles.buyer]
    about = "acquiring company"
    type = "org"

    [roles.price]
    about = "price paid"
    kind = "circumstance"

MUC-4's ships. A template without an ontology that has other roles than MUC-4's is its own: all its roles, in their
order, each described by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

import msgspec

from assay.errors import AssayError
from assay.inputs.schema_files import read_schema_file

if TYPE_CHECKING:
    from assay.records.kinds import Event

TYPE = "type"
"""Key of the type of an event, which every ontology may have."""


class Role(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One role of an event."""

    about: str = ""
    """Description in templates (default: its key with spaces)."""
    label: str = ""
    """Label in prompts of chat models (default: the description, capitalised)."""
    kind: Literal["entity", "circumstance", "label"] = "entity"
    """`entity`: its fillers are participants; `circumstance`: words of the text, scored apart (date, price); `label`:
    a class that the text need not name (event type)."""
    type: str = ""
    """Type of its entities, for groups of entities."""
    source: str = ""
    """Its key in documents with all their events (default: its key)."""


class Ontology(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The roles of a kind of event templates, in the order in which they are written."""

    noun: ClassVar[str] = "event ontology"

    name: str
    roles: dict[str, Role]
    prompt: tuple[str, ...] = ()
    """Roles in prompts of chat models, in order (default: all)."""

    def __post_init__(self) -> None:
        if not self.roles:
            raise ValueError("roles is empty: an ontology needs at least one role")
        if other := [key for key in self.prompt if key not in self.roles]:
            raise ValueError(f"prompt names {other[0]}, which is no role")

    def about(self, key: str) -> str:
        return self.roles[key].about or key.replace("_", " ")

    def label(self, key: str) -> str:
        about = self.about(key)
        return self.roles[key].label or about[:1].upper() + about[1:]

    def of_kind(self, kind: str) -> tuple[str, ...]:
        return tuple(key for key, role in self.roles.items() if role.kind == kind)

    @property
    def entities(self) -> tuple[str, ...]:
        """Return the roles whose fillers are entities."""
        return self.of_kind("entity")

    @property
    def type_role(self) -> str:
        """Return the role of the event type: `type`, else the only role of kind label; empty for none."""
        labels = self.of_kind("label")
        return TYPE if TYPE in self.roles else labels[0] if len(labels) == 1 else ""

    @property
    def sources(self) -> dict[str, str]:
        """Return the roles of entities with their keys in documents with all their events."""
        return {key: self.roles[key].source or key for key in self.entities}

    @property
    def prompted(self) -> dict[str, str]:
        """Return the roles in prompts with their labels."""
        return {key: self.label(key) for key in self.prompt or self.roles}

    def require(self, keys: Iterable[str], where: str = "") -> None:
        """Reject keys that are no roles of this ontology: they would be lost."""
        if unknown := [key for key in keys if key not in self.roles]:
            raise AssayError(
                f"{where}{', '.join(unknown)}: no role of the ontology {self.name}, which has {', '.join(self.roles)}; "
                "add it there, or leave out the ontology"
            )


def ontology(name: str = "") -> Ontology:
    """Return an ontology by name or file (default: MUC-4's)."""
    return read_schema_file(name or "muc4", "ontology", Ontology)


MUC4 = ontology("muc4")
"""Reports of attacks: perpetrators, targets, victims and weapons."""


def from_template(template: Mapping[str, object]) -> Ontology:
    """Return the ontology that a template with other roles than MUC-4's implies: all its keys, as they are named."""
    return Ontology(
        "template", {key: Role(kind="label" if key == TYPE else "entity") for key in template} or {TYPE: Role()}
    )


def ontology_for(event: Event, named: str = "", where: str = "") -> Ontology:
    """Return the ontology of a template: the one named, the one its input names, MUC-4's if it has no other roles, or
    that of its own keys.

    Raises:
        AssayError: The template has a role that the named ontology lacks.
    """
    if name := named or event.ontology:
        chosen = ontology(name)
        chosen.require(event.template, where)
        return chosen
    return MUC4 if event.template.keys() <= MUC4.roles.keys() else from_template(event.template)


def data_ontology(events: Iterable[Event]) -> Ontology:
    """Return one ontology for several templates without a named one: MUC-4's, or all their roles."""
    merged: dict[str, object] = {}
    for event in events:
        merged.update(event.template)
    return MUC4 if merged.keys() <= MUC4.roles.keys() else from_template(merged)
