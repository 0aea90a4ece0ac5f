"""A synthetic corpus with the proportions of FOMC: announcements, and marked news sentences with members of classes.

The topic of a document mostly determines the classes of the members in its source and targets (often different
members), and some members are frequent. A model can therefore exceed the chance level by frequency, by the
words before a span, and by reading the source.

Lengths of sources and numbers of targets are sampled in strata, so that small corpora have the published means, too.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from statistics import NormalDist

from assay.datasets.equivalence_classes import Classes
from assay.datasets.synthetic_prose import CONNECTED, SURROUNDING, agree, fact, prose
from assay.errors import AssayError
from assay.records.types import Example
from assay.seeds import rng_for

MONTHS = ("January", "March", "April", "May", "June", "July", "August", "September", "October", "December")
ACTORS = ("central bank", "committee", "board", "monetary council", "bank's governors")
SPLITS = (*("train",) * 8, "validation", "test")
"""Splits by document, in the proportions of 1,342, 167 and 169."""
SOURCE_WORDS = (7.869, 1.295)
"""Mean and standard deviation of the logarithm: 6,054 words on average, standard deviation 12,639."""
TARGETS = [k**-2.07 for k in range(1, 37)]
"""Weights of the number of newspapers per announcement: 2.4 on average, at most 36."""
STATEMENTS = (0.615, 0.24, 0.09, 0.035, 0.02)
"""Probabilities of the number of statements per target: 1.60 on average, standard deviation .93."""
SPANS = {
    "scope": (0.87, 0.13),
    "evidence": (0.50, 0.31, 0.12, 0.07),
    "motive": (0.79, 0.18, 0.03),
    "attribution": (0.59, 0.31, 0.075, 0.025),
}
"""Probabilities of zero, one or more spans of a category per statement: .21, 1.22, .39 and .87 per target."""
STANCES = 12
FAITHFUL = 0.85
"""Probability that a document has the class of its stance."""
EARLY = 0.6
"""Share of the relevant sentences at the start of a source."""


def synthetic_announcements(
    classes: Sequence[Classes], documents: int = 60, seed: int = 0, share: float = 1.0
) -> list[Example]:
    """Return documents with marked targets, in three splits; `share` is the relative length of sources."""
    if not any(one.family == "act" for one in classes) or not any(one.family == "label" for one in classes):
        raise AssayError("a synthetic corpus needs classes for acts and for their comments (labels)")
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
    """Return numbers between 0 and 1, one from each of n equal intervals, in random order."""
    draw = rng_for(seed, "strata", what)
    values = [(place + draw.random()) / n for place in range(n)]
    draw.shuffle(values)
    return values


def _quantile(weights: Sequence[float], share: float) -> int:
    ends = list(accumulate(weights))
    return min(bisect(ends, share * ends[-1]), len(weights) - 1)


def _topics(classes: Sequence[Classes], draw: random.Random) -> dict[str, int]:
    """Return the class of each evaluation for a document; a few stances are frequent."""
    stance = _quantile([0.7**k for k in range(STANCES)], draw.random())
    topics = {}
    for one in classes:
        first = rng_for("first class", one.evaluation).randrange(len(one.classes))
        suggested = (first + stance) % len(one.classes)
        topics[one.evaluation] = suggested if draw.random() < FAITHFUL else draw.randrange(len(one.classes))
    return topics


def _member(one: Classes, topics: dict[str, int], draw: random.Random) -> str:
    return draw.choice(one.classes[topics[one.evaluation]])


def _source(classes: Sequence[Classes], topics: dict[str, int], words: int, draw: random.Random) -> str:
    facts = _facts(classes, topics, draw)
    sentences = prose(words - sum(len(text.split()) for text in facts), draw)
    for text in facts:
        last = min(len(facts), len(sentences)) if draw.random() < EARLY else len(sentences)
        sentences.insert(draw.randint(0, last), text)
    return f"Announcement of {draw.choice(MONTHS)} {draw.randint(1967, 2018)}. " + " ".join(sentences)


def _facts(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> list[str]:
    """Return a sentence for the act and its comment, and one for each other evaluation."""
    act = _member(draw.choice([one for one in classes if one.family == "act"]), topics, draw)
    comment = _comment(classes, topics, act, draw)
    facts = [fact("act", _plain(act), draw)]
    facts += [fact("label", _plain(comment), draw)] if comment else []
    others = [one for one in classes if one.annotation != "act"]
    return facts + [fact(one.annotation, _plain(_member(one, topics, draw)), draw) for one in others]


def _plain(text: str) -> str:
    return " ".join(word for word in text.split() if not word.startswith("["))


def _target(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    count = 1 + _quantile(STATEMENTS, draw.random())
    return "<sent>".join(_statement(classes, topics, draw) for _ in range(count))


def _statement(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    """Return one marked statement of about 77 words: the decision with its spans, and surrounding sentences."""
    parts = [
        _marked("REFERENCE", f"on {draw.choice(MONTHS)} {draw.randint(1, 28)}"),
        "the",
        _marked("ACTOR", draw.choice(ACTORS)),
        _marked("ACT", _act(classes, topics, draw)),
    ]
    for name, shares in SPANS.items():
        of_kind = [one for one in classes if one.annotation == name]
        stated: list[str] = []
        for _ in range(_quantile(shares, draw.random()) if of_kind else 0):
            text = _member(draw.choice(of_kind), topics, draw)
            if name == "attribution" and draw.random() < 0.1:  # comments are not limited to acts
                text += " (as told by others)"
            parts += [CONNECTED[name] if not stated else "and", _marked(name.upper(), text)]
            stated.append(text)
    before, *after = draw.sample(SURROUNDING, 2 if draw.random() < 0.63 else 3)
    texts = [before, " ".join(parts), *after]
    return f"[STD_SENTENCE_START] {' '.join(f'{text} .' for text in texts)} [STD_SENTENCE_END]"


def _marked(name: str, text: str) -> str:
    return f"[{name}_START] {text} [{name}_END]"


def _act(classes: Sequence[Classes], topics: dict[str, int], draw: random.Random) -> str:
    """Return an act with its comment, sometimes without one, sometimes one that includes its own."""
    together = [one for one in classes if one.annotation == "act" and one.family == "whole"]
    if together and draw.random() < 0.2:
        return _member(draw.choice(together), topics, draw)
    act = _member(draw.choice([one for one in classes if one.family == "act"]), topics, draw)
    comment = "" if draw.random() < 0.1 else _comment(classes, topics, act, draw)
    return f"{act} ({comment})" if comment else act


def _comment(classes: Sequence[Classes], topics: dict[str, int], act: str, draw: random.Random) -> str:
    """Return a comment that does not contradict the act: of the class of the document, else of another; or none."""
    labels = [one for one in classes if one.family == "label"]
    for one in draw.sample(labels, len(labels)):
        for members in (one.classes[topics[one.evaluation]], [text for each in one.classes for text in each]):
            if fitting := [text for text in members if agree(act, text)]:
                return draw.choice(fitting)
    return ""
