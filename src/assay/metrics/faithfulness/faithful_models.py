"""Models that `faithful` can use in addition to word features: entailment and likelihood."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from assay.metrics.engine.signatures import label_of
from assay.models.context import Context
from assay.models.nli import Nli
from assay.systems.neural.conditional import Conditional
from assay.text.support import Source, Support

GLUED = re.compile(r"([.!?][\"'’”)]?)([A-Z‘“\"])")
"""A full stop without a space before the next sentence, which a tokenizer would read as one word."""


USUAL = 0.6
"""Usual ratio of the negative log-likelihood with and without the source."""


class SourcePair(NamedTuple):
    """An output and its source, parsed once."""

    parsed: Source
    source: str
    output: str
    sentences: list[Support]

    def sentence(self, k: int) -> str:
        words = self.sentences[k].words
        return self.output[words[0].start : words[-1].end]

    @property
    def copied(self) -> float:
        return sum(support.copied for support in self.sentences) / len(self.sentences) if self.sentences else 1.0


class Model(Protocol):
    def why_not(self) -> str | None:
        """Return what is missing, with the remedy; None if nothing is."""

    def signed(self) -> str:
        """Return name and digest of the weights."""

    def lacking(self, read: Sequence[SourcePair], context: Context) -> list[list[float]]:
        """Return for each output how unsupported each of its sentences is, from 0 to 1."""


class Entailment:
    """1 minus the probability that a sentence is entailed by the two neighbouring source sentences that share most of
    its words in order; one pair per sentence."""

    @property
    def model(self) -> Nli:
        return Nli()

    def why_not(self) -> str | None:
        return self.model.why_not()

    def signed(self) -> str:
        return label_of(self.model)

    def lacking(self, read: Sequence[SourcePair], context: Context) -> list[list[float]]:
        pairs = [
            (pair.parsed.passage(support.at), pair.sentence(k))
            for pair in read
            for k, support in enumerate(pair.sentences)
        ]
        entailed = iter(self.model.probabilities(pairs, context)[:, 0].tolist())
        return [[1 - next(entailed) for _ in pair.sentences] for pair in read]


class Likelihood:
    """Ratio of the negative log-likelihood of an output with and without its source, under SmolLM2.

    The first 400 tokens of the source are the context. A ratio of 0.6 is rescaled to 0, a ratio of 1 to 1. There is one
    value for all sentences of an output. It is used only if less than half of the word trigrams are in the source, and
    decreases towards that half: for copied text the word features are more informative.
    """

    @property
    def model(self) -> Conditional:
        return Conditional()

    def why_not(self) -> str | None:
        return self.model.why_not()

    def signed(self) -> str:
        return label_of(self.model)

    def lacking(self, read: Sequence[SourcePair], context: Context) -> list[list[float]]:
        texts = {
            i: (_separated(pair.source), _separated(pair.output)) for i, pair in enumerate(read) if pair.copied < 0.5
        }
        given_source = self.model.logs(list(texts.values()), context)
        without_source = self.model.logs([(None, output) for _, output in texts.values()], context)
        unexplained = {
            i: min(1.0, max(0.0, float(a[:-1].sum() / b[:-1].sum()) - USUAL) / (1 - USUAL)) * (1 - 2 * read[i].copied)
            for i, a, b in zip(texts, given_source, without_source, strict=True)
        }
        return [[unexplained.get(i, 0.0)] * len(pair.sentences) for i, pair in enumerate(read)]


def _separated(text: str) -> str:
    return GLUED.sub(r"\1 \2", text)


MODELS: Mapping[str, Model] = {"entailment": Entailment(), "likelihood": Likelihood()}
