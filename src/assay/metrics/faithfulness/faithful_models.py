"""What `faithful` may ask models besides looking at words: does a sentence follow, and does the source explain it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from assay.errors import AssayError
from assay.metrics.engine.signatures import MISSING_FILE
from assay.models.context import Context
from assay.models.nli import Nli
from assay.models.weights import Weights
from assay.systems.neural.conditional import Conditional
from assay.text.support import Source, Support

GLUED = re.compile(r"([.!?][\"'’”)]?)([A-Z‘“\"])")
"""A full stop that touches the next sentence; a language model would read one word there."""


USUAL = 0.6
"""The share of surprise that is left at most outputs."""


class SourcePair(NamedTuple):
    """An output beside its source, read once."""

    held: Source
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
        """What is missing on this machine, or None."""

    def signed(self) -> str:
        """The weights, by content."""

    def lacking(self, read: Sequence[SourcePair], context: Context) -> list[list[float]]:
        """For each output what each of its sentences lacks, from 0 to 1."""


class Entailment:
    """How unlikely it is that a sentence follows from the two neighbouring sentences of the source that have most of
    its words in order; one pair a sentence."""

    @property
    def model(self) -> Nli:
        return Nli()

    def why_not(self) -> str | None:
        return self.model.why_not()

    def signed(self) -> str:
        return _label(self.model)

    def lacking(self, read: Sequence[SourcePair], context: Context) -> list[list[float]]:
        pairs = [
            (pair.held.passage(support.at), pair.sentence(k))
            for pair in read
            for k, support in enumerate(pair.sentences)
        ]
        found = iter(self.model.probabilities(pairs, context)[:, 0].tolist())
        return [[1 - next(found) for _ in pair.sentences] for pair in read]


class Likelihood:
    """How much of the surprise at an output its source does not take away, under SmolLM2: the negative log-likelihood
    after the source (its first 400 tokens) over that without it, from 0 where six tenths are left to 1 where all is.
    One number for all sentences of an output, and asked only where less than half of its runs of three words are the
    source's: of what is copied words say more, and towards that half it fades out."""

    @property
    def model(self) -> Conditional:
        return Conditional()

    def why_not(self) -> str | None:
        return self.model.why_not()

    def signed(self) -> str:
        return _label(self.model)

    def lacking(self, read: Sequence[SourcePair], context: Context) -> list[list[float]]:
        asked = {i: (_apart(pair.source), _apart(pair.output)) for i, pair in enumerate(read) if pair.copied < 0.5}
        after = self.model.logs(list(asked.values()), context)
        alone = self.model.logs([(None, output) for _, output in asked.values()], context)
        left = {
            i: min(1.0, max(0.0, float(a[:-1].sum() / b[:-1].sum()) - USUAL) / (1 - USUAL)) * (1 - 2 * read[i].copied)
            for i, a, b in zip(asked, after, alone, strict=True)
        }
        return [[left.get(i, 0.0)] * len(pair.sentences) for i, pair in enumerate(read)]


def _apart(text: str) -> str:
    return GLUED.sub(r"\1 \2", text)


def _label(model: Weights) -> str:
    try:
        return model.label
    except AssayError:
        return MISSING_FILE


MODELS: Mapping[str, Model] = {"entailment": Entailment(), "likelihood": Likelihood()}
