"""Made-up event-keyed summarization: invented, harmless reports with one to three events and their summaries."""

from __future__ import annotations

import random
from typing import Any

from assay.datasets import structures
from assay.records import Example
from assay.systems.baselines import chance

TYPES = {
    "robbery": "robbed",
    "arson": "set fire to",
    "attack": "threw tomatoes at",
    "bombing": "threw water balloons at",
}
PEOPLE = ("two masked clowns", "a retired plumber", "three goats", "a choir boy", "five chess players", "the twins")
GROUPS = ("the velvet league", "the order of the spoon", "the sunday club", "the blue umbrella")
TARGETS = ("the town hall", "a bakery", "the old bridge", "a toy museum", "the lighthouse", "a bus depot")
VICTIMS = ("the mayor", "a postman", "the head baker", "two gardeners", "a night guard", "the band leader")
WEAPONS = ("tomatoes", "water balloons", "a rubber hammer", "wet sponges", "a slingshot")
PLACES = ("harrowmere", "duskvale", "pinfold", "saltmarsh", "oakley")
DATES = ("on 3 may", "last tuesday", "on 12 june", "yesterday", "on 30 april")
NOISE = (
    "the weather was fair for the season.",
    "the council met in the afternoon to discuss the new tram line.",
    "a spokesman declined to comment.",
    "shops stayed open until eight.",
    "the harvest festival will take place as planned.",
)


def made_up_events(documents: int = 120, seed: int = 0) -> list[Example]:
    """One example an event; all events of a document stay in one split."""
    made = []
    for number in range(documents):
        draw = chance(seed, "report", number)
        split = ("train", "train", "train", "validation", "test")[number % 5]
        events = [_event(draw) for _ in range(draw.choice((1, 1, 2, 3)))]
        sentences = [sentence for event in events for sentence in _told(event, draw)]
        sentences += draw.sample(NOISE, 3)
        draw.shuffle(sentences)
        for i, event in enumerate(events):
            made.append(
                Example(
                    id=f"made-{number}.{i}", references=(_summary(event),), source=" ".join(sentences),
                    input=structures.event(event, sentences), language="en", split=split,
                    tags={"document": str(number), "type": event["type"]},
                )
            )  # fmt: skip
    return made


def _event(draw: random.Random) -> dict[str, Any]:
    def some(things: tuple[str, ...], share: float) -> list[str]:
        return [draw.choice(things)] if draw.random() < share else []

    return {
        "type": draw.choice(sorted(TYPES)), "completion": draw.choice(("accomplished", "accomplished", "attempted")),
        "date": some(DATES, 0.6), "location": some(PLACES, 0.8), "perpind": [draw.choice(PEOPLE)],
        "perporg": some(GROUPS, 0.5), "target": [draw.choice(TARGETS)], "victim": some(VICTIMS, 0.6),
        "weapon": some(WEAPONS, 0.5),
    }  # fmt: skip


def _told(event: dict[str, Any], draw: random.Random) -> list[str]:
    when = f"{event['date'][0]} " if event["date"] else ""
    where = f" in {event['location'][0]}" if event["location"] else ""
    first = f"{when}{event['perpind'][0]} {TYPES[event['type']]} {event['target'][0]}{where}."
    more = []
    if event["perporg"]:
        more.append(f"{event['perporg'][0]} said it was behind the {event['type']}.")
    if event["victim"]:
        more.append(f"{event['victim'][0]} got a fright at {event['target'][0]}.")
    if event["weapon"]:
        more.append(f"{event['weapon'][0]} were found near {event['target'][0]}.")
    return [first, *draw.sample(more, len(more))]


def _summary(event: dict[str, Any]) -> str:
    when = f"{event['date'][0]} " if event["date"] else ""
    where = f" in {event['location'][0]}" if event["location"] else ""
    by = f" of {event['perporg'][0]}" if event["perporg"] else ""
    using = f" with {event['weapon'][0]}" if event["weapon"] else ""
    did = TYPES[event["type"]] if event["completion"] == "accomplished" else f"tried and {TYPES[event['type']]}"
    hit = f" {event['victim'][0]} was hit." if event["victim"] else ""
    return f"{when}{event['perpind'][0]}{by} {did} {event['target'][0]}{where}{using}.{hit}"
