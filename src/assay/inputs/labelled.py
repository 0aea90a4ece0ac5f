"""What an extractor learns from: texts with labelled spans, and with what they say as a whole.

| input of the example | text | spans | said as a whole |
|---|---|---|---|
| `annotated` | its text | its spans by category | |
| `events` | the source | every occurrence of a mention, by role | |
| `event` | each reference | the fillers that it says, by role | |
| `acts` | each reference | values as they stand, by act and slot | acts without such a value; the service |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from assay.errors import AssayError
from assay.inputs.acts import act_text
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Acts, AnnotatedText, Event, Events, Span
from assay.records.types import Example

EVENT_ROLES = ("perpind", "perporg", "target", "victim", "weapon")
"""The roles of event templates whose fillers are entities."""
SERVICE = "service "
"""What the label of a service begins with."""


class Labelled(NamedTuple):
    text: str
    spans: list[Span]
    said: list[str]
    """Labels of the whole text."""


def labelled(example: Example) -> list[Labelled]:
    """The texts of an example with their labels."""
    kind = kind_of(example) if example.input else ""
    if kind not in _READERS:
        raise AssayError(
            f"id {example.id}: an input of kind {kind or 'none'} has no labelled spans; an extractor learns from "
            f"{', '.join(_READERS)}"
        )
    return list(_READERS[kind](example))


def _annotated(example: Example) -> Iterator[Labelled]:
    given = read_input(example, AnnotatedText)
    yield Labelled(given.text, _apart(given.spans), [])


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
    yield Labelled(text, _apart(_found(named, text)), [])


def _event(example: Example) -> Iterator[Labelled]:
    given = read_input(example, Event)
    named = [(role, filler) for role in EVENT_ROLES for filler in given.fillers(role)]
    for text in example.references:
        yield Labelled(text, _apart(_found(named, text)), [])


def _acts(example: Example) -> Iterator[Labelled]:
    given = read_input(example, Acts)
    for text in example.references:
        spans, said = list[Span](), [f"{SERVICE}{given.service}"]
        for act in given.acts:
            places = [_first(value, text) for value in act.values]
            if act.slot and places and all(places):
                spans += [Span(f"{act.act} {act.slot}", *place) for place in places if place]
            else:
                said.append(act_text(act))
        kept = _apart(spans)
        yield Labelled(text, kept, said)


_READERS: dict[str, Callable[[Example], Iterable[Labelled]]] = {
    "annotated": _annotated,
    "events": _events,
    "event": _event,
    "acts": _acts,
}


def _found(named: Iterable[tuple[str, str]], text: str) -> Iterator[Span]:
    for role, words in dict.fromkeys(named):
        yield from (Span(role, *match.span()) for match in _occurrences(words, text))


def _first(value: str, text: str) -> tuple[int, int] | None:
    match = next(_occurrences(value, text), None)
    return match.span() if match else None


def _occurrences(words: str, text: str) -> Iterator[re.Match[str]]:
    """Where words stand as words of their own, in whatever case and however spaced."""
    pieces = r"\s+".join(re.escape(word) for word in words.split())
    return re.finditer(rf"(?<!\w){pieces}(?!\w)", text, re.IGNORECASE) if pieces else iter(())


def _apart(spans: Iterable[Span]) -> list[Span]:
    """Spans that do not overlap: of those that do the longest stays."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)
