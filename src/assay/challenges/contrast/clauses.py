"""Estimate the number of clauses of a source from its words, without a parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from assay.challenges.contrast.base import Contrast, Tags, each
from assay.records.types import Example

SUBORDINATE = re.compile(
    r"\b(?:because|although|though|while|whereas|unless|until|since|if|whether|before|after|when|whenever|wherever|once)\b"
    r"|\b(?:who|whom|whose|which|where)\b|,\s+that\b|\b\w+ that (?:the|a|an|he|she|it|they|we|i|you)\b",
    re.IGNORECASE,
)
COORDINATED = re.compile(r"(?:,\s+|;\s*)(?:and|but|or|nor|so|yet)\b|\b(?:but|yet)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Clauses(Contrast):
    """English only, and rough: `before` may be a preposition, a clause may have no introductory word, and two nouns
    joined by a comma and `and` count as two clauses. It is not comparable with a D-level."""

    name: ClassVar = "clauses"
    about: ClassVar = "estimated number of clauses of the source, from conjunctions and relative words only"
    gives: ClassVar = "clauses: simple, coordinated, subordinate, several"

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        return each(examples, lambda example: {"clauses": clauses(example.source)} if example.source else {})


def clauses(text: str) -> str:
    """Return the estimated sentence type of a text."""
    subordinate, coordinated = len(SUBORDINATE.findall(text)), len(COORDINATED.findall(text))
    if subordinate + coordinated > 1:
        return "several"
    return "subordinate" if subordinate else "coordinated" if coordinated else "simple"
