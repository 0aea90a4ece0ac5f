"""abstention: does a system decline where the question cannot be answered, and only there?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.metrics.answers.refusal import is_refusal
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.records.items import Items
from assay.records.types import ANSWERABLE, NO, YES

COLUMNS = ("declined", "unanswerable", "refused", "answerable")


@dataclass(frozen=True)
class Abstention(SumMetric):
    """`abstention`: share of the outputs for unanswerable questions that decline to answer, by the phrases of
    `refusal`. `abstention.needless`: share of the outputs for answerable questions that decline. The tag `answerable`
    of each example says which questions are which: `false` (no, 0) or `true` (yes, 1)."""

    name: ClassVar = "abstention"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of unanswerable questions that are declined, and of answerable ones"
    needs: ClassVar = ()
    citation: ClassVar = "Rajpurkar et al. (2018), Know What You Don't Know: Unanswerable Questions for SQuAD"

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("abstention", scale=100, digits=1),
            Part("abstention.needless", better="lower", scale=100, digits=1),
        )

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def unfit(self, items: Items) -> str | None:
        for example in items.examples:
            tag = example.tags.get(ANSWERABLE, "").lower()
            if tag not in NO | YES:
                return f"needs the tag {ANSWERABLE}, true or false, of every item; id {example.id} has {tag or 'none'}"
        return None

    def statistics(self, items: Items) -> Dense:
        rows = []
        for output, example in zip(items.outputs, items.examples, strict=True):
            declined, no = is_refusal(output), example.tags.get(ANSWERABLE, "").lower() in NO
            rows.append((declined and no, no, declined and not no, not no))
        return Dense(COLUMNS, np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS)))

    def values(self, sums: Floats) -> Values:
        declined, unanswerable, refused, answerable = sums.T
        return {"abstention": divide(declined, unanswerable), "abstention.needless": divide(refused, answerable)}

    def undefined(self, part: str) -> str:
        return "no question is unanswerable" if part == "abstention" else "no question is answerable"
