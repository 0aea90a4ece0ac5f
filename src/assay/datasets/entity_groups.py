"""Groups of entities out of an annotated corpus: tuples of one type, passages that name them, background cut short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from assay.datasets.record import Record, Report
from assay.datasets.sources import json_lines
from assay.datasets.tesa import TYPES
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Entities, Events
from assay.records.types import Example
from assay.text.sentences import split_sentences

MOST_ENTITIES = 6
BACKGROUND = 600
"""Characters of what is told of an entity."""
LONGEST_MENTION = 10
"""Words; a longer one is a description."""
MUC4_TYPES = {"PerpInd": "person", "Victim": "person", "PerpOrg": "org", "Target": "location"}
BRACKETS = re.compile(r"\s?\([^)]*\)")
SUFFIXES = ("Jr", "Sr", "II", "III", "IV")


@dataclass(frozen=True)
class Entity:
    """One entity of a document and the characters where it is named."""

    name: str
    type: str
    places: tuple[int, ...]
    background: str = ""


def clean_name(name: str, kind: str) -> str:
    """An index term as people would say it: `Bush, George W (Pres)` is George W. Bush."""
    plain = " ".join(BRACKETS.sub("", name).split())
    if kind == "org":
        return f"{plain}." if plain.endswith((" Corp", " Inc", " Co", " Ltd")) else plain
    if kind != "person" or "," not in plain:
        return plain
    last, _, first = (part.strip() for part in plain.partition(","))
    words = first.split()
    suffix = [words.pop()] if words and words[-1].rstrip(".") in SUFFIXES else []
    words = [f"{word}." if len(word) == 1 and word.isupper() else word for word in words]
    ends = [f"{one}." if one in ("Jr", "Sr") else one for one in suffix]
    return " ".join([*words, last, *ends])


def cut_background(text: str, most: int = BACKGROUND) -> str:
    """The first paragraph; of a longer one whole sentences up to `most` characters, the first always. What stands in
    brackets is taken out."""
    first = text.strip().split("\n")[0]
    if len(first) > most:
        kept: list[str] = []
        used = 0
        for sentence in split_sentences(first):
            if kept and used + 1 + len(sentence) > most:
                break
            kept.append(sentence)
            used += len(sentence) + (len(kept) > 1)
        first = " ".join(kept)
    return " ".join(BRACKETS.sub("", first).split())


def windows(mentioned: Sequence[set[int]], sentences: int) -> Iterator[tuple[int, int]]:
    """Stretches of at most as many consecutive sentences as there are entities in which all of them are named, none
    inside another. One sentence alone gets the one before it, or after it at the start."""
    found: list[tuple[int, int]] = []
    for start in range(sentences):
        ends = range(start + 1, min(start + len(mentioned), sentences) + 1)
        end = next((end for end in ends if all(places & set(range(start, end)) for places in mentioned)), None)
        if end is not None:
            found = [*(one for one in found if one[1] < end), (start, end)]
    for start, end in found:
        if end - start > 1:
            yield start, end
        else:
            yield (start - 1, end) if start else (start, min(end + 1, sentences))


def groups_of(id: str, text: str, entities: Sequence[Entity], title: str = "") -> Iterator[Example]:
    """An instance for every tuple of two to six entities of one type and every passage that names them."""
    sentences = split_sentences(text)
    starts, position = [], 0
    for sentence in sentences:
        position = max(text.find(sentence[:20], position), position)
        starts.append(position)
        position += 1
    for kind in TYPES:
        own = [entity for entity in entities if entity.type == kind]
        places = [{max(0, sum(start <= at for start in starts) - 1) for at in entity.places} for entity in own]
        for size in range(2, min(MOST_ENTITIES, len(own)) + 1):
            for chosen in combinations(range(len(own)), size):
                for number, (start, end) in enumerate(windows([places[i] for i in chosen], len(sentences))):
                    context = " ".join(sentences[start:end])
                    given = Entities(
                        type=kind, entities=[own[i].name for i in chosen],
                        background=[cut_background(own[i].background) for i in chosen], title=title, context=context,
                    )  # fmt: skip
                    yield Example(
                        id=f"{id}/{'-'.join(map(str, chosen))}/{kind}/{number}", source=context, input=given.plain(),
                        language="en", parent=id, tags={"type": kind, "size": str(size), "document": id},
                    )  # fmt: skip


def from_events(document: Example) -> Iterator[Example]:
    """Groups of one document of MUC-4: its entities by role, each called by its longest short mention."""
    found: dict[tuple[str, str], Entity] = {}
    for template in read_input(document, Events).templates:
        for role, kind in MUC4_TYPES.items():
            given = template.get(role, ())
            for mentions in given if not isinstance(given, str) else ():
                short = [one for one in mentions if len(one.text.split()) <= LONGEST_MENTION]
                if short:
                    name = max(short, key=lambda one: len(one.text)).text
                    found.setdefault((name, kind), Entity(name, kind, tuple(one.start for one in short)))
    yield from groups_of(document.id, document.source or "", list(found.values()))


def read_annotated(path: Path) -> Iterator[Example]:
    """Groups of a corpus, a document a line: id, text, perhaps title, and entities with name, type, mentions (where
    each begins, in characters) and perhaps background."""
    yield from Report("entities").checked(json_lines(path, "id"), _document)


def _document(record: Record) -> Iterator[Example]:
    text = record.text("text")
    entities = []
    for one in record.items("entities"):
        kind = one.choice("type", TYPES)
        places = one.typed("mentions", list)
        if not places or not all(type(at) is int and 0 <= at < len(text) for at in places):
            raise one.bad("mentions", "is not a list of places inside the text")
        name = clean_name(one.text("name"), kind)
        entities.append(Entity(name, kind, tuple(places), one.optional("background")))
    return groups_of(record.text("id"), text, entities, record.optional("title"))


def groups(examples: Sequence[Example]) -> Iterator[Example]:
    """Groups of documents that were read with all their events."""
    for example in examples:
        if kind_of(example) == "events":
            yield from from_events(example)
