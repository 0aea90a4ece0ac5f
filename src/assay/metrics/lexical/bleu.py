"""BLEU: clipped n-gram precision with a brevity penalty; same values and signature as sacrebleu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.metrics._kernels import grams
from assay.metrics.engine.base import MeanMetric, Part, SumMetric, Values, version_of
from assay.metrics.engine.layout import words
from assay.metrics.engine.statistics import Dense, Floats, Rows
from assay.metrics.lexical.sacrebleu_signature import sacrebleu_signature
from assay.records.items import Items

COLUMNS = ("output_length", "reference_length", *(f"correct{n}" for n in "1234"), *(f"total{n}" for n in "1234"))
ORDER = 4
NEVER = -9999999999.0
"""Replaces the logarithm of a precision of zero; makes the score zero."""
DEFAULT_VALUE = {"floor": 0.1, "add-k": 1.0, "exp": 0.0, "none": 0.0}
SPACELESS_LANGUAGES = {"zh": "zh", "ja": "char", "th": "char", "lo": "char", "km": "char", "my": "char"}

Tokenizer = Literal["13a", "intl", "char", "zh", "none", "ja-mecab", "ko-mecab"]
Smoothing = Literal["exp", "floor", "add-k", "none"]


@dataclass(frozen=True)
class Bleu(SumMetric):
    """Corpus BLEU. The per-example value is sentence BLEU with effective order."""

    lowercase: bool = False
    """Lower-case outputs and references."""
    tokenizer: Tokenizer = "13a"
    """Tokenizer, as in sacrebleu."""
    smoothing: Smoothing = "exp"
    """Smoothing of n-gram orders without a match, as in sacrebleu."""
    smooth_value: float | None = None
    """Smoothing value for `floor` and `add-k`; none is 0.1 and 1."""
    effective_order: bool = False
    """Ignore n-gram orders for which the output is too short."""

    name: ClassVar = "bleu"
    category: ClassVar = "lexical"
    summary: ClassVar = "n-gram precision against the references, with a brevity penalty"
    citation: ClassVar = "Papineni et al. (2002); Post (2018), A Call for Clarity in Reporting BLEU Scores"
    presets: ClassVar = {"gem": {"lowercase": True}, "easse": {"lowercase": True}}

    def __post_init__(self) -> None:
        self.require("smooth_value", 0, 1000)

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("bleu", digits=1, bounds=(0.0, 100.0)),
            *(Part(f"bleu.precision{n}", shown=False, digits=1, bounds=(0.0, 100.0)) for n in range(1, ORDER + 1)),
            Part("bleu.brevity", shown=False, digits=3),
        )

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def statistics(self, items: Items) -> Dense:
        return Dense(self.columns(), bleu_statistics(items, self.tokenizer, self.lowercase))

    def statistics_key(self) -> str:
        return f"bleu|tokenizer:{self.tokenizer}|lowercase:{self.lowercase}|version:{version_of(type(self))}"

    def values(self, sums: Floats) -> Values:
        return self._values(sums, self.effective_order)

    def per_example(self, rows: Rows) -> Values:
        return {"bleu": self._values(self.summands(rows), True)["bleu"]}

    def _values(self, sums: Floats, effective_order: bool) -> Values:
        value = DEFAULT_VALUE[self.smoothing] if self.smooth_value is None else self.smooth_value
        scores, precisions, brevity = bleu_scores(sums, self.smoothing, value, effective_order)
        parts = {f"bleu.precision{n + 1}": precisions[:, n] for n in range(ORDER)}
        return {"bleu": scores, **parts, "bleu.brevity": brevity}

    def signature(self, nrefs: str) -> str:
        smooth: str = self.smoothing
        if smooth in ("floor", "add-k"):
            value = DEFAULT_VALUE[smooth] if self.smooth_value is None else self.smooth_value
            # two digits, as in sacrebleu, unless that would round the value
            smooth += f"[{value:.2f}]" if float(f"{value:.2f}") == value else f"[{value}]"
        return sacrebleu_signature(
            self.name,
            nrefs,
            version_of(type(self)),
            case="lc" if self.lowercase else "mixed",
            eff=self.effective_order,
            tok=self.tokenizer,
            smooth=smooth,
        )

    def notes(self, items: Items) -> list[str]:
        notes = []
        languages = {(language or "").split("-")[0].lower() for language in set(items.languages)}
        for language in sorted(languages & SPACELESS_LANGUAGES.keys()):
            if self.tokenizer in ("13a", "none"):
                notes.append(
                    f"bleu: {language} is written without spaces, but tokenizer {self.tokenizer} splits at spaces; "
                    f"use bleu:tokenizer={SPACELESS_LANGUAGES[language]}"
                )
        return notes


@dataclass(frozen=True)
class SentenceBleu(MeanMetric):
    """Mean of the sentence BLEU of all items. It is not corpus BLEU."""

    lowercase: bool = False
    """Lower-case outputs and references."""
    tokenizer: Tokenizer = "13a"
    """Tokenizer, as in sacrebleu."""
    smoothing: Smoothing = "exp"
    """Smoothing of n-gram orders without a match, as in sacrebleu."""
    effective_order: bool = True
    """Ignore n-gram orders for which the output is too short."""

    name: ClassVar = "sentence_bleu"
    category: ClassVar = "lexical"
    summary: ClassVar = "mean sentence BLEU (not corpus BLEU)"
    citation: ClassVar = "Chen and Cherry (2014); Post (2018)"

    def parts(self) -> tuple[Part, ...]:
        return (Part("sentence_bleu", digits=1, bounds=(0.0, 100.0)),)

    def statistics(self, items: Items) -> Dense:
        sums = bleu_statistics(items, self.tokenizer, self.lowercase)
        value = DEFAULT_VALUE[self.smoothing]
        return self.rows({"sentence_bleu": bleu_scores(sums, self.smoothing, value, self.effective_order)[0]})

    def signature(self, nrefs: str) -> str:
        whole = Bleu(self.lowercase, self.tokenizer, self.smoothing, None, self.effective_order)
        return f"{self.name}|mean:sentences|{whole.signature(nrefs).removeprefix('bleu|')}"

    def notes(self, items: Items) -> list[str]:
        return ["sentence_bleu: mean of sentence scores; published BLEU is corpus BLEU (bleu)"]


def bleu_statistics(items: Items, tokenizer: str, lowercase: bool) -> Floats:
    """Return lengths, matches and n-gram counts of each item, with the columns `COLUMNS`."""
    layout = words(items, tokenizer, lowercase)
    return grams.bleu(layout.ids, layout.starts, layout.first, ORDER).astype(np.float64)


def bleu_scores(sums: Floats, smoothing: str, value: float, effective_order: bool) -> tuple[Floats, Floats, Floats]:
    """Return BLEU, precisions (in percent) and brevity penalty from rows of summed statistics."""
    columns = sums.T.copy()  # contiguous columns: all operations below are column-wise
    length, reference = columns[:2]
    correct, total = columns[2 : 2 + ORDER], columns[2 + ORDER :]
    if smoothing == "add-k":
        correct[1:] += value
        total[1:] += value
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        brevity = np.where(length < reference, np.exp(1 - reference / length), 1.0)
        if correct.min(initial=1.0) > 0 and total.min(initial=1.0) > 0:  # the usual case: nothing to smooth
            precisions = 100.0 * correct / total
            return brevity * np.exp(np.log(precisions).sum(axis=0) / ORDER), precisions.T, brevity
        nothing = ~sums[:, 2 : 2 + ORDER].any(axis=1)
        brevity[(length <= 0) & (reference > 0)] = 0.0
        alive = np.logical_and.accumulate(total > 0)  # orders after the first empty one do not count
        missed = alive & (correct == 0)
        if smoothing == "exp" and missed.any():
            correct = np.where(missed, np.exp2(-np.cumsum(missed, axis=0)), correct)
        elif smoothing == "floor":
            correct = np.where(missed, value, correct)
        precisions = np.where(alive, 100.0 * correct / total, 0.0)
        logs = np.where(precisions > 0, np.log(precisions), NEVER)
        orders = np.full(len(sums), ORDER)
        if effective_order:
            # An empty output is scored with all orders, as in sacrebleu.
            orders = np.where(alive[0], alive.sum(axis=0), ORDER)
            logs[np.arange(ORDER)[:, None] >= orders] = 0.0
        scores = brevity * np.exp(logs.sum(axis=0) / orders)
    precisions[:, nothing] = 0.0
    return np.where(nothing, 0.0, scores), precisions.T, brevity
