"""Synthetic event-keyed summarization: harmless reports with one to three events and their summaries."""

from __future__ import annotations

import random
from typing import TypedDict

from assay.records import kinds
from assay.records.types import Example
from assay.seeds import rng_for

TYPES = {
    "robbery": ("robbed", "rob"),
    "arson": ("set fire to", "set fire to"),
    "attack": ("threw tomatoes at", "throw tomatoes at"),
    "bombing": ("threw water balloons at", "throw water balloons at"),
}
"""Verbs of completed and of attempted events."""
PEOPLE = ("two masked clowns", "a retired plumber", "three goats", "a choir boy", "five chess players", "the twins")
GROUPS = ("the velvet league", "the order of the spoon", "the sunday club", "the blue umbrella")
TARGETS = ("the town hall", "a bakery", "the old bridge", "a toy museum", "the lighthouse", "a bus depot")
VICTIMS = ("the mayor", "a postman", "the head baker", "two gardeners", "a night guard", "the band leader")
WEAPONS = ("tomatoes", "water balloons", "a rubber hammer", "wet sponges", "a slingshot")
PLACES = ("harrowmere", "duskvale", "pinfold", "saltmarsh", "oakley")
DATES = ("on 3 may", "last tuesday", "on 12 june", "yesterday", "on 30 april")
OUTCOMES = (
    "were fined ten crowns",
    "got away by tram",
    "said they were sorry",
    "will sweep the square for a week",
    "were thanked by the crowd",
    "lost their hats",
)
"""Outcomes, which are only in the document: the template is not sufficient to write the summary."""
NOISE = (
    "the weather was fair for the season.",
    "the council met in the afternoon to discuss the new tram line.",
    "a spokesman declined to comment.",
    "shops stayed open until eight.",
    "the harvest festival will take place as planned.",
)


def synthetic_events(documents: int = 120, seed: int = 0) -> list[Example]:
    """Return one example per event; all events of a document are in one split."""
    made = []
    for number in range(documents):
        draw = rng_for(seed, "report", number)
        split = ("train", "train", "train", "validation", "test")[number % 5]
        events = [_event(draw) for _ in range(draw.choice((1, 1, 2, 3)))]
        outcomes = draw.sample(OUTCOMES, len(events))
        pairs = zip(events, outcomes, strict=True)
        sentences = [sentence for event, outcome in pairs for sentence in _reported(event, outcome, draw)]
        sentences += draw.sample(NOISE, 2)
        draw.shuffle(sentences)
        for i, (event, outcome) in enumerate(zip(events, outcomes, strict=True)):
            made.append(
                Example(
                    id=f"made-{number}.{i}", references=(_summary(event, outcome),), source=" ".join(sentences),
                    input=kinds.Event(template=event, document=sentences).plain(), language="en", split=split,
                    tags={"document": str(number), "type": event["type"]},
                )
            )  # fmt: skip
    return made


class EventTemplate(TypedDict):
    """The slots of a synthetic event, by the names of MUC-4."""

    type: str
    completion: str
    date: list[str]
    location: list[str]
    perpind: list[str]
    perporg: list[str]
    target: list[str]
    victim: list[str]
    weapon: list[str]


def _event(draw: random.Random) -> EventTemplate:
    def some(things: tuple[str, ...], share: float) -> list[str]:
        return [draw.choice(things)] if draw.random() < share else []

    return {
        "type": draw.choice(sorted(TYPES)), "completion": draw.choice(("accomplished", "accomplished", "attempted")),
        "date": some(DATES, 0.6), "location": some(PLACES, 0.8), "perpind": [draw.choice(PEOPLE)],
        "perporg": some(GROUPS, 0.5), "target": [draw.choice(TARGETS)], "victim": some(VICTIMS, 0.6),
        "weapon": some(WEAPONS, 0.5),
    }  # fmt: skip


def _core(event: EventTemplate) -> str:
    """Return actor, act, target and place; shared by a summary and the first sentence of a report."""
    where = f" in {event['location'][0]}" if event["location"] else ""
    done, tried = TYPES[event["type"]]
    did = done if event["completion"] == "accomplished" else f"tried to {tried}"
    return f"{did} {event['target'][0]}{where}"


def _reported(event: EventTemplate, outcome: str, draw: random.Random) -> list[str]:
    when = f"{event['date'][0]} " if event["date"] else ""
    place = event["target"][0]
    more = [f"after the {event['type']} at {place} they {outcome}."]
    if event["perporg"]:
        more.append(f"{event['perporg'][0]} said it was behind the {event['type']} at {place}.")
    if event["victim"]:
        more.append(f"{event['victim'][0]} got a fright at {place}.")
    if event["weapon"]:
        more.append(f"people who passed {place} later found {event['weapon'][0]}.")
    return [f"{when}{event['perpind'][0]} {_core(event)}.", *draw.sample(more, len(more))]


def _summary(event: EventTemplate, outcome: str) -> str:
    when = f"{event['date'][0]} " if event["date"] else ""
    by = f" of {event['perporg'][0]}" if event["perporg"] else ""
    using = f" with {event['weapon'][0]}" if event["weapon"] else ""
    hit = f" {event['victim'][0]} got a fright." if event["victim"] else ""
    return f"{when}{event['perpind'][0]}{by} {_core(event)}{using}.{hit} they {outcome}."
