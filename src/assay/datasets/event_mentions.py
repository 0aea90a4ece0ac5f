"""A real equivalence test for summaries of events: fillers are marked, and the mentions of one entity are a class.

MUCSUM has short texts about the events of a report, MUC-4 all mentions of everyone who takes part in them. Two mentions
of one entity may be exchanged; one of another entity with the same role in the same report changes what is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from assay.errors import AssayError
from assay.inputs.schema import Category, Schema
from assay.inputs.spans import to_text
from assay.records.inputs import read_input
from assay.records.kinds import Event, Events, Span
from assay.records.types import Example

ROLES = {"perpind": "PerpInd", "perporg": "PerpOrg", "target": "Target", "victim": "Victim", "weapon": "Weapon"}
"""The roles of event templates, and what MUC-4's files call them."""
SCHEMA = Schema("event roles", tuple(Category(role, comment="never") for role in ROLES))


class Marked(NamedTuple):
    targets: list[Example]
    classes: list[dict[str, Any]]
    """As they stand in a class file; each is about one document."""
    fillers: int
    unknown: int
    """Fillers that are no mention of any entity."""
    absent: int
    """Fillers that their text does not say."""


def entities(document: Example) -> dict[str, list[list[str]]]:
    """By role: the entities of all events, each its different mentions; entities that share a mention are one."""
    found: dict[str, list[list[str]]] = {}
    for role, name in ROLES.items():
        given = [template.get(name, ()) for template in read_input(document, Events).templates]
        found[role] = merge_entities(
            [" ".join(mention.text.split()) for mention in mentions]
            for entities in given
            if not isinstance(entities, str)
            for mentions in entities
        )
    return found


def merge_entities(entities: Iterable[Sequence[str]]) -> list[list[str]]:
    """Entities that share a mention are one."""
    groups: list[list[str]] = []
    for own in entities:
        shared = [group for group in groups if set(group) & set(own)]
        groups = [group for group in groups if group not in shared]
        groups.append(list(dict.fromkeys(text for group in (*shared, own) for text in group)))
    return groups


def mark_mentions(summaries: Iterable[Example], documents: Sequence[Example]) -> Marked:
    """References with their fillers marked, and the classes that go with them."""
    known = {document.id: entities(document) for document in documents}
    made, used = [], dict[str, None]()
    fillers = unknown = absent = 0
    for example in summaries:
        document = example.tags.get("document", example.id.rpartition(".")[0])
        if document not in known:
            raise AssayError(f"id {example.id}: no document {document} among those with mentions; give its split too")
        event = read_input(example, Event)
        text = " ".join((example.references or ("",))[0].split())
        spans: list[Span] = []
        for role in ROLES:
            members = {mention for group in known[document][role] for mention in group}
            for filler in event.fillers(role):
                fillers += 1
                plain = " ".join(filler.split())
                place = _first_free(plain, text, spans)
                unknown += plain not in members
                absent += plain in members and place is None
                if plain in members and place is not None:
                    spans.append(Span(role, *place))
        if spans:
            used[document] = None
            made.append(
                msgspec.structs.replace(
                    example, references=(to_text(text, spans, SCHEMA),), input=None,
                    tags={**example.tags, "document": document},
                )
            )  # fmt: skip
    classes = [
        {"annotation": role, "evaluation": role, "document": document, "equivalence_classes": groups}
        for role in ROLES
        for document in used
        if len(groups := known[document][role]) > 1
    ]
    return Marked(made, classes, fillers, unknown, absent)


def _first_free(filler: str, text: str, spans: Sequence[Span]) -> tuple[int, int] | None:
    """Where a filler stands as words of its own, outside every span that is there."""
    for match in re.finditer(rf"(?<!\w){re.escape(filler)}(?!\w)", text):
        if not any(span.start < match.end() and match.start() < span.end for span in spans):
            return match.span()
    return None
