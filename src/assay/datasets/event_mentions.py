"""Equivalence test for summaries of events: fillers are marked, and the mentions of one entity are a class.

MUCSUM has short texts about the events of a report, MUC-4 all mentions of their participants. Mentions of one entity
are interchangeable; a mention of another entity with the same role in the same report changes the meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from assay.errors import AssayError
from assay.inputs.ontology import MUC4, TYPE, Ontology
from assay.inputs.schema import Category, Schema
from assay.inputs.spans import to_text
from assay.records.inputs import read_input
from assay.records.kinds import Event, Events, Span
from assay.records.types import Example


class Marked(NamedTuple):
    targets: list[Example]
    classes: list[dict[str, object]]
    """Evaluations in the order of a class file; each is about one document."""
    fillers: int
    unknown: int
    """Fillers that are not a mention of any entity."""
    absent: int
    """Fillers that do not occur in their text."""


def entities(document: Example, known: Ontology = MUC4) -> dict[str, list[list[str]]]:
    """Return the entities of all events by role, as lists of mentions; entities with a common mention are merged."""
    by_role: dict[str, list[list[str]]] = {}
    names = {key for template in read_input(document, Events).templates for key in template if key != TYPE}
    if unknown := sorted(names - {*known.sources.values()} - known.roles.keys()):
        known.require(unknown, f"id {document.id}: ")
    for role, name in known.sources.items():
        fillers = [template.get(name, ()) for template in read_input(document, Events).templates]
        by_role[role] = merge_entities(
            [" ".join(mention.text.split()) for mention in mentions]
            for entities in fillers
            if not isinstance(entities, str)
            for mentions in entities
        )
    return by_role


def merge_entities(entities: Iterable[Sequence[str]]) -> list[list[str]]:
    """Merge entities with a common mention."""
    groups: list[list[str]] = []
    for own in entities:
        shared = [group for group in groups if set(group) & set(own)]
        groups = [group for group in groups if group not in shared]
        groups.append(list(dict.fromkeys(text for group in (*shared, own) for text in group)))
    return groups


def role_schema(known: Ontology) -> Schema:
    """Return the marker schema whose categories are the roles of entities of an ontology."""
    return Schema("event roles", tuple(Category(role, comment="never") for role in known.entities))


def mark_mentions(summaries: Iterable[Example], documents: Sequence[Example], ontology: Ontology = MUC4) -> Marked:
    """Return references with marked fillers, and their classes."""
    known = {document.id: entities(document, ontology) for document in documents}
    schema = role_schema(ontology)
    made, used = [], dict[str, None]()
    fillers = unknown = absent = 0
    for example in summaries:
        document = example.tags.get("document", example.id.rpartition(".")[0])
        if document not in known:
            raise AssayError(f"id {example.id}: no document {document} among those with mentions; pass its split, too")
        event = read_input(example, Event)
        ontology.require(event.template, f"id {example.id}: ")
        text = " ".join((example.references or ("",))[0].split())
        spans: list[Span] = []
        for role in ontology.entities:
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
                    example, references=(to_text(text, spans, schema),), input=None,
                    tags={**example.tags, "document": document},
                )
            )  # fmt: skip
    classes: list[dict[str, object]] = [
        {"annotation": role, "evaluation": role, "document": document, "equivalence_classes": groups}
        for role in ontology.entities
        for document in used
        if len(groups := known[document][role]) > 1
    ]
    return Marked(made, classes, fillers, unknown, absent)


def _first_free(filler: str, text: str, spans: Sequence[Span]) -> tuple[int, int] | None:
    """Return the whole-word occurrence of a filler outside existing spans."""
    for match in re.finditer(rf"(?<!\w){re.escape(filler)}(?!\w)", text):
        if not any(span.start < match.end() and match.start() < span.end for span in spans):
            return match.span()
    return None
