"""A made-up corpus with the proportions of FOMC: announcements, and marked news sentences that use members of classes.

The sentences are invented. What a document is about decides, for the most part, of which class the members are that its
source and its targets use (often other members), and some things come often. So a model can do better than chance by
what is frequent, by what stands before a span, and by reading the source.

Lengths of sources and numbers of targets are drawn in strata, so that small corpora have the published ones, too.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from statistics import NormalDist

from assay.datasets.equivalence_classes import Classes
from assay.datasets.made_up_prose import BESIDE, prose
from assay.errors import AssayError
from assay.records.types import Example
from assay.seeds import rng_for

MONTHS = ("January", "March", "April", "May", "June", "July", "August", "September", "October", "December")
ACTORS = ("central bank", "committee", "board", "monetary council", "bank's governors")
SPLITS = (*("train",) * 8, "validation", "test")
"""By document, as 1,342, 167 and 169 are."""
SOURCE_WORDS = (7.869, 1.295)
"""Mean and deviation of the logarithm: 6,054 words on average, with a deviation of 12,639."""
TARGETS = [k**-2.07 for k in range(1, 37)]
"""How often so many newspapers write about an announcement: 2.4 on average, at most 36."""
STATEMENTS = (0.615, 0.24, 0.09, 0.035, 0.02)
"""Of one target: 1.60 on average, with a deviation of .93."""
SPANS = {
    "scope": (0.87, 0.13),
    "evidence": (0.50, 0.31, 0.12, 0.07),
    "motive": (0.79, 0.18, 0.03),
    "attribution": (0.59, 0.31, 0.075, 0.025),
}
"""How often a statement has none, one or more of a category: .21, 1.22, .39 and .87 a target."""
STANCES = 12
FAITHFUL = 0.85
"""How often a document is of the class that its stance suggests."""
EARLY = 0.6
"""The share of what matters that stands in the first sentences of a source."""


def made_up_announcements(
    classes: Sequence[Classes], documents: int = 60, seed: int = 0, share: float = 1.0
) -> list[Example]:
    """Documents with their marked targets; three splits by document. Sources have this share of the published words."""
    if not any(one.family == "act" for one in classes) or not any(one.family == "label" for one in classes):
        raise AssayError("a made-up corpus needs classes for acts and for their comments (labels)")
    lengths, counts = _strata(documents, seed, "length"), _strata(documents, seed, "targets")
    made = []
    for number in range(documents):
        draw = rng_for(seed, "announcement", number)
        topics = _topics(classes, draw)
        mean, deviation = SOURCE_WORDS
        words = round(share * math.exp(NormalDist(mean, deviation).inv_cdf(lengths[number])))
        count = 1 + _quantile(TARGETS, counts[number])
        made.append(
            Example(id=f"made-{number}", references=tuple(_target(classes, topics, draw) for _ in range(count)),
                    source=_source(classes, topics, words, draw), language="en", split=SPLITS[number % len(SPLITS)],
                    tags={"targets": str(count)})
        )  # fmt: skip
    return made


def _strata(n: int, seed: int, what: str) -> list[float]:
    """Numbers between 0 and 1, one from each of n equal parts, in random order."""
    draw = rng_for(seed, "strata", what)
    found = [(place + draw.random()) / n for place in range(n)]
    draw.shuffle(found)
    return found


def _quantile(weights: Sequence[float], share: float) -> int:
    ends = list(accumulate(weights))
    return min(bisect(ends, share * ends[-1]), len(weights) - 1)


def _topics(classes: Sequence[Classes], draw: random.Random) -> dict[str, int]:
    """The class of each evaluation that a document is about; a few stances are frequent."""
    stance = _quantile([0.7**k for k in range(STANCES)], draw.random())
    found = {}
    for one in classes:
        first = rng_for("first class", one.evaluation).randrange(len(one.classes))
        suggested = (first + stance) % len(one.classes)
        found[one.evaluation] = suggested if draw.random() < FAITHFUL else draw.randrange(len(one.classes))
    return found


def _member(one: Classes, topics: dict[str, int], draw: random.Random) -> str:
    return draw.choice(one.classes[topics[one.evaluation]])


def _source(classes: Sequence[Classes], topics: dict[str, int], words: int, draw: random.Random) -> str:
    told = [f"On the {one.annotation} it was noted: {_plain(_member(one, topics, draw))}." for one in classes]
    sentences = prose(words - sum(len(text.split()) for text in told), draw)
    for text in told:
        last = min(len(told), len(sentences)) if draw.random() < EARLY else len(sentences)
        sentences.insert(draw.randint(0, last), text)
    return f"Announcement of {draw.choice(MONTHS)} {draw.randint(1967, 2018)}. " + " ".join(sentences)


def _plain(text: str) -> str:
    return " ".join(word for word in text.split() if not word.startswith("["))


def _target(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    count = 1 + _quantile(STATEMENTS, draw.random())
    return "<sent>".join(_statement(classes, topics, draw) for _ in range(count))


def _statement(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    """One marked statement of about 77 words: what was decided, with its spans, and what stood around it."""
    parts = [
        _marked("REFERENCE", f"on {draw.choice(MONTHS)} {draw.randint(1, 28)}"),
        "the",
        _marked("ACTOR", draw.choice(ACTORS)),
        _marked("ACT", _act(classes, topics, draw)),
    ]
    for name, shares in SPANS.items():
        of_kind = [one for one in classes if one.annotation == name]
        for _ in range(_quantile(shares, draw.random()) if of_kind else 0):
            text = _member(draw.choice(of_kind), topics, draw)
            if name == "attribution" and draw.random() < 0.1:  # a comment is not for acts alone
                text += " (as told by others)"
            parts += [draw.choice((",", "and")), _marked(name.upper(), text)]
    before, *after = draw.sample(BESIDE, 2 if draw.random() < 0.63 else 3)
    said = [before, " ".join(parts), *after]
    return f"[STD_SENTENCE_START] {' '.join(f'{text} .' for text in said)} [STD_SENTENCE_END]"


def _marked(name: str, text: str) -> str:
    return f"[{name}_START] {text} [{name}_END]"


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
