"""Features of a claim and its evidence, from which the probability of support is computed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from assay.metrics.support.claims import Sentence, is_checkable, sentences
from assay.metrics.support.evidence import Document, Evidence
from assay.metrics.support.signs import Signs, find_signs
from assay.text.quantities import Quantity

SIGNS = (
    "number", "number_elsewhere", "name", "name_replaced", "name_elsewhere", "date", "roles", "negation", "opposite",
    "hedge", "stronger", "negation_loose", "hedge_loose",
)  # fmt: skip
WORDS = ("missing", "missing_document", "apart", "order", "long", *SIGNS)
"""Features: weight of words that evidence and document lack, neighbours that are never in one
sentence of the document, words out of order, length, and signs."""
FAR = 0.7
"""Weight of missing words above which a claim may be about something else than the document."""
LONG = 40
MOST = 2.0
"""Largest value of a sign: a second wrong number adds to the first, a tenth does not."""


class Claim(NamedTuple):
    """A sentence of an output with its evidence, best first, and its features."""

    sentence: Sentence
    evidence: list[Evidence]
    signs: Signs
    features: dict[str, float]
    checkable: bool


def read_claims(output: str, document: Document) -> list[Claim]:
    """Return the sentences of an output with evidence and features."""
    return [read_claim(one, document) for one in sentences(output)]


def read_claim(sentence: Sentence, document: Document) -> Claim:
    evidence = document.nearest(sentence)
    signs = find_signs(sentence, evidence, document)
    near = frozenset(word for one in evidence for word in one.sentence.content) | signs.same
    near |= _counted(sentence, [number for one in evidence for number in one.sentence.numbers])
    words = sentence.content
    missing = document.missing(sentence, signs.same.union(document.where) | _counted(sentence, document.numbers))
    features = {
        "missing": document.missing(sentence, near),
        "missing_document": missing,
        "far": max(0.0, missing - FAR) / (1 - FAR),
        "apart": _apart(words, document),
        "order": 1 - _in_order(words, evidence[0].sentence.content) if evidence and words else 1.0,
        "long": min(len(sentence.tokens), LONG) / LONG,
        **{name: min(signs.values.get(name, 0.0), MOST) for name in SIGNS},
    }
    return Claim(sentence, evidence, signs, features, is_checkable(sentence))


def _counted(sentence: Sentence, numbers: Sequence[Quantity]) -> frozenset[str]:
    """Return the words of the quantities of a claim that are among others, however they are written."""
    known = [one for one in sentence.numbers if any(one.agrees(other) for other in numbers)]
    return frozenset(token.form for one in known for token in sentence.tokens if one.start <= token.start < one.end)


def _apart(words: Sequence[str], document: Document) -> float:
    """Return the share of neighbouring content words that no sentence of the document has together."""
    pairs = list(pairwise(words))
    if not pairs:
        return 0.0
    never = sum(
        pair not in document.pairs and not set(document.where.get(pair[0], ())) & set(document.where.get(pair[1], ()))
        for pair in pairs
    )
    return never / len(pairs)


def _in_order(words: Sequence[str], other: Sequence[str]) -> float:
    """Return the longest common subsequence with the best evidence as a share of the claim."""
    row = [0] * (len(other) + 1)
    for word in words[:100]:
        before = 0
        for k, each in enumerate(other[:200], 1):
            above = row[k]
            row[k] = before + 1 if word == each else max(above, row[k - 1])
            before = above
    return max(row) / len(words) if words else 0.0
