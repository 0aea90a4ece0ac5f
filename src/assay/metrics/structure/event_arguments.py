"""Event arguments: gold templates of an example, and those of an output, as JSON or extracted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from unicodedata import normalize

from assay.datasets.event_mentions import merge_entities
from assay.errors import AssayError
from assay.models.extractor import ExtractedSpan
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Event, Events
from assay.records.types import Example
from assay.text.english import without_articles

KINDS = ("event", "events")
TYPES = ("type", "incident_type")
"""Keys of the event type in files."""
TYPE = "type"
"""Role name of the event type; `attack / bombing` counts as both."""
Entity = frozenset[str]


class Template(NamedTuple):
    """One event: its type, and its entities by role, each a set of normalised mentions."""

    type: str
    roles: dict[str, list[Entity]]


def has_templates(example: Example) -> bool:
    return bool(example.input) and kind_of(example) in KINDS


def gold_templates(example: Example) -> list[Template]:
    """Return the distinct templates of an example."""
    if not has_templates(example):
        return []
    if kind_of(example) == "event":
        raw: Iterable[Mapping[str, Any]] = [read_input(example, Event).template]
    else:
        raw = [
            {
                role: value if isinstance(value, str) else [[mention.text for mention in each] for each in value]
                for role, value in template.items()
            }
            for template in read_input(example, Events).templates
        ]
    templates = [_template(one, f"id {example.id}", False) for one in raw]
    return [one for i, one in enumerate(templates) if one not in templates[:i]]


def json_templates(output: str, id: str, merged: bool) -> list[Template]:
    """Return the templates of a JSON output: an object of roles with lists of entities, or a list of such objects.

    Raises:
        AssayError: If the output is not of this form.
    """
    if not output.strip():
        return []
    try:
        read = json.loads(output)
    except ValueError:
        raise AssayError(f"id {id}: the output is not JSON. Give arguments as JSON, or an extractor.") from None
    templates = read if isinstance(read, list) else [read]
    if not all(isinstance(one, dict) for one in templates):
        raise AssayError(f"id {id}: expected an object of roles, or a list of them, got {output[:40]!r}")
    return [_template(one, f"id {id}", merged) for one in templates]


def looks_like_json(output: str) -> bool:
    return output.lstrip()[:1] in ("{", "[")


def extracted_template(spans: Sequence[ExtractedSpan], merged: bool) -> list[Template]:
    """Return one template without a type from extracted spans.

    Mentions of which one contains all words of the other are one entity; the most probable mention represents it.
    """
    by_role: dict[str, dict[str, float]] = {}
    for span in spans:
        text = without_articles(span.text)
        if text:
            probabilities = by_role.setdefault(span.label, {})
            probabilities[text] = max(span.probability, probabilities.get(text, 0.0)) if merged else span.probability
    roles = {role: [frozenset((text,)) for text in _distinct(probabilities)] for role, probabilities in by_role.items()}
    return [Template("", roles)] if roles else []


def merge_templates(templates: Sequence[Template]) -> dict[str, list[Entity]]:
    """Return all entities of a document by role; entities of several templates that share a mention are merged.

    Equal entities within one template (a civilian, another civilian) stay separate.
    """
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


def _template(raw: Mapping[str, Any], where: str, merged: bool) -> Template:
    kind = next((str(raw[name]).lower() for name in TYPES if raw.get(name)), "")
    roles = {TYPE: [frozenset(kind.split(" / "))]} if kind else {}
    for role, value in raw.items():
        if role in TYPES or value is None:
            continue
        entities = [value] if isinstance(value, str) else value
        if not isinstance(entities, list):
            raise AssayError(f"{where}: {role} must be a text or a list of entities")
        compared = [_entity(entity, where, role) for entity in entities]
        roles[normalize("NFC", role).lower()] = [
            one for i, one in enumerate(compared) if one and not (merged and one in compared[:i])
        ]
    return Template(kind, roles)


def _entity(raw: Any, where: str, role: str) -> Entity:
    """Return the normalised mentions of an entity; empty if it consists of articles only."""
    mentions = [raw] if isinstance(raw, str) else raw
    if not isinstance(mentions, list) or not all(isinstance(one, str) for one in mentions):
        raise AssayError(f"{where}: an entity of {role} must be a text or a list of texts (its mentions)")
    return frozenset(text for one in mentions if (text := without_articles(one)))


def _distinct(probabilities: Mapping[str, float]) -> list[str]:
    kept: list[str] = []
    for text in sorted(probabilities, key=lambda text: -probabilities[text]):
        words = {*text.split()}
        if not any(words <= {*other.split()} or words >= {*other.split()} for other in kept):
            kept.append(text)
    return kept
