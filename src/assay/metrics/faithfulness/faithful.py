"""faithful: support of an output by its source, with weights fitted to human judgements."""

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
from assay.metrics.faithfulness.faithful_signs import STRENGTH, Kept, kept_of, read_sign_weights
from assay.metrics.faithfulness.faithful_weights import Weights, read_weights
from assay.models.context import Context
from assay.records.items import Items
from assay.text.support import WAYS, Source, Support, sentences_of


class Costly(NamedTuple):
    """A word that lowers the score of its sentence."""

    start: int
    end: int
    cost: float


class Sentence(NamedTuple):
    """Score and character offsets of one sentence of an output, and the words that lower it."""

    start: int
    end: int
    value: float
    words: tuple[Costly, ...]
    kept: Kept
    """What signs of a contradiction leave of 1 minus the costs of the words."""


@dataclass(frozen=True)
class Faithful(MeanMetric):
    """Mean over the sentences of an output of 1 minus the cost of what the source does not support, averaged over
    items.

    Features: words that are not in this order in two neighbouring source sentences (`order`), word 4-grams that are not
    in the source (`phrases`), neighbouring content words that are never near each other in the source (`near`), numbers
    that are not in the source (`numbers`).

    The costs were fitted to human judgements of summaries, separately for copied and new sentences, and interpolated by
    the share of word trigrams in the source. Signs of a contradiction (numbers, names, dates, roles, negation,
    opposites, hedges) lower the score of a sentence; `faithful.signs` is the mean of what they leave. `faithful.worst`
    is the mean of the lowest sentence scores. An empty output scores 0, as does one without a source.
    """

    also: str = ""
    """Models to use in addition, which is slower: `entailment`, `likelihood`, or both joined by +."""
    signs: bool = True
    """Lower the score of sentences that contradict the source: another number, name, date or role, a negation, an
    opposite, a fact from a fear."""
    weights: str | None = None
    """Weights file that `tools/fit_faithful.py` wrote; none takes the built-in weights."""

    name: ClassVar = "faithful"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "support of the output by the source, with fitted weights"
    citation: ClassVar = "weights of assay's own, fitted on the validation part of FRANK (Pagnoni et al., 2021)"
    needs: ClassVar = ("sources",)
    presets: ClassVar = {
        "overlap": {"signs": False},
        **{name: {"also": name, "signs": False} for name in MODELS},
        "full": {"also": "+".join(MODELS), "signs": False},
    }

    def __post_init__(self) -> None:
        named = self.also.split("+") if self.also else []
        if unknown := [name for name in named if name not in MODELS]:
            raise AssayError(
                f"metric faithful: also={self.also}: unknown model {unknown[0]}. Give {' or '.join(MODELS)}."
            )
        object.__setattr__(self, "also", "+".join(name for name in MODELS if name in named))

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(self.also.split("+")) if self.also else ()

    def parts(self) -> tuple[Part, ...]:
        inner = [
            Part(f"faithful.{way}", shown=False, digits=3) for way in ("worst", *WAYS, *self.models, *self._factors())
        ]
        return (Part("faithful", digits=3), *inner)

    def _factors(self) -> tuple[str, ...]:
        return ("signs",) if self.signs else ()

    def options(self) -> dict[str, Any]:
        signs = f"{read_sign_weights().digest}^{STRENGTH}" if self.signs else False
        return super().options() | {"weights": self._digest(), "also": self._models() or None, "signs": signs}

    def _digest(self) -> str:
        try:
            return self._weights().digest
        except AssayError:
            return MISSING_FILE

    def _models(self) -> str:
        return "+".join(f"{name}[{MODELS[name].signed()}]" for name in self.models)

    def _weights(self) -> Weights:
        return read_weights(self.weights, self.models)

    def why_not(self) -> str | None:
        try:
            self._weights()
        except AssayError as error:
            return str(error)
        return next((reason for name in self.models if (reason := MODELS[name].why_not())), None)

    def unfit(self, items: Items) -> str | None:
        return english_only("its weights and stems are English", items)

    def compute(self, items: Items, context: Context) -> Dense:
        pairs = [read_pair(source, output) for source, output in zip(items.sources, items.outputs, strict=True)]
        unsupported = [MODELS[name].lacking(pairs, context) for name in self.models]
        weights = self._weights()
        rows = [
            weigh(pair, [each[i] for each in unsupported], weights, self.models, self._kept(pair))
            if pair.sentences
            else None
            for i, pair in enumerate(pairs)
        ]
        names = [part.name for part in self.parts()]
        rows = [row if row is None or self.signs else row[:-1] for row in rows]
        values = np.array([[0.0] * len(names) if row is None else row for row in rows]).reshape(-1, len(names))
        return self.rows({name: values[:, i] for i, name in enumerate(names)})

    def _kept(self, pair: SourcePair) -> list[Kept]:
        return kept_of(pair) if self.signs else [Kept(1.0)] * len(pair.sentences)

    def notes(self, items: Items) -> list[str]:
        notes = [
            f"faithful: weights were fitted with {fitted}, not {now}. Fit them again with tools/fit_faithful.py."
            for name, fitted in self._weights().models.items()
            if name in self.models and fitted != (now := MODELS[name].signed())
        ]
        for what, texts in (("output", items.outputs), ("source", items.sources)):
            if empty := sum(not any(character.isalnum() for character in text) for text in texts):
                notes.append(f"faithful: {empty} {what}{' scores' if empty == 1 else 's score'} 0: no words")
        return notes

    def explain(self, source: str, output: str, context: Context | None = None) -> list[Sentence]:
        """Return each sentence with its score and the words that lower it; costs of models and signs belong to no
        word."""
        pair = read_pair(source, output)
        unsupported = [MODELS[name].lacking([pair], context or Context())[0] for name in self.models]
        weights = self._weights()
        kept = self._kept(pair)
        return [
            _sentence(support, [each[k] for each in unsupported], weights, self.models, kept[k])
            for k, support in enumerate(pair.sentences)
        ]


def read_pair(source: str, output: str) -> SourcePair:
    """Return the support of each sentence of an output; no sentences if output or source has no word."""
    parsed = _source(source)
    sentences = [parsed.support(words) for words in sentences_of(output)] if parsed.sentences else []
    return SourcePair(parsed, source, output, sentences)


@lru_cache(maxsize=256)
def _source(text: str) -> Source:
    return Source(text)


def lacking(support: Support, unsupported: Sequence[float], models: Sequence[str]) -> dict[str, float]:
    """Return how unsupported a sentence is by feature, from 0 to 1."""
    return {way: 1 - support.shares[way] for way in WAYS} | dict(zip(models, unsupported, strict=True))


def weigh(
    pair: SourcePair,
    unsupported: Sequence[Sequence[float]],
    weights: Weights,
    models: Sequence[str],
    kept: Sequence[Kept],
) -> list[float]:
    """Return the score of an output, that of its worst sentence, its support by feature, and the mean of what signs
    leave of the sentences."""
    missing = [lacking(support, [each[k] for each in unsupported], models) for k, support in enumerate(pair.sentences)]
    values = [
        weights.value(features, support.copied) * left.factor
        for features, support, left in zip(missing, pair.sentences, kept, strict=True)
    ]
    means = [1 - float(np.mean([features[way] for features in missing])) for way in (*WAYS, *models)]
    return [float(np.mean(values)), min(values), *means, float(np.mean([left.factor for left in kept]))]


def _sentence(
    support: Support, unsupported: Sequence[float], weights: Weights, models: Sequence[str], kept: Kept
) -> Sentence:
    costs = [
        sum(weights.cost(way, support.copied) * support.lacks[way][i] for way in WAYS)
        for i in range(len(support.words))
    ]
    words = tuple(
        Costly(word.start, word.end, cost) for word, cost in zip(support.words, costs, strict=True) if cost > 0
    )
    value = weights.value(lacking(support, unsupported, models), support.copied) * kept.factor
    return Sentence(support.words[0].start, support.words[-1].end, value, words, kept)
