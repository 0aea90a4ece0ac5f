"""Template baseline: rule-based sentences for every kind of structured input that is to be realised as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.errors import AssayError
from assay.inputs.ontology import MUC4, ontology_for
from assay.inputs.triples import clean, split_camel, tree_order
from assay.records.inputs import known_input
from assay.records.kinds import Acts, Concepts, Event, Events, Input, Slots, Table, Triples, tag_of
from assay.records.types import Example
from assay.systems.base import Answer, System

SUBJECTS = ("name", "title", "restaurant_name", "hotel_name")
"""Slots that name the subject of the text."""


def slot_sentence(data: Slots) -> str:
    """Return `X has food Italian, area riverside and price cheap.`; yes/no slots become `is` and `is not`."""
    pairs = [(slot, str(value)) for slot, value in data.slots if value]
    subject = next((value for slot, value in pairs if slot.lower() in SUBJECTS), "It")
    phrases = []
    for slot, value in pairs:
        words = split_camel(slot)
        if slot.lower() in SUBJECTS and value == subject:
            continue
        if value.lower() in ("yes", "no", "true", "false"):
            phrases.append(f"{'is' if value.lower() in ('yes', 'true') else 'is not'} {words}")
        else:
            phrases.append(f"has {words} {value}")
    if not phrases:
        return f"There is {subject}." if subject != "It" else ""
    return f"{subject} {_listed(phrases)}."


def triple_sentences(data: Triples) -> str:
    """Return one clause per triple in tree order; clauses with the same subject are joined."""
    clauses: dict[str, list[str]] = {}
    for subject, predicate, value in tree_order(data.triples):
        clauses.setdefault(clean(subject), []).append(f"has {split_camel(predicate)} {clean(value)}")
    return " ".join(f"{subject} {_listed(phrases)}." for subject, phrases in clauses.items())


def event_sentence(data: Event) -> str:
    """Return the filled slots of an event template as a list; names of foreign roles keep their capitals, which are
    spelling in German."""
    known = ontology_for(data)
    names = {key: label.lower() if known == MUC4 else known.roles[key].label or known.about(key)
             for key, label in known.prompted.items()}  # fmt: skip
    filled = [(name, data.fillers(key)) for key, name in names.items()]
    return "; ".join(f"{label}: {', '.join(values)}" for label, values in filled if values) + "."


def act_sentences(data: Acts) -> str:
    """Return a sentence per dialog act: a question for requests and confirmations, else a statement."""
    sentences = []
    for act in data.acts:
        slot, values = split_camel(clean(act.slot or "")), " or ".join(act.values)
        if not slot or slot == "intent":
            sentences.append(f"{clean(act.act).capitalize()}{f': {values}' if values else ''}.")
        elif act.act.upper() == "REQUEST" or not values:
            sentences.append(f"Which {slot}{f', {values}' if values else ''}?")
        elif act.act.upper() == "CONFIRM":
            sentences.append(f"Is the {slot} {values}?")
        else:
            sentences.append(f"The {slot} is {values}.")
    return " ".join(sentences)


def table_sentence(data: Table) -> str:
    """Return the highlighted cells after the title; a cell is named by the header of its column, if there is one."""
    head = data.table[0] if data.table else []
    named = bool(head) and all(cell.is_header and (cell.column_span or 1) == 1 for cell in head)
    phrases = []
    for row, column in data.highlighted:
        cell = data.table[row][column]
        aligned = named and row > 0 and all((other.column_span or 1) == 1 for other in data.table[row][:column])
        header = head[column].value if aligned and column < len(head) and not cell.is_header else ""
        if cell.value.strip():
            phrases.append(f"has {header} {cell.value}" if header else f"has {cell.value}")
    return f"{data.page_title or data.section_title or 'It'} {_listed(phrases)}." if phrases else ""


def concept_sentence(data: Concepts) -> str:
    """Return the words as a list."""
    words = [word for word in data.concepts if word.strip()]
    return f"There is {_listed(words)}." if words else ""


def events_sentences(data: Events) -> str:
    """Return a sentence per event: its type, then the first mention of every entity by role."""
    sentences = []
    for event in data.templates:
        roles = []
        for role, entities in event.items():
            if isinstance(entities, str):
                continue
            names = [mentions[0].text for mentions in entities if mentions]
            if names:
                roles.append(f"{split_camel(clean(role))} {', '.join(names)}")
        kind = event.get("type") or event.get("incident_type")
        label = clean(kind) if isinstance(kind, str) else "event"
        sentences.append(f"{label}: {'; '.join(roles)}." if roles else f"{label}.")
    return " ".join(sentences)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


RULES: dict[type[Input], Callable[[Any], str]] = {
    Slots: slot_sentence,
    Triples: triple_sentences,
    Event: event_sentence,
    Acts: act_sentences,
    Table: table_sentence,
    Concepts: concept_sentence,
    Events: events_sentences,
}


@dataclass(eq=False)
class Template(System):
    name: ClassVar = "template"
    about: ClassVar = "rule-based sentences for slots, acts, triples, tables, concepts and events"
    abilities: ClassVar = ("generate",)
    takes_form: ClassVar = False

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            data = known_input(example)
            rule = None if data is None else RULES.get(type(data))
            if rule is None:
                kinds = ", ".join(map(tag_of, RULES))
                raise AssayError(f"id {example.id}: the template baseline requires {kinds} as input")
            text = rule(data)
            if not text.strip(". "):
                raise AssayError(f"id {example.id}: nothing is filled in; leave the item out")
            yield Answer(example.id, text)
