"""Sentences from structures by rule: the template baseline for slots and triples."""

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
"""Slots that name what the text is about."""


def slot_sentence(given: Slots) -> str:
    """`X has food Italian, area riverside and price cheap.`; yes and no slots read as is and is not."""
    pairs = [(slot, str(value)) for slot, value in given.slots if value]
    subject = next((value for slot, value in pairs if slot.lower() in SUBJECTS), "It")
    said = []
    for slot, value in pairs:
        words = split_camel(slot)
        if slot.lower() in SUBJECTS and value == subject:
            continue
        if value.lower() in ("yes", "no", "true", "false"):
            said.append(f"{'is' if value.lower() in ('yes', 'true') else 'is not'} {words}")
        else:
            said.append(f"has {words} {value}")
    if not said:
        return f"There is {subject}." if subject != "It" else ""
    return f"{subject} {_listed(said)}."


def triple_sentences(given: Triples) -> str:
    """One clause a triple, clauses of one subject joined, in the order of a tree."""
    clauses: dict[str, list[str]] = {}
    for subject, predicate, value in tree_order(given.triples):
        clauses.setdefault(clean(subject), []).append(f"has {split_camel(predicate)} {clean(value)}")
    return " ".join(f"{subject} {_listed(said)}." for subject, said in clauses.items())


def event_sentence(given: Event) -> str:
    """The filled slots of an event template, one after the other."""
    filled = [(label.lower(), given.fillers(key)) for key, label in PROMPT.items()]
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
    about: ClassVar = "slots, triples and event templates said by rule"
    abilities: ClassVar = ("generate",)

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            given = known_input(example)
            rule = None if given is None else RULES.get(type(given))
            if rule is None:
                said = ", ".join(map(tag_of, RULES))
                raise AssayError(f"id {example.id}: the template baseline says {said}; this has none of them")
            text = rule(given)
            if not text.strip(". "):
                raise AssayError(f"id {example.id}: nothing is filled in, so there is nothing to say")
            yield Answer(example.id, text)
