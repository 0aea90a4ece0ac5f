"""TER: edits with block shifts over reference length; same values as sacrebleu, except with `normalized`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from msgspec.structs import replace as replace_struct

from assay.metrics._kernels import ter as kernel
from assay.metrics.engine.base import Part, SumMetric, Values, version_of
from assay.metrics.engine.layout import words
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.lexical.sacrebleu_signature import sacrebleu_signature
from assay.records.items import Items
from assay.text.tercom import tercom_text


@dataclass(frozen=True)
class Ter(SumMetric):
    """Edits over reference length, in percent. With several references: the edits to the closest one over the mean
    reference length."""

    case_sensitive: bool = False
    """Keep case (default: lower-case all texts)."""
    normalized: bool = False
    """Separate punctuation from words and resolve entities. Values differ from sacrebleu: see `references_twice`."""
    no_punct: bool = False
    """Remove punctuation."""
    asian_support: bool = False
    """Split Chinese and Japanese into characters (with `normalized`), remove their punctuation (with `no_punct`)."""
    references_twice: bool = False
    """With `normalized`: normalise references twice and outputs once, as sacrebleu does."""

    name: ClassVar = "ter"
    category: ClassVar = "lexical"
    summary: ClassVar = "edits, including block shifts, that turn the output into a reference"
    citation: ClassVar = "Snover et al. (2006), A Study of Translation Edit Rate with Targeted Human Annotation"
    presets: ClassVar = {
        "sacrebleu": {"normalized": True, "references_twice": True},
        "gem": {"normalized": True},
    }

    def parts(self) -> tuple[Part, ...]:
        return (Part("ter", "lower", digits=1, bounds=(0.0, None)),)

    def columns(self) -> tuple[str, ...]:
        return "edits", "reference_length"

    def statistics(self, items: Items) -> Dense:
        if self.normalized or self.no_punct:
            examples = tuple(
                replace_struct(example, references=tuple(map(self._clean_reference, example.references)))
                for example in items.examples
            )
            items = replace(items, outputs=tuple(map(self._clean, items.outputs)), examples=examples)
        layout = words(items, "none", not self.case_sensitive)
        return Dense(self.columns(), kernel.ter(layout.ids, layout.starts, layout.first))

    def values(self, sums: Floats) -> Values:
        done, length = sums[:, 0], sums[:, 1]
        return {"ter": 100 * np.where(length > 0, divide(done, length), done > 0)}

    def signature(self, nrefs: str) -> str:
        return sacrebleu_signature(
            self.name,
            nrefs,
            version_of(type(self)),
            case="mixed" if self.case_sensitive else "lc",
            tok="tercom",
            norm="once" if self.normalized and not self.references_twice else self.normalized,
            punct=not self.no_punct,
            asian=self.asian_support,
        )

    def _clean_reference(self, text: str) -> str:
        once = self._clean(text)
        return self._clean(once) if self.references_twice else once

    def _clean(self, text: str) -> str:
        return tercom_text(text, not self.case_sensitive, self.normalized, self.no_punct, self.asian_support)
