"""Groups of entities of an annotated corpus: tuples of one type, passages that mention them, shortened background."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from pathlib import Path

from assay.datasets.record import Record, Report
from assay.datasets.sources import json_lines
from assay.inputs.entity_types import BRACKETS, TESA, EntityTypes, known_type
from assay.inputs.ontology import MUC4, Ontology
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Entities, Events
from assay.records.types import Example
from assay.seeds import rng_for
from assay.text.sentences import split_sentences

MOST_ENTITIES = 6
BACKGROUND = 600
"""Maximum number of characters of an entity's background."""
LONGEST_MENTION = 10
"""Maximum number of words of a name; a longer mention is a description."""
PER_DOCUMENT = 20
"""Maximum number of instances of a document: without it, one list of names would fill a corpus."""
ENUMERATED = 5_000
"""Up to this many possible groups, those of a document are listed before sampling; more are drawn at random."""


@dataclass(frozen=True)
class Entity:
    """One entity of a document with the character positions of its mentions."""

    name: str
    type: str
    places: tuple[int, ...]
    background: str = ""


@dataclass
class Extraction:
    """How groups are extracted, and counts of what was left out."""

    types: EntityTypes = TESA
    ontology: Ontology = MUC4
    mentions: int = 1
    """Minimum number of mentions of an entity in its document: those that it is about are mentioned repeatedly."""
    per_document: int = PER_DOCUMENT
    seed: int = 0
    documents: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def cut_background(text: str, most: int = BACKGROUND) -> str:
    """Return the first paragraph; a longer one is cut to whole sentences of up to `most` characters, at least
    the first. Text in brackets is removed."""
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
    """Yield minimal ranges of consecutive sentences, at most one per entity, that mention all entities. A single
    sentence is extended by the one before it, or after it at the start."""
    yield from _windows([_upcoming(places, sentences) for places in mentioned], mentioned, sentences)


def _upcoming(places: set[int], sentences: int) -> list[int]:
    """Return for each sentence the next one, itself included, that mentions an entity; `sentences` if there is none."""
    upcoming = [sentences] * sentences
    following = sentences
    for at in range(sentences - 1, -1, -1):
        following = at if at in places else following
        upcoming[at] = following
    return upcoming


def _windows(
    upcoming: Sequence[Sequence[int]], mentioned: Sequence[set[int]], sentences: int
) -> Iterator[tuple[int, int]]:
    most = len(mentioned)
    ranges: list[tuple[int, int]] = []
    for start in sorted(set().union(*mentioned)):
        end = max([own[start] for own in upcoming]) + 1
        if end <= sentences and end - start <= most:
            while ranges and ranges[-1][1] >= end:
                ranges.pop()
            ranges.append((start, end))
    for start, end in ranges:
        if end - start > 1:
            yield start, end
        else:
            yield (start - 1, end) if start else (start, min(end + 1, sentences))


def _near(places: Sequence[set[int]], sentences: int, draw_from: object, most: int) -> list[tuple[int, ...]]:
    """Return the groups of two to six entities that some passage of at most as many sentences mentions.

    If there are very many, random ones: first the size, then the passage, then its entities.
    """
    by_sentence: dict[int, list[int]] = {}
    for entity, own in enumerate(places):
        for sentence in own:
            by_sentence.setdefault(sentence, []).append(entity)
    passages: dict[int, list[tuple[int, ...]]] = {}
    possible = 0
    for size in range(2, min(MOST_ENTITIES, len(places)) + 1):
        for start in by_sentence:
            inside = {entity for at in range(start, min(start + size, sentences)) for entity in by_sentence.get(at, ())}
            if len(inside) >= size:
                passages.setdefault(size, []).append(tuple(sorted(inside)))
                possible += comb(len(inside), size)
    if possible <= ENUMERATED:
        groups_near = {chosen for size, many in passages.items() for one in many for chosen in combinations(one, size)}
    else:
        draw, sizes = rng_for(draw_from, "groups", len(places)), sorted(passages)
        tries = (draw.choice(sizes) for _ in range(20 * most))
        groups_near = {tuple(sorted(draw.sample(draw.choice(passages[size]), size))) for size in tries}
    return sorted(groups_near, key=lambda chosen: (len(chosen), chosen))


def groups_of(
    id: str,
    text: str,
    entities: Sequence[Entity],
    title: str = "",
    how: Extraction | None = None,
    language: str | None = None,
) -> Iterator[Example]:
    """Yield an instance for each tuple of two to six entities of one type and each passage that mentions them, at most
    `how.per_document` of them, sampled at random."""
    how = how or Extraction()
    how.documents += 1
    sentences = split_sentences(text)
    starts, position = [], 0
    for sentence in sentences:
        position = max(text.find(sentence[:20], position), position)
        starts.append(position)
        position += 1
    salient = [entity for entity in entities if len(entity.places) >= how.mentions]
    how.left_out[f"entities with fewer than {how.mentions} mentions"] += len(entities) - len(salient)
    placed: list[tuple[str, tuple[int, ...], int, int, int]] = []
    of_type: dict[str, list[Entity]] = {}
    for kind in how.types.types:
        own = of_type[kind] = [entity for entity in salient if entity.type == kind]
        places = [{max(0, bisect_right(starts, at) - 1) for at in entity.places} for entity in own]
        upcoming = [_upcoming(own_places, len(sentences)) for own_places in places]
        for chosen in _near(places, len(sentences), (how.seed, id, kind), how.per_document):
            passages = _windows([upcoming[i] for i in chosen], [places[i] for i in chosen], len(sentences))
            placed += [(kind, chosen, number, start, end) for number, (start, end) in enumerate(passages)]
    if len(placed) > how.per_document:
        how.left_out[f"instances beyond {how.per_document} of a document"] += len(placed) - how.per_document
        kept = sorted(rng_for(how.seed, "document", id).sample(range(len(placed)), how.per_document))
        placed = [placed[i] for i in kept]
    for kind, chosen, number, start, end in placed:
        own, context = of_type[kind], " ".join(sentences[start:end])
        structure = Entities(
            type=kind, entities=[own[i].name for i in chosen], title=title, context=context,
            background=[cut_background(own[i].background) for i in chosen],
            plural="" if kind in TESA.types else how.types.plural(kind),
        )  # fmt: skip
        yield Example(
            id=f"{id}/{'-'.join(map(str, chosen))}/{kind}/{number}", source=context,
            input=structure.plain(), language=language, parent=id,
            tags={"type": kind, "size": str(len(chosen)), "document": id},
        )  # fmt: skip


def from_events(document: Example, how: Extraction) -> Iterator[Example]:
    """Groups of one document with all its events: entities by role, named by the longest mention that is short."""
    entities: dict[tuple[str, str], Entity] = {}
    typed = {source: how.ontology.roles[key].type for key, source in how.ontology.sources.items()}
    for template in read_input(document, Events).templates:
        for role, fillers in template.items():
            if isinstance(fillers, str):
                continue
            if role not in typed:
                how.ontology.require([role], f"id {document.id}: ")
            if not typed[role]:
                how.left_out[f"entities of the role {role}, which has no type"] += len(fillers)
                continue
            kind = known_type(how.types, typed[role], f"id {document.id}: role {role}")
            for mentions in fillers:
                short = [one for one in mentions if len(one.text.split()) <= LONGEST_MENTION]
                if not short:
                    how.left_out[f"entities without a name of at most {LONGEST_MENTION} words"] += 1
                    continue
                name = max(short, key=lambda one: len(one.text)).text
                entities.setdefault((name, kind), Entity(name, kind, tuple(one.start for one in short)))
    yield from groups_of(
        document.id, document.source or "", list(entities.values()), how=how, language=document.language
    )


def read_annotated(path: Path, how: Extraction | None = None) -> Iterator[Example]:
    """Yield groups of a corpus, one document per line: id, text, optional title, and entities with name, type, mentions
    (start positions in characters) and optional background."""
    how = how or Extraction()
    yield from Report("entities").checked(json_lines(path, "id"), lambda record: _document(record, how))


def _document(record: Record, how: Extraction) -> Iterator[Example]:
    text = record.text("text")
    entities = []
    for one in record.items("entities"):
        label = one.text("type")
        kind = how.types.key(label)
        if kind is None:
            known = f"{how.types.name} ({', '.join(how.types.types)})"
            raise one.bad(
                "type", f"is no entity type of {known}: {label!r}", "Correct it, or give its types with --types"
            )
        places = one.typed("mentions", list)
        if not places or not all(type(at) is int and 0 <= at < len(text) for at in places):
            raise one.bad("mentions", "is not a list of places inside the text")
        name = how.types.clean_name(one.text("name"), kind)
        entities.append(Entity(name, kind, tuple(places), one.optional("background")))
    return groups_of(
        record.text("id"), text, entities, record.optional("title"), how, record.optional("language") or None
    )


def groups(examples: Sequence[Example], how: Extraction | None = None) -> Iterator[Example]:
    """Yield groups of documents with all their events."""
    how = how or Extraction()
    for example in examples:
        if kind_of(example) == "events":
            yield from from_events(example, how)


def sample_by_document(instances: Iterable[Example], limit: int, seed: int) -> list[Example]:
    """Return `limit` random instances, as equally over documents as possible, in their original order."""
    by_document: dict[str, list[int]] = {}
    listed = list(instances)
    for number, example in enumerate(listed):
        by_document.setdefault(example.tags.get("document", example.id), []).append(number)
    draw = rng_for(seed, "entities", len(listed))
    queues = [draw.sample(numbers, len(numbers)) for numbers in by_document.values()]
    chosen: list[int] = []
    while len(chosen) < min(limit, len(listed)):
        draw.shuffle(queues)
        queues = [queue for queue in queues if queue]
        chosen += [queue.pop() for queue in queues[: limit - len(chosen)]]
    return [listed[number] for number in sorted(chosen)]
