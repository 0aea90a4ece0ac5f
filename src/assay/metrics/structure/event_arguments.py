"""Arguments of events: what an example's templates hold, and what an output says, given as JSON or extracted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from assay.datasets.event_mentions import merge_entities
from assay.errors import AssayError
from assay.models.extractor import ExtractedSpan
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Event, Events
from assay.records.types import Example
from assay.text.english import without_articles

KINDS = ("event", "events")
TYPES = ("type", "incident_type")
"""How files call the type of an event."""
TYPE = "type"
"""The role under which it stands among the others; `attack / bombing` is both."""
Entity = frozenset[str]


class Template(NamedTuple):
    """One event: its type, and by role its entities, each the set of its mentions as they are compared."""

    type: str
    roles: dict[str, list[Entity]]


def has_templates(example: Example) -> bool:
    return bool(example.input) and kind_of(example) in KINDS


def gold_templates(example: Example) -> list[Template]:
    """The different templates of an example."""
    if not has_templates(example):
        return []
    if kind_of(example) == "event":
        given: Iterable[Mapping[str, Any]] = [read_input(example, Event).template]
    else:
        given = [
            {
                role: value if isinstance(value, str) else [[mention.text for mention in each] for each in value]
                for role, value in template.items()
            }
            for template in read_input(example, Events).templates
        ]
    found = [_template(one, f"id {example.id}", False) for one in given]
    return [one for i, one in enumerate(found) if one not in found[:i]]


def given_templates(output: str, id: str, merged: bool) -> list[Template]:
    """Templates that an output is: an object of roles with lists of entities, or a list of such objects."""
    if not output.strip():
        return []
    try:
        read = json.loads(output)
    except ValueError:
        raise AssayError(f"id {id}: the output is no JSON; give arguments as JSON, or name an extractor") from None
    templates = read if isinstance(read, list) else [read]
    if not all(isinstance(one, dict) for one in templates):
        raise AssayError(f"id {id}: arguments are an object of roles, or a list of them; this is {output[:40]!r}")
    return [_template(one, f"id {id}", merged) for one in templates]


def looks_given(output: str) -> bool:
    return output.lstrip()[:1] in ("{", "[")


def extracted_template(found: Sequence[ExtractedSpan], merged: bool) -> list[Template]:
    """One template of unknown type from spans. Mentions of which one has all words of the other are one entity, known
    by the mention of which the extractor is surest."""
    by_role: dict[str, dict[str, float]] = {}
    for span in found:
        text = without_articles(span.text)
        if text:
            surest = by_role.setdefault(span.label, {})
            surest[text] = max(span.probability, surest.get(text, 0.0)) if merged else span.probability
    roles = {role: [frozenset((text,)) for text in _apart(surest)] for role, surest in by_role.items()}
    return [Template("", roles)] if roles else []


def merge_templates(templates: Sequence[Template]) -> dict[str, list[Entity]]:
    """All entities of a document by role; those of several templates that share a mention are one. A template that has
    two alike (a civilian, another civilian) means two."""
    if len(templates) == 1:
        return templates[0].roles
    roles = dict.fromkeys(role for one in templates for role in one.roles)
    return {
        role: [
            frozenset(group)
            for group in merge_entities(sorted(entity) for one in templates for entity in one.roles.get(role, ()))
        ]
        for role in roles
    }


def _template(given: Mapping[str, Any], where: str, merged: bool) -> Template:
    kind = next((str(given[name]).lower() for name in TYPES if given.get(name)), "")
    roles = {TYPE: [frozenset(kind.split(" / "))]} if kind else {}
    for role, value in given.items():
        if role in TYPES or value is None:
            continue
        entities = [value] if isinstance(value, str) else value
        if not isinstance(entities, list):
            raise AssayError(f"{where}: {role} is neither a text nor a list of entities")
        compared = [_entity(entity, where, role) for entity in entities]
        roles[role.lower()] = [one for i, one in enumerate(compared) if one and not (merged and one in compared[:i])]
    return Template(kind, roles)


def _entity(given: Any, where: str, role: str) -> Entity:
    """The mentions of an entity without what is not compared; an entity of nothing but articles has none."""
    mentions = [given] if isinstance(given, str) else given
    if not isinstance(mentions, list) or not all(isinstance(one, str) for one in mentions):
        raise AssayError(f"{where}: an entity of {role} is a text or a list of texts, its mentions")
    return frozenset(text for one in mentions if (text := without_articles(one)))


def _apart(surest: Mapping[str, float]) -> list[str]:
    kept: list[str] = []
    for text in sorted(surest, key=lambda text: -surest[text]):
        words = {*text.split()}
        if not any(words <= {*other.split()} or words >= {*other.split()} for other in kept):
            kept.append(text)
    return kept
