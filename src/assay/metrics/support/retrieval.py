"""retrieval: precision, recall and rank of the contexts of each item, against references or judged relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.support.citations import supports
from assay.metrics.support.claims import is_checkable, sentences
from assay.metrics.support.languages import not_english
from assay.metrics.support.weights import read_weights
from assay.records.items import Items
from assay.records.types import Example, Passage
from assay.text.english import without_articles

COLUMNS = ("relevant", "contexts", "covered", "wanted", "rank", "items")
TAG = "relevant"


@dataclass(frozen=True)
class Retrieval(SumMetric):
    """Relevance of the contexts that were retrieved for each item; the outputs do not count.

    `retrieval.precision`: share of all contexts that are relevant. `retrieval.recall`: share of what is wanted that the
    contexts have. `retrieval.rank`: mean reciprocal rank of the first relevant context, 0 if there is none. Items
    without anything wanted do not count. Against references, the signature has the digest of the fitted `weights` of
    `support`.
    """

    relevance: Literal["references", "judged"] = "references"
    """`references`: a context is relevant if it supports a sentence of a reference, or contains a reference that is too
    short to check; wanted are the sentences of the best covered reference. `judged`: the tag `relevant` of an example
    has the ids of all relevant contexts, separated by commas, retrieved or not; wanted are these."""

    name: ClassVar = "retrieval"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "precision, recall and rank of the retrieved contexts"
    citation: ClassVar = "Es et al. (2024), RAGAs (context precision and recall; decided here by rules)"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(f"retrieval.{name}", digits=3) for name in ("precision", "recall", "rank"))

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def options(self) -> dict[str, Any]:
        return super().options() | ({"weights": read_weights().digest} if self.relevance == "references" else {})

    def unfit(self, items: Items) -> str | None:
        if not any(example.contexts for example in items.examples):
            return "needs contexts, and no item has any"
        if self.relevance == "judged":
            tagged = any(TAG in example.tags for example in items.examples)
            return None if tagged else f"needs the tag {TAG} with ids of contexts, and no item has it"
        if not any(example.references for example in items.examples):
            return "needs references, or relevance=judged"
        return not_english(items)

    def statistics(self, items: Items) -> Dense:
        row = _judged if self.relevance == "judged" else _against_references
        rows = [row(example) for example in items.examples]
        return Dense(COLUMNS, np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS)))

    def values(self, sums: Floats) -> Values:
        relevant, contexts, covered, wanted, rank, items = sums.T
        return {
            "retrieval.precision": divide(relevant, contexts),
            "retrieval.recall": divide(covered, wanted),
            "retrieval.rank": divide(rank, items),
        }

    def undefined(self, part: str) -> str:
        return "no item has contexts and something wanted"


def _judged(example: Example) -> tuple[float, ...]:
    wanted = {id.strip() for id in example.tags.get(TAG, "").split(",")} - {""}
    hits = [one.id in wanted for one in example.contexts]
    return _row(hits, len({one.id for one in example.contexts} & wanted), len(wanted))


def _against_references(example: Example) -> tuple[float, ...]:
    hits = [False] * len(example.contexts)
    best: tuple[int, int] = (0, 0)
    for reference in example.references:
        claims = [one.text for one in sentences(reference) if is_checkable(one)]
        if claims:
            for i, one in enumerate(example.contexts):
                hits[i] |= any(supports((one,), claim) for claim in claims)
            covered = sum(supports(example.contexts, claim) for claim in claims) if example.contexts else 0
            own = (covered, len(claims))
        else:
            contained = [_contains(one, reference) for one in example.contexts]
            hits = [a or b for a, b in zip(hits, contained, strict=True)]
            own = (int(any(contained)), int(bool(without_articles(reference))))
        if own[1] and (not best[1] or own[0] * best[1] > best[0] * own[1]):
            best = own
    return _row(hits, *best)


def _contains(passage: Passage, answer: str) -> bool:
    words = without_articles(answer)
    return bool(words) and f" {words} " in f" {without_articles(passage.text)} "


def _row(hits: list[bool], covered: int, wanted: int) -> tuple[float, ...]:
    if not wanted:
        return (0.0,) * len(COLUMNS)
    rank = 1 / (hits.index(True) + 1) if any(hits) else 0.0
    return float(sum(hits)), float(len(hits)), float(covered), float(wanted), rank, 1.0
