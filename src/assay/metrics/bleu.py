"""BLEU: clipped n-gram precision with a brevity penalty, by sacrebleu and with its signature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from assay.metrics.base import Part, SumMetric, Values
from assay.metrics.rows import Dense, Floats
from assay.metrics.sacre import extract, sacrebleu_signature
from assay.records import Items

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU

COLUMNS = ("output_length", "reference_length", *(f"correct{n}" for n in "1234"), *(f"total{n}" for n in "1234"))


@dataclass(frozen=True)
class Bleu(SumMetric):
    """Corpus BLEU. The value of one example is its sentence BLEU with effective order."""

    lowercase: bool = False
    tokenizer: Literal["13a", "intl", "char", "zh", "none"] = "13a"
    smoothing: Literal["exp", "floor", "add-k", "none"] = "exp"
    effective_order: bool = False

    name: ClassVar = "bleu"
    category: ClassVar = "lexical"
    summary: ClassVar = "n-gram precision against the references, with a penalty for brevity"
    citation: ClassVar = "Papineni et al. (2002); Post (2018), A Call for Clarity in Reporting BLEU Scores"
    presets: ClassVar = {"gem": {"lowercase": True}}

    def parts(self) -> tuple[Part, ...]:
        return (Part("bleu", digits=1, bounds=(0.0, 100.0)),)

    def statistics(self, items: Items) -> Dense:
        return Dense(COLUMNS, extract(self._sacrebleu(), items))

    def values(self, sums: Floats) -> Values:
        return {"bleu": self._scores(sums, self.effective_order)}

    def per_example(self, rows: object) -> Values:
        assert isinstance(rows, Dense)
        return {"bleu": self._scores(rows.values, True)}

    def _scores(self, sums: Floats, effective_order: bool) -> Floats:
        scorer = self._sacrebleu()
        return np.array(
            [
                scorer.compute_bleu(
                    correct=row[2:6].tolist(),
                    total=row[6:10].tolist(),
                    sys_len=int(row[0]),
                    ref_len=int(row[1]),
                    smooth_method=self.smoothing,
                    effective_order=effective_order,
                ).score
                for row in sums
            ]
        )

    def signature(self, nrefs: str) -> str:
        return sacrebleu_signature(self._sacrebleu(), nrefs)

    def _sacrebleu(self) -> BLEU:
        from sacrebleu.metrics.bleu import BLEU

        return BLEU(
            lowercase=self.lowercase,
            force=True,  # its warning about tokenized input is ours to give
            tokenize=self.tokenizer,
            smooth_method=self.smoothing,
            effective_order=self.effective_order,
        )
