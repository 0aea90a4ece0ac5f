"""Dependency arcs: which word of the output depends on which, and whether the source says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.metrics.faithfulness.parsed_metric import Parsed, ParsedMetric, lemma

OPEN = frozenset("NOUN PROPN VERB ADJ ADV NUM".split())
"""Words that say something; arcs to others (articles, marks, auxiliaries) are in every text."""


@dataclass(frozen=True)
class Arcs(ParsedMetric):
    """The share of the arcs between content words of the outputs' parses that their sources' parses have too: the
    same two lemmas, one depending on the other. Over all arcs of all outputs; an output without one counts nothing."""

    relation: Literal["any", "same"] = "any"
    """Whether the arc must have the same relation, or any (and either direction)."""

    name: ClassVar = "arcs"
    summary: ClassVar = "share of the output's dependency arcs that its source has"
    citation: ClassVar = (
        "Goyal and Durrett (2020), Evaluating Factuality in Generation with Dependency-level Entailment"
    )

    def facts(self, parsed: Parsed) -> Iterator[tuple[str, ...]]:
        for sentence in parsed:
            words = {token.id: token for token in sentence.tokens}
            for token in sentence.tokens:
                head = words.get(token.head)
                if head is None or token.upos not in OPEN or head.upos not in OPEN:
                    continue
                ours, theirs = lemma(head), lemma(token)
                yield (ours, token.relation, theirs) if self.relation == "same" else tuple(sorted((ours, theirs)))

    def undefined(self, part: str) -> str:
        return "no output has an arc between content words"
