"""A made-up corpus in the manner of FOMC: announcements, and marked news sentences that use the members of classes.

The sentences around the members are invented. A source names, for every class its targets use, a member of that class
(often another one), so that a model that reads the source can do better than chance.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from assay.datasets.equivalence_classes import Classes
from assay.errors import AssayError
from assay.records.types import Example
from assay.seeds import chance

MONTHS = ("January", "March", "April", "May", "June", "July", "August", "September", "October", "December")
ACTORS = ("central bank", "committee", "board", "monetary council", "bank's governors")
FILLERS = (
    "The meeting opened at nine in the morning.",
    "Staff presented the usual charts.",
    "Several participants asked about the figures of the previous quarter.",
    "The minutes of the last session were approved without change.",
    "A short break was taken before noon.",
    "It was agreed to meet again in six weeks.",
)
TARGETS = (1, 1, 1, 2, 2, 3, 1, 2, 1, 12)
"""How many newspapers write about an announcement; one is written about by many."""


def made_up_announcements(classes: Sequence[Classes], documents: int = 60, seed: int = 0) -> list[Example]:
    """Documents with one to twelve targets of one to three sentences; three splits by document."""
    acts = [one for one in classes if one.family == "act"]
    labels = [one for one in classes if one.family == "label"]
    if not acts or not labels:
        raise AssayError("a made-up corpus needs classes for acts and for their comments (labels)")
    made = []
    for number in range(documents):
        draw = chance(seed, "announcement", number)
        split = ("train", "train", "train", "validation", "test")[number % 5]
        topics = {one.evaluation: draw.randrange(len(one.classes)) for one in classes}
        count = TARGETS[(number // 5) % len(TARGETS)]
        targets = tuple(_target(classes, topics, draw) for _ in range(count))
        made.append(
            Example(id=f"made-{number}", references=targets, source=_source(classes, topics, draw), language="en",
                    split=split, tags={"targets": str(count)})
        )  # fmt: skip
    return made


def _member(one: Classes, topics: dict[str, int], draw: random.Random) -> str:
    return draw.choice(one.classes[topics[one.evaluation]])


def _source(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    told = [f"On the {one.annotation} it was noted: {_plain(_member(one, topics, draw))}." for one in classes]
    sentences = [*told, *draw.sample(FILLERS, 3)]
    draw.shuffle(sentences)
    return f"Announcement of {draw.choice(MONTHS)} {draw.randint(1967, 2018)}. " + " ".join(sentences)


def _plain(text: str) -> str:
    return " ".join(word for word in text.split() if not word.startswith("["))


def _target(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    sentences = [_sentence(classes, topics, draw) for _ in range(draw.choice((1, 1, 2, 3)))]
    return "<sent>".join(sentences)


def _sentence(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    def marked(name: str, text: str) -> str:
        return f"[{name}_START] {text} [{name}_END]"

    parts = [
        marked("REFERENCE", f"on {draw.choice(MONTHS)} {draw.randint(1, 28)}"),
        "the",
        marked("ACTOR", draw.choice(ACTORS)),
        marked("ACT", _act(classes, topics, draw)),
    ]
    optional = [one for one in classes if one.annotation in ("scope", "evidence", "motive", "attribution")]
    for one in sorted(optional, key=lambda one: ("scope", "evidence", "motive", "attribution").index(one.annotation)):
        if draw.random() < 0.75:
            parts.append(marked(one.annotation.upper(), _member(one, topics, draw)))
            if one.annotation == "evidence" and draw.random() < 0.25:  # two of a kind in one sentence
                parts += ["and", marked("EVIDENCE", _member(one, topics, draw))]
            parts.append(draw.choice((",", "and")))
    if parts[-1] in (",", "and"):
        parts.pop()
    if draw.random() < 0.15:
        parts.append(". It gave no further details")
    return f"[STD_SENTENCE_START] {' '.join(parts)} . [STD_SENTENCE_END]"


def _act(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    """An act with its comment, sometimes without one, sometimes one that comes with its own."""
    together = [one for one in classes if one.annotation == "act" and one.family == "whole"]
    if together and draw.random() < 0.2:
        return _member(draw.choice(together), topics, draw)
    act = _member(draw.choice([one for one in classes if one.family == "act"]), topics, draw)
    if draw.random() < 0.1:
        return act
    label = _member(draw.choice([one for one in classes if one.family == "label"]), topics, draw)
    return f"{act} ({label})"
