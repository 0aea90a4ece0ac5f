"""Dependency arcs of the output that the parse of the source contains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.metrics.faithfulness.parsed_metric import ParsedMetric, lemma
from assay.text.parsers import Parsed

OPEN = frozenset("NOUN PROPN VERB ADJ ADV NUM".split())
"""Parts of speech of content words; arcs to other words occur in every text."""


@dataclass(frozen=True)
class Arcs(ParsedMetric):
    """Share of the dependency arcs between content words of the outputs that the parses of their sources contain.

    An arc is supported if the source has an arc between the same two lemmas. The share is computed over all arcs of all
    outputs; an output without arcs is left out.
    """

    relation: Literal["any", "same"] = "any"
    """Match of the arcs: any relation in either direction, or the same relation and direction."""

    name: ClassVar = "arcs"
    summary: ClassVar = "share of the output's dependency arcs that the source contains"
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
