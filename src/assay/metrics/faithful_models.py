"""What `faithful` may ask models besides looking at words: whether a sentence follows, and how far the source
explains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from assay.errors import AssayError
from assay.metrics.signatures import GONE
from assay.models.context import Context
from assay.systems.neural.conditional import Conditional
from assay.text.support import Source, Support


class Asked(NamedTuple):
    """An output beside its source, read once."""

    held: Source
    source: str
    output: str
    sentences: list[Support]

    def sentence(self, k: int) -> str:
        words = self.sentences[k].words
        return self.output[words[0].start : words[-1].end]


class Model(Protocol):
    def why_not(self) -> str | None:
        """What is missing on this machine, or None."""

    def signed(self) -> str:
        """The weights, by content."""

    def lacking(self, read: Sequence[Asked], context: Context) -> list[list[float]]:
        """For each output what each of its sentences lacks, from 0 to 1."""


class Likelihood:
    """The share of the surprise at an output that its source does not take away, under SmolLM2: the negative
    log-likelihood after the source over that without it. It is one number for all sentences of an output."""

    model = Conditional()

    def why_not(self) -> str | None:
        return self.model.why_not()

    def signed(self) -> str:
        return _label(self.model)

    def lacking(self, read: Sequence[Asked], context: Context) -> list[list[float]]:
        asked = [pair for pair in read if pair.sentences]
        after = self.model.logs([(pair.held.text, pair.output) for pair in asked], context)
        alone = self.model.logs([(None, pair.output) for pair in asked], context)
        left = [min(1.0, float(a[:-1].sum() / b[:-1].sum())) for a, b in zip(after, alone, strict=True)]
        of = iter(left)
        return [[next(of)] * len(pair.sentences) if pair.sentences else [] for pair in read]


def _label(model: Conditional) -> str:
    try:
        return model.label
    except AssayError:
        return GONE


MODELS: Mapping[str, Model] = {"likelihood": Likelihood()}
