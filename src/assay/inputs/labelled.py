"""Training data of extractors: texts with labelled spans and labels of the text.

| input of the example | text | spans | labels of the text |
|---|---|---|---|
| `annotated` | its text | its spans by category | |
| `events` | the source | every occurrence of a mention, by role | |
| `event` | each reference | the fillers of entity roles in it, by role | |
| `acts` | each reference | verbatim values, by act and slot | acts without a verbatim value; the service |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from assay.errors import AssayError
from assay.inputs.acts import act_text
from assay.inputs.ontology import ontology_for
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Acts, AnnotatedText, Event, Events, Span
from assay.records.types import Example

SERVICE = "service "
"""Prefix of the label of a service."""


class Labelled(NamedTuple):
    text: str
    spans: list[Span]
    labels: list[str]
    """Labels of the whole text."""


def labelled(example: Example) -> list[Labelled]:
    """Return the texts of an example with their labels."""
    kind = kind_of(example) if example.input else ""
    if kind not in _READERS:
        raise AssayError(
            f"id {example.id}: an input of kind {kind or 'none'} has no labelled spans; an extractor learns from "
            f"{', '.join(_READERS)}"
        )
    return list(_READERS[kind](example))


def _annotated(example: Example) -> Iterator[Labelled]:
    structure = read_input(example, AnnotatedText)
    yield Labelled(structure.text, _apart(structure.spans), [])


def _events(example: Example) -> Iterator[Labelled]:
    text = example.source or ""
    named = [
        (role.lower(), mention.text)
        for template in read_input(example, Events).templates
        for role, entities in template.items()
        if not isinstance(entities, str)
        for mentions in entities
        for mention in mentions
    ]
    yield Labelled(text, _apart(_named_spans(named, text)), [])


def _event(example: Example) -> Iterator[Labelled]:
    structure = read_input(example, Event)
    roles = ontology_for(structure, where=f"id {example.id}: ").entities
    named = [(role, filler) for role in roles for filler in structure.fillers(role)]
    for text in example.references:
        yield Labelled(text, _apart(_named_spans(named, text)), [])


def _acts(example: Example) -> Iterator[Labelled]:
    structure = read_input(example, Acts)
    for text in example.references:
        spans, labels = list[Span](), [f"{SERVICE}{structure.service}"]
        for act in structure.acts:
            places = [_first(value, text) for value in act.values]
            if act.slot and places and all(places):
                spans += [Span(f"{act.act} {act.slot}", *place) for place in places if place]
            else:
                labels.append(act_text(act))
        kept = _apart(spans)
        yield Labelled(text, kept, labels)


_READERS: dict[str, Callable[[Example], Iterable[Labelled]]] = {
    "annotated": _annotated,
    "events": _events,
    "event": _event,
    "acts": _acts,
}


def _named_spans(named: Iterable[tuple[str, str]], text: str) -> Iterator[Span]:
    for role, words in dict.fromkeys(named):
        yield from (Span(role, *match.span()) for match in _occurrences(words, text))


def _first(value: str, text: str) -> tuple[int, int] | None:
    match = next(_occurrences(value, text), None)
    return match.span() if match else None


def _occurrences(words: str, text: str) -> Iterator[re.Match[str]]:
    """Return whole-word occurrences, ignoring case and the amount of white space."""
    pieces = r"\s+".join(re.escape(word) for word in words.split())
    return re.finditer(rf"(?<!\w){pieces}(?!\w)", text, re.IGNORECASE) if pieces else iter(())


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Return spans without overlap: of overlapping ones, the longest."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)
