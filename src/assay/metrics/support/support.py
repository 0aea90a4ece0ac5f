"""support: share of the sentences of outputs that their contexts or sources support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.support.checker import Checked, check, signed, why_not
from assay.metrics.support.evidence import sources_instead, texts_of
from assay.metrics.support.languages import not_english
from assay.metrics.support.splitting import SENTENCES, signed_split, why_not_split
from assay.models.context import Context
from assay.records.items import Items

COLUMNS = ("supported", "contradicted", "probability", "sentences", "worst", "items")


@dataclass(frozen=True)
class Support(SumMetric):
    """Share of the sentences of all outputs that the contexts of their items support, or the sources of items without
    contexts. Each sentence is compared with the three sentences of evidence that share most rare words with it: numbers
    with units, names, dates, roles, negation, hedges and missing words. Questions, greetings and headings are left out.

    `support.probability` is the mean probability of support, `support.worst` the mean over outputs of the lowest one,
    `support.contradicted` the share of sentences that contradict their evidence. The signature has the digest of the
    fitted `weights`.
    """

    checker: str = "assay"
    """What decides: `assay` (rules, no model), `assay-nli` (rules and the entailment model that ships with assay), or a
    metric: `minicheck`, `alignscore`, `lettucedetect`, `hhem`, `factcc`, `nli`, `faithful`, `judge`."""
    claims: str = SENTENCES
    """What is checked: `sentences`, `clauses` (split by rule), or `chat:MODEL` (claims that a chat model writes)."""

    name: ClassVar = "support"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of sentences that contexts or source support"
    citation: ClassVar = (
        "weights of assay's own, fitted on planted edits and SummEdits (Laban et al., 2023, LLMs as Factual Reasoners)"
    )
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("support", digits=3),
            Part("support.probability", digits=3, shown=False),
            Part("support.worst", digits=3, shown=False),
            Part("support.contradicted", better="lower", digits=3, shown=False),
        )

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def options(self) -> dict[str, Any]:
        return super().options() | signed(self.checker) | {"claims": signed_split(self.claims)}

    def why_not(self) -> str | None:
        try:
            return why_not(self.checker) or why_not_split(self.claims)
        except AssayError as error:
            return str(error)

    def unfit(self, items: Items) -> str | None:
        if not all(texts_of(example) for example in items.examples):
            return "needs contexts or sources, and some items have neither"
        return not_english(items)

    def compute(self, items: Items, context: Context) -> Dense:
        rows = [_row(sentences) for sentences in check(items, self.checker, context, self.claims)]
        return Dense(COLUMNS, np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS)))

    def values(self, sums: Floats) -> Values:
        supported, contradicted, probability, count, worst, items = sums.T
        return {
            "support": divide(supported, count),
            "support.probability": divide(probability, count),
            "support.worst": divide(worst, items),
            "support.contradicted": divide(contradicted, count),
        }

    def notes(self, items: Items) -> list[str]:
        return sources_instead(items.examples)

    def undefined(self, part: str) -> str:
        return "no output has a sentence that can be checked"


def _row(sentences: list[Checked]) -> tuple[float, ...]:
    values = [one.probability for one in sentences if one.probability is not None]
    supported = sum(one.verdict == "supported" for one in sentences)
    contradicted = sum(one.verdict == "contradicted" for one in sentences)
    return (supported, contradicted, sum(values), len(values), min(values, default=0.0), float(bool(values)))
