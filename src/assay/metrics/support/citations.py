"""citations: do the contexts that an answer cites as [1] support the sentences that cite them?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.support.checker import EVEN
from assay.metrics.support.claims import MARKER, is_checkable, read_sentence
from assay.metrics.support.evidence import Document
from assay.metrics.support.features import read_claim
from assay.metrics.support.languages import not_english
from assay.metrics.support.weights import read_weights
from assay.records.items import Items
from assay.records.types import Passage
from assay.text.sentences import split_sentences

COLUMNS = ("right", "cited", "supported", "sentences", "unknown")
LEADING = re.compile(rf"\s*((?:{MARKER.pattern}\s*)+)")
NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Citations(SumMetric):
    """Citations of contexts by markers such as `[1]` or `[2, 3]`, over all outputs.

    `citations.precision`: share of the citations whose context alone supports the sentence. `citations.recall`: share
    of the sentences that can be checked which the contexts they cite support together; a sentence without a citation is
    not supported. `citations.unknown`: share of the citations that name no context. A marker is the id of a context, or
    its position from 1 if no context of the item has that id. What supports a sentence is decided as by `support`; the
    signature has the digest of its fitted `weights`.
    """

    name: ClassVar = "citations"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "share of citations whose context supports the sentence, and of sentences with such citations"
    citation: ClassVar = "Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations (ALCE)"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("citations.precision", digits=3),
            Part("citations.recall", digits=3),
            Part("citations.unknown", better="lower", digits=3, shown=False),
        )

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def options(self) -> dict[str, Any]:
        return super().options() | {"weights": read_weights().digest}

    def unfit(self, items: Items) -> str | None:
        if not all(example.contexts for example in items.examples):
            return "needs contexts, and some items have none"
        return not_english(items)

    def statistics(self, items: Items) -> Dense:
        rows = [_row(output, example.contexts) for output, example in zip(items.outputs, items.examples, strict=True)]
        return Dense(COLUMNS, np.array(rows, dtype=np.float64).reshape(-1, len(COLUMNS)))

    def values(self, sums: Floats) -> Values:
        right, cited, supported, sentences, unknown = sums.T
        return {
            "citations.precision": divide(right, cited),
            "citations.recall": divide(supported, sentences),
            "citations.unknown": divide(unknown, cited),
        }

    def undefined(self, part: str) -> str:
        if part == "citations.recall":
            return "no output has a sentence that can be checked"
        return "no output has a citation such as [1]"


def cited_sentences(text: str) -> list[tuple[str, list[str]]]:
    """Return the sentences of a text with the markers of each; markers after a full stop belong to what it ends."""
    pairs: list[tuple[str, list[str]]] = []
    for sentence in split_sentences(text, "multilingual", "en"):
        rest = sentence
        if (leading := LEADING.match(sentence)) and pairs:
            pairs[-1][1].extend(NUMBER.findall(leading[1]))
            rest = sentence[leading.end() :]
        if rest:
            pairs.append((rest, [number for marker in MARKER.findall(rest) for number in NUMBER.findall(marker)]))
    return pairs


def supports(passages: tuple[Passage, ...], sentence: str) -> bool:
    """Return whether passages together support a sentence."""
    claim = read_claim(read_sentence(sentence), Document([(one.id, one.text) for one in passages]))
    return read_weights().probability(claim.features) >= EVEN


def _row(output: str, contexts: tuple[Passage, ...]) -> tuple[int, ...]:
    known = {str(i): one for i, one in enumerate(contexts, 1)}
    ids = {one.id: one for one in contexts}
    if ids.keys() & known.keys():  # numbers are ids here, so that a number without a context is unknown
        known = {}
    known |= ids
    right = cited = supported = sentences = unknown = 0
    for sentence, markers in cited_sentences(output):
        if not is_checkable(read_sentence(sentence)):
            continue
        own = [known[each] for each in dict.fromkeys(markers) if each in known]
        missing = sum(each not in known for each in dict.fromkeys(markers))
        sentences += 1
        supported += bool(own) and supports(tuple(own), sentence)
        right += sum(supports((one,), sentence) for one in own)
        cited += len(own) + missing
        unknown += missing
    return right, cited, supported, sentences, unknown
