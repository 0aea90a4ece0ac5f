"""Exact match: whether an answer is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from assay.errors import AssayError
from assay.metrics.answers.extraction import choice_in, is_choice, is_number, number_in
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.statistics import Dense
from assay.metrics.lexical.token_f1 import TokenF1
from assay.records.items import Items

Match = Literal["text", "auto", "number", "choice", "pattern", "verbatim"]
SQUAD = TokenF1(articles=False)
"""Normalization of SQuAD: lower case, no punctuation, no articles, single spaces."""


@dataclass(frozen=True)
class ExactMatch(MeanMetric):
    """Share of outputs that equal one of their references, after normalisation as in SQuAD. With `match=number` the
    answer is the number after a mark (`####`, `answer is`), else the last one, compared in the same unit; with `choice`
    it is a letter from A to J; with `pattern` the reference is a regular expression that has to occur."""

    match: Match = "text"
    """How answers are compared: `text`, `number`, `choice`, `pattern`, `verbatim` (spaces around it aside), or `auto`:
    by the reference of each item, a number, a choice or a text."""
    tolerance: float = 0.0
    """Largest relative difference of equal numbers."""

    name: ClassVar = "exact_match"
    category: ClassVar = "lexical"
    summary: ClassVar = "share of answers equal to a reference"
    citation: ClassVar = (
        "Rajpurkar et al. (2016), SQuAD; Cobbe et al. (2021), Training Verifiers to Solve Math Word Problems"
    )

    def __post_init__(self) -> None:
        self.require("tolerance", 0, 1)

    def parts(self) -> tuple[Part, ...]:
        return (Part("exact_match", scale=100, digits=1),)

    def statistics(self, items: Items) -> Dense:
        hits = [
            any(self.equal(output, reference, id) for reference in references)
            for output, references, id in zip(items.outputs, items.references, items.ids, strict=True)
        ]
        return self.rows({"exact_match": np.array(hits, dtype=np.float64)})

    def notes(self, items: Items) -> list[str]:
        if self.match != "text":
            return []
        numeric = sum(bool(texts) and all(map(is_number, texts)) for texts in items.references)
        if 2 * numeric < len(items) or not numeric:
            return []
        return [
            f"exact_match: the references of {numeric} of {len(items)} items are numbers, compared as texts without "
            "punctuation (3.5 equals 35); match=auto compares values"
        ]

    def equal(self, output: str, reference: str, id: str = "") -> bool:
        """Return whether an output is right by this reference."""
        how = self.match
        if how == "auto":
            how = "number" if is_number(reference) else "choice" if is_choice(reference) else "text"
        if how == "number":
            mine, theirs = number_in(output), number_in(reference)
            return mine is not None and theirs is not None and mine.agrees(theirs, self.tolerance)
        if how == "choice":
            letter = choice_in(output)
            return letter is not None and letter == reference.strip(" ()[].:*\n").upper()
        if how == "pattern":
            return _occurs(reference, output, id)
        if how == "verbatim":
            return output.strip() == reference.strip()
        return SQUAD.words(output) == SQUAD.words(reference)


def _occurs(pattern: str, text: str, id: str) -> bool:
    """Return whether a regular expression occurs in a text, in time linear in the text: without look-around."""
    import polars

    try:
        return bool(polars.Series([text]).str.contains(pattern, strict=True).item())
    except polars.exceptions.PolarsError as error:
        problem = str(error).strip().split("\n")[-1][:100]
        raise AssayError(
            f"id {id}: the reference is not a regular expression ({problem}). Correct it, or use match=text."
        ) from None
