"""faithful: how far a source supports what an output says, by weights learned from people's judgements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.languages import english_only
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.engine.statistics import Dense
from assay.metrics.faithfulness.faithful_models import MODELS, SourcePair
from assay.metrics.faithfulness.faithful_weights import Weights, read_weights
from assay.models.context import Context
from assay.records.items import Items
from assay.text.support import WAYS, Source, Support, sentences_of


class Costly(NamedTuple):
    """A word that takes something away from the value of its sentence."""

    start: int
    end: int
    cost: float


class Sentence(NamedTuple):
    """What one sentence of an output is worth, where it stands, and which of its words cost it."""

    start: int
    end: int
    value: float
    words: tuple[Costly, ...]


@dataclass(frozen=True)
class Faithful(MeanMetric):
    """The mean over an output's sentences of 1 minus what they lack: words that do not stand in this order in two
    neighbouring sentences of the source (order), runs of four words that it does not have (phrases), neighbouring
    content words that nowhere stand near each other in it (near), numbers that it does not have (numbers). What each
    of these costs was learned from judged summaries, once for sentences that are copied and once for those that are
    not; a sentence lies between, by the share of its runs of three words that the source has. The mean over items;
    `worst` is that of their worst sentences. An empty output, or one without a source, counts 0."""

    also: str = ""
    """What else is asked, each by a model and so slower: `entailment`, `likelihood`, or both with a + between them."""
    weights: str | None = None
    """A file of weights that `tools/fit_faithful.py` wrote; none takes those of the package."""

    name: ClassVar = "faithful"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "how far the source supports what the output says, by learned weights"
    citation: ClassVar = "weights of assay's own, fitted on the validation part of FRANK (Pagnoni et al., 2021)"
    needs: ClassVar = ("sources",)
    presets: ClassVar = {name: {"also": name} for name in MODELS} | {"full": {"also": "+".join(MODELS)}}

    def __post_init__(self) -> None:
        named = self.also.split("+") if self.also else []
        if unknown := [name for name in named if name not in MODELS]:
            raise AssayError(f"metric faithful: also={self.also}: no {unknown[0]}; there is {' and '.join(MODELS)}")
        object.__setattr__(self, "also", "+".join(name for name in MODELS if name in named))

    @property
    def asked(self) -> tuple[str, ...]:
        return tuple(self.also.split("+")) if self.also else ()

    def parts(self) -> tuple[Part, ...]:
        inner = [Part(f"faithful.{way}", shown=False, digits=3) for way in ("worst", *WAYS, *self.asked)]
        return (Part("faithful", digits=3), *inner)

    def options(self) -> dict[str, Any]:
        return super().options() | {"weights": self._digest(), "also": self._models() or None}

    def _digest(self) -> str:
        try:
            return self._weights().digest
        except AssayError:
            return MISSING_FILE

    def _models(self) -> str:
        return "+".join(f"{name}[{MODELS[name].signed()}]" for name in self.asked)

    def _weights(self) -> Weights:
        return read_weights(self.weights, self.asked)

    def why_not(self) -> str | None:
        try:
            self._weights()
        except AssayError as error:
            return str(error)
        return next((reason for name in self.asked if (reason := MODELS[name].why_not())), None)

    def unfit(self, items: Items) -> str | None:
        return english_only("its weights and stems are English", items)

    def compute(self, items: Items, context: Context) -> Dense:
        read = [read_pair(source, output) for source, output in zip(items.sources, items.outputs, strict=True)]
        said = [MODELS[name].lacking(read, context) for name in self.asked]
        weights = self._weights()
        rows = [
            weigh(pair, [each[i] for each in said], weights, self.asked) if pair.sentences else None
            for i, pair in enumerate(read)
        ]
        names = [part.name for part in self.parts()]
        values = np.array([[0.0] * len(names) if row is None else row for row in rows]).reshape(-1, len(names))
        return self.rows({name: values[:, i] for i, name in enumerate(names)})

    def notes(self, items: Items) -> list[str]:
        found = [
            f"faithful: its weights were fitted with {fitted} and this is {now}; fit anew with tools/fit_faithful.py"
            for name, fitted in self._weights().models.items()
            if name in self.asked and fitted != (now := MODELS[name].signed())
        ]
        for what, texts in (("output", items.outputs), ("source", items.sources)):
            if empty := sum(not any(character.isalnum() for character in text) for text in texts):
                found.append(
                    f"faithful: {empty} {what}{'s' * (empty != 1)} without a word, which count{'s' * (empty == 1)} 0"
                )
        return found

    def explain(self, source: str, output: str, context: Context | None = None) -> list[Sentence]:
        """Each sentence with its value and the words that cost it; costs that belong to no word are in the value
        alone."""
        pair = read_pair(source, output)
        said = [MODELS[name].lacking([pair], context or Context())[0] for name in self.asked]
        weights = self._weights()
        return [
            _sentence(support, [each[k] for each in said], weights, self.asked)
            for k, support in enumerate(pair.sentences)
        ]


def read_pair(source: str, output: str) -> SourcePair:
    """An output, sentence by sentence, beside its source; nothing where one of them has no word."""
    held = _source(source)
    sentences = [held.support(words) for words in sentences_of(output)] if held.sentences else []
    return SourcePair(held, source, output, sentences)


@lru_cache(maxsize=256)
def _source(text: str) -> Source:
    return Source(text)


def lacking(support: Support, said: Sequence[float], asked: Sequence[str]) -> dict[str, float]:
    """What a sentence lacks in each way, from 0 to 1."""
    return {way: 1 - support.shares[way] for way in WAYS} | dict(zip(asked, said, strict=True))


def weigh(pair: SourcePair, said: Sequence[Sequence[float]], weights: Weights, asked: Sequence[str]) -> list[float]:
    """The value of an output, that of its worst sentence, and how far it is supported in each way."""
    lacks = [lacking(support, [each[k] for each in said], asked) for k, support in enumerate(pair.sentences)]
    values = [weights.value(lack, support.copied) for lack, support in zip(lacks, pair.sentences, strict=True)]
    means = [1 - float(np.mean([lack[way] for lack in lacks])) for way in (*WAYS, *asked)]
    return [float(np.mean(values)), min(values), *means]


def _sentence(support: Support, said: Sequence[float], weights: Weights, asked: Sequence[str]) -> Sentence:
    costs = [
        sum(weights.cost(way, support.copied) * support.lacks[way][i] for way in WAYS)
        for i in range(len(support.words))
    ]
    words = tuple(
        Costly(word.start, word.end, cost) for word, cost in zip(support.words, costs, strict=True) if cost > 0
    )
    value = weights.value(lacking(support, said, asked), support.copied)
    return Sentence(support.words[0].start, support.words[-1].end, value, words)
