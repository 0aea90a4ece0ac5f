"""Entailment between output, reference and source, by a model of natural language inference (NLI)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np

from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.metrics.faithfulness.source_passages import nearest_passages, pack_windows, split_to_fit, surely_fits
from assay.metrics.semantic.bertscore import BertScore
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.checkpoints import NLI
from assay.models.context import Context
from assay.models.nli import Nli
from assay.models.text_pairs import Pair
from assay.records.items import Items
from assay.specs import setting
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

Formula = Literal["e", "-c", "e-n", "e-c", "e-n-2c"]
WEIGHTS: Mapping[str, tuple[int, int, int]] = {
    "e": (1, 0, 0), "-c": (0, 0, -1), "e-n": (1, -1, 0), "e-c": (1, 0, -1), "e-n-2c": (1, -1, -2),
}  # fmt: skip
"""Weights of entailment, neutral and contradiction in each formula."""
SPECIAL_TOKENS = 4
"""Maximum number of special tokens around two texts."""
SIDES = ("nli", "nli.forward", "nli.backward")
LOWEST = {formula: float(min(weights)) for formula, weights in WEIGHTS.items()}


@dataclass(frozen=True)
class Entailed(ModelMetric, SumMetric):
    """Probability of entailment between output and reference, and between source and output, averaged over items.

    `nli.forward`: the reference entails the output. `nli.backward`: the output entails the reference. `nli`: their
    mean. `nli.source`: the source entails the output; each sentence of the output counts with the source sentence that
    entails it most. `nli.menli`: a weighted mean of `nli` and BERTScore F1 (MENLI). With several references the best
    counts. An empty output scores 0, or the lowest value of the formula if that is negative.
    """

    against: Literal["references", "source"] = "references"
    """`references` computes all scores, `nli.source` for items with a source; `source` computes `nli.source` only."""
    model: str = NLI
    """NLI model: `assay-nli` (small, built in), a model folder, or a Hugging Face name. Its classes must be named."""
    window: int | None = None
    """Maximum number of tokens of premise and hypothesis; none takes the maximum of the model."""
    formula: Formula = "e"
    """Score from the probabilities of entailment (e), neutral (n) and contradiction (c)."""
    weight: float = 1.0
    """Weight of `nli` in `nli.menli`; the rest is the weight of BERTScore F1 (MiniLM)."""
    source: Literal["sentences", "whole"] = "sentences"
    """Comparison with the source: sentence by sentence, or the whole texts. A source that is too long is split into
    windows of whole sentences, and the best window counts."""
    near: int = 5
    """Number of source sentences that each output sentence is compared with, those that share most rare words; 0
    compares with all."""
    block: int = 1
    """Number of neighbouring source sentences that form one premise."""
    splitter: Splitter = "multilingual"
    """Rule that splits sentences."""
    batch: int = setting(32)
    """Number of pairs per batch; does not change the score."""

    name: ClassVar = "nli"
    category: ClassVar = "semantic"
    summary: ClassVar = "probability of entailment between output, reference and source"
    citation: ClassVar = (
        "Chen and Eger (2023), MENLI; Laban et al. (2022), SummaC; Gantt et al. (2024), Event-Keyed Summarization"
    )
    presets: ClassVar = {
        "eks": {"model": "ynie/roberta-large-snli_mnli_fever_anli_R1_R2_R3-nli", "source": "whole"},
        "menli": {"formula": "e", "weight": 0.2},
    }
    signed_properties: ClassVar[dict[str, str]] = {"model": "label", "window": "limit"}
    model_kind: ClassVar = "classifier:3"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("window", 1)
        self.require("near", 0)
        self.require("block", 1)
        self.require("weight", 0, 1)
        if self.against == "source":
            object.__setattr__(self, "needs", ("sources",))

    @property
    def encoder(self) -> Nli:
        return Nli(self.model, window=self.window, batch=self.batch)

    def parts(self) -> tuple[Part, ...]:
        low, high = LOWEST[self.formula], float(WEIGHTS[self.formula][0])
        names = SIDES if self.against == "references" else ()
        parts = [Part(name, digits=3, bounds=(low, high)) for name in (*names, "nli.source")]
        mixed = Part("nli.menli", shown=self.weight < 1, digits=3, bounds=(min(low, -1.0), 1.0))
        return (*parts, mixed) if names else tuple(parts)

    def options(self) -> dict[str, Any]:
        """Return the options, with the encoder of BERTScore if it is part of a score."""
        return super().options() | ({"beside": BertScore().options()["model"]} if self._mixed else {})

    @property
    def _mixed(self) -> bool:
        return self.weight < 1 and self.against == "references"

    def why_not(self) -> str | None:
        return super().why_not() or (BertScore().why_not() if self._mixed else None)

    def unfit(self, items: Items) -> str | None:
        return super().unfit(items) or (BertScore(languages=self.languages).unfit(items) if self._mixed else None)

    def columns(self) -> tuple[str, ...]:
        return (*(part.name for part in self.parts()), "count", "sources")

    def compute(self, items: Items, context: Context) -> Dense:
        sources = items.sources
        with_source = np.array([not is_blank(source) for source in sources], dtype=np.float64)
        references = [[text for text in texts if not is_blank(text)] for texts in items.references]
        limit = self.encoder.limit  # read from files
        windows = self._windows(items.outputs, references, limit) if self.against == "references" else {}
        candidates = self._source_pairs(items, sources, limit)
        # all pairs in one call, so that those of similar length are in one batch, and each is computed once
        both = chain(chain.from_iterable(windows.values()), *(sentence for item in candidates for sentence in item))
        value = self._values(list(both), context)
        values: dict[str, Floats] = {"nli.source": self._source_scores(candidates, sources, value)}
        if self.against == "references":
            values |= self._reference_scores(items.outputs, references, windows, value)
            bertscore = BertScore().compute(items, context).values[:, 2] if self._mixed else 0.0
            values["nli.menli"] = self.weight * values["nli"] + (1 - self.weight) * bertscore
        columns = [values[part.name] for part in self.parts()]
        return Dense(self.columns(), np.column_stack([*columns, np.ones(len(items)), with_source]))

    def _windows(
        self, outputs: Sequence[str], references: Sequence[Sequence[str]], limit: int
    ) -> dict[Pair, list[Pair]]:
        """Return the pairs to compute for output and reference, in both directions."""
        pairs = [(text, output) for output, texts in zip(outputs, references, strict=True) for text in texts]
        return {pair: self._fit_premise(pair, limit) for one in pairs for pair in (one, one[::-1])}

    def _reference_scores(
        self,
        outputs: Sequence[str],
        references: Sequence[Sequence[str]],
        windows: Mapping[Pair, Sequence[Pair]],
        value: Mapping[Pair, float],
    ) -> dict[str, Floats]:
        """Return both directions and their mean, each with the best reference."""
        side = {pair: max(value[one] for one in many) for pair, many in windows.items()}
        rows = [
            (max(side[text, output] for text in texts), max(side[output, text] for text in texts))
            if not is_blank(output) and texts else (self._empty_score, self._empty_score)
            for output, texts in zip(outputs, references, strict=True)
        ]  # fmt: skip
        forward, backward = np.array(rows, dtype=np.float64).reshape(-1, 2).T
        return dict(zip(SIDES, ((forward + backward) / 2, forward, backward), strict=True))

    def _source_pairs(self, items: Items, sources: Sequence[str], limit: int) -> list[list[list[Pair]]]:
        """Return the candidate pairs of each sentence of each output."""
        languages = [example.language for example in items.bare]
        return [
            self._candidates(source, output, language, limit) if not is_blank(source) and not is_blank(output) else []
            for source, output, language in zip(sources, items.outputs, languages, strict=True)
        ]

    def _source_scores(
        self, candidates: Sequence[Sequence[Sequence[Pair]]], sources: Sequence[str], value: Mapping[Pair, float]
    ) -> Floats:
        """Return the mean over the sentences of each output of the best value; 0 without a source."""
        best = [[max(value[pair] for pair in sentence) for sentence in item] for item in candidates]
        empty = [self._empty_score if not is_blank(source) else 0.0 for source in sources]
        return np.array([float(np.mean(b)) if b else nothing for b, nothing in zip(best, empty, strict=True)])

    @property
    def _empty_score(self) -> float:
        """Score of an empty output."""
        return min(0.0, LOWEST[self.formula])

    def _values(self, pairs: Sequence[Pair], context: Context) -> dict[Pair, float]:
        different = list(dict.fromkeys(pairs))
        values = self.encoder.probabilities(different, context) @ np.array(WEIGHTS[self.formula], dtype=np.float64)
        return dict(zip(different, values.tolist(), strict=True))

    def _fit_premise(self, pair: Pair, limit: int) -> list[Pair]:
        """Return the pair, or pairs with windows of its premise if it is too long."""
        premise, hypothesis = pair
        if surely_fits(premise + hypothesis, limit - SPECIAL_TOKENS):
            return [pair]
        (taken,) = self.encoder.lengths([hypothesis])
        room = max(limit - taken - SPECIAL_TOKENS, limit // 2)
        return [(text, hypothesis) for text in pack_windows(premise, room, self.encoder.lengths, self.splitter)]

    def _candidates(self, source: str, output: str, language: str | None, limit: int) -> list[list[Pair]]:
        """Return the candidate pairs of each sentence of an output; the best of them counts."""
        if self.source == "whole":
            return [self._fit_premise((source, output), limit)]
        whole = split_sentences(source, self.splitter, language) or [source]
        room = 3 * limit // 4
        pieces = [piece for sentence in whole for piece in split_to_fit(sentence, room, self.encoder.lengths)]
        claims = split_sentences(output, self.splitter, language)
        return [[(text, one) for text in nearest_passages(pieces, one, self.near, self.block)] for one in claims]

    def values(self, sums: Floats) -> Values:
        count, sources = sums[:, -2], sums[:, -1]
        return {
            part.name: divide(sums[:, i], sources if part.name == "nli.source" else count)
            for i, part in enumerate(self.parts())
        }

    def undefined(self, part: str) -> str:
        return "no item has a source" if part == "nli.source" else super().undefined(part)

    def notes(self, items: Items) -> list[str]:
        empty = sum(is_blank(text) for text in items.outputs)
        entail = "output scores" if empty == 1 else "outputs score"
        notes = [f"nli: {empty} empty {entail} {self._empty_score:g}"] if empty else []
        if self.against == "references":
            bare = sum(all(map(is_blank, texts)) for texts in items.references)
            have = (
                "item has only empty references and scores"
                if bare == 1
                else "items have only empty references and score"
            )
            notes += [f"nli: {bare} {have} {self._empty_score:g}"] if bare else []
        return notes
