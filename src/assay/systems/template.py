"""Template baseline: rule-based sentences for slots, triples and event templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.errors import AssayError
from assay.inputs.events import PROMPT
from assay.inputs.triples import clean, split_camel, tree_order
from assay.records.inputs import known_input
from assay.records.kinds import Event, Input, Slots, Triples, tag_of
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
    """Return the filled slots of an event template as a list."""
    filled = [(label.lower(), data.fillers(key)) for key, label in PROMPT.items()]
    return "; ".join(f"{label}: {', '.join(values)}" for label, values in filled if values) + "."


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


RULES: dict[type[Input], Callable[[Any], str]] = {
    Slots: slot_sentence,
    Triples: triple_sentences,
    Event: event_sentence,
}


@dataclass(eq=False)
class Template(System):
    name: ClassVar = "template"
    about: ClassVar = "rule-based sentences for slots, triples and event templates"
    abilities: ClassVar = ("generate",)

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            data = known_input(example)
            rule = None if data is None else RULES.get(type(data))
            if rule is None:
                kinds = ", ".join(map(tag_of, RULES))
                raise AssayError(f"id {example.id}: the template baseline requires {kinds} as input")
            text = rule(data)
            if not text.strip(". "):
                raise AssayError(f"id {example.id}: no slot is filled in; leave the item out")
            yield Answer(example.id, text)
