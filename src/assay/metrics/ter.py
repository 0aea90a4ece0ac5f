"""TER: how many words must be changed, added, removed or moved; sacrebleu's numbers and signature."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from msgspec.structs import replace as replace_struct

from assay.metrics._kernels import ter as kernel
from assay.metrics.base import Part, SumMetric, Values
from assay.metrics.layout import words
from assay.metrics.sacrebleu_signature import sacrebleu_signature
from assay.metrics.statistics import Dense, Floats, divide
from assay.records.items import Items

CJK_PUNCTUATION = r"[\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb]"
WIDE_PUNCTUATION = r"[\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09]"
CJK = (
    r"[\u4e00-\u9fff\u3400-\u4dbf]",
    r"[\u31c0-\u31ef\u2e80-\u2eff]",
    r"[\u3300-\u33ff\uf900-\ufaff\ufe30-\ufe4f]",
    r"[\u3200-\u3f22]",
)
KANA = (r"\u3040-\u309f", r"\u30a0-\u30ff", r"\u31f0-\u31ff")


@dataclass(frozen=True)
class Ter(SumMetric):
    """Edits over reference words, in percent; lower is better. Against several references: the closest one's edits
    over the mean length."""

    case_sensitive: bool = False
    normalized: bool = False
    """Split punctuation off words and resolve entities."""
    no_punct: bool = False
    asian_support: bool = False
    """Split Chinese and Japanese into characters (with `normalized`), drop their punctuation (with `no_punct`)."""

    name: ClassVar = "ter"
    category: ClassVar = "lexical"
    summary: ClassVar = "edits (with block moves) that turn the output into a reference"
    citation: ClassVar = "Snover et al. (2006), A Study of Translation Edit Rate with Targeted Human Annotation"

    def parts(self) -> tuple[Part, ...]:
        return (Part("ter", "lower", digits=1, bounds=(0.0, None)),)

    def statistics(self, items: Items) -> Dense:
        if self.normalized or self.no_punct:
            examples = tuple(
                replace_struct(example, references=tuple(map(self._clean, example.references)))
                for example in items.examples
            )
            items = replace(items, outputs=tuple(map(self._clean, items.outputs)), examples=examples)
        layout = words(items, "none", not self.case_sensitive)
        return Dense(("edits", "reference_length"), kernel.ter(layout.ids, layout.starts, layout.first))

    def values(self, sums: Floats) -> Values:
        done, length = sums[:, 0], sums[:, 1]
        return {"ter": 100 * np.where(length > 0, divide(done, length), done > 0)}

    def signature(self, nrefs: str) -> str:
        return sacrebleu_signature(
            nrefs,
            case="mixed" if self.case_sensitive else "lc",
            tok="tercom",
            norm=self.normalized,
            punct=not self.no_punct,
            asian=self.asian_support,
        )

    def _clean(self, text: str) -> str:
        text = text.rstrip()
        if not text:
            return ""
        if not self.case_sensitive:
            text = text.lower()
        if self.normalized:
            text = _normalized(text)
            if self.asian_support:
                text = _spread(text)
        if self.no_punct:
            text = re.sub(r"[.,?:;!\"()]", "", text)
            if self.asian_support:
                text = re.sub(f"{CJK_PUNCTUATION}|{WIDE_PUNCTUATION}", "", text)
        return text


def _normalized(text: str) -> str:
    """tercom's rules, one after the other."""
    text = text.replace("\n-", "").replace("\n", " ")
    for entity, mark in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, mark)
    text = re.sub(r"([{-~\[-` -&(-+:-@/])", r" \1 ", f" {text} ")
    text = re.sub(r"'s$", " 's", text.replace("'s ", " 's "))
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)
    return re.sub(r"([0-9])(-)", r"\1 \2 ", text)


def _spread(text: str) -> str:
    """tercom's rules for Chinese and Japanese."""
    for block in CJK:
        text = re.sub(f"({block})", r" \1 ", text)
    for block in KANA:
        text = re.sub(f"(^|^[{block}])([{block}]+)(?=$|^[{block}])", r"\1 \2 ", text)
    for marks in (CJK_PUNCTUATION, WIDE_PUNCTUATION):
        text = re.sub(f"({marks})", r" \1 ", text)
    return text
