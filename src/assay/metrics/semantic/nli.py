"""Entailment: whether an output follows from its reference, its reference from it, and it from its source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
"""What entailment, neutral and contradiction count in each formula."""
MARKS = 4
"""Tokens that a model may put around two texts."""
SIDES = ("nli", "nli.forward", "nli.backward")
LOWEST = {formula: float(min(weights)) for formula, weights in WEIGHTS.items()}


@dataclass(frozen=True)
class Entailed(ModelMetric, SumMetric):
    """How likely, by a model of entailment, the output follows from its reference (forward), the reference from the
    output (backward), their mean (`nli`), and the output from its source: there each sentence of the output counts by
    the sentence of the source that it follows from best. Of several references the best counts; the mean over items.
    An empty output counts 0, or the lowest value of the formula where that is less."""

    against: Literal["references", "source"] = "references"
    """With references all directions are given, that from the source for items that have one; without only that."""
    model: str = NLI
    """The model of entailment: `assay-nli` (of ours, small), a folder, or a hub name; its classes must have names."""
    window: int | None = None
    """Most tokens of premise and hypothesis that are read at once; none takes what the model was made for."""
    formula: Formula = "e"
    """What is made of the probabilities of entailment (e), neutral (n) and contradiction (c)."""
    weight: float = 1.0
    """What entailment counts in `nli.menli`; the rest is BERTScore's F1 under MiniLM against the references."""
    source: Literal["sentences", "whole"] = "sentences"
    """How an output is held against its source: sentence by sentence, or all at once; a text too long to be read at
    once is then read in windows of whole sentences, of which the best counts."""
    near: int = 5
    """How many sentences of the source each sentence of an output is held against, those that share most rare words;
    all of them if 0."""
    block: int = 1
    """Sentences of the source that are read together."""
    splitter: Splitter = "multilingual"
    """The rule that cuts sentences."""
    batch: int = setting(32)
    """Pairs that are read together."""

    name: ClassVar = "nli"
    category: ClassVar = "semantic"
    summary: ClassVar = "whether output, reference and source entail each other"
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
        """Where BERTScore counts, its encoder too."""
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
        values: dict[str, Floats] = {}
        if self.against == "references":
            values |= self._beside_references(items, context)
        sources = items.sources
        has = np.array([not is_blank(source) for source in sources], dtype=np.float64)
        values["nli.source"] = self._beside_sources(items, sources, context)
        if self.against == "references":
            other = BertScore().compute(items, context).values[:, 2] if self._mixed else 0.0
            values["nli.menli"] = self.weight * values["nli"] + (1 - self.weight) * other
        held = [values[part.name] for part in self.parts()]
        return Dense(self.columns(), np.column_stack([*held, np.ones(len(items)), has]))

    def _beside_references(self, items: Items, context: Context) -> dict[str, Floats]:
        """Both directions and their mean, of several references the best of each."""
        held = [[text for text in texts if not is_blank(text)] for texts in items.references]
        pairs = [(text, out) for out, texts in zip(items.outputs, held, strict=True) for text in texts]
        windows = {pair: self._whole(pair) for one in pairs for pair in (one, one[::-1])}
        value = self._values([pair for many in windows.values() for pair in many], context)
        side = {pair: max(value[one] for one in many) for pair, many in windows.items()}
        rows = [
            (max(side[text, output] for text in texts), max(side[output, text] for text in texts))
            if not is_blank(output) and texts else (self._nothing, self._nothing)
            for output, texts in zip(items.outputs, held, strict=True)
        ]  # fmt: skip
        forward, backward = np.array(rows, dtype=np.float64).reshape(-1, 2).T
        return dict(zip(SIDES, ((forward + backward) / 2, forward, backward), strict=True))

    def _beside_sources(self, items: Items, sources: Sequence[str], context: Context) -> Floats:
        """The mean over an output's sentences of the best value; 0 where there is no source."""
        languages = [example.language for example in items.bare]
        held = [
            self._against(source, output, language) if not is_blank(source) and not is_blank(output) else []
            for source, output, language in zip(sources, items.outputs, languages, strict=True)
        ]
        value = self._values([pair for item in held for sentence in item for pair in sentence], context)
        best = [[max(value[pair] for pair in sentence) for sentence in item] for item in held]
        empty = [self._nothing if not is_blank(source) else 0.0 for source in sources]
        return np.array([float(np.mean(b)) if b else nothing for b, nothing in zip(best, empty, strict=True)])

    @property
    def _nothing(self) -> float:
        """What an empty output gets: it says nothing, so that nothing it says follows."""
        return min(0.0, LOWEST[self.formula])

    def _values(self, pairs: Sequence[Pair], context: Context) -> dict[Pair, float]:
        different = list(dict.fromkeys(pairs))
        found = self.encoder.probabilities(different, context) @ np.array(WEIGHTS[self.formula], dtype=np.float64)
        return dict(zip(different, found.tolist(), strict=True))

    def _whole(self, pair: Pair) -> list[Pair]:
        """A pair that can be read at once, or its premise in windows."""
        premise, hypothesis = pair
        if surely_fits(premise + hypothesis, self.encoder.limit - MARKS):
            return [pair]
        (taken,) = self.encoder.lengths([hypothesis])
        room = max(self.encoder.limit - taken - MARKS, self.encoder.limit // 2)
        return [(text, hypothesis) for text in pack_windows(premise, room, self.encoder.lengths, self.splitter)]

    def _against(self, source: str, output: str, language: str | None) -> list[list[Pair]]:
        """For each sentence of an output the pairs of which the best counts."""
        if self.source == "whole":
            return [self._whole((source, output))]
        whole = split_sentences(source, self.splitter, language) or [source]
        room = 3 * self.encoder.limit // 4
        given = [piece for sentence in whole for piece in split_to_fit(sentence, room, self.encoder.lengths)]
        said = split_sentences(output, self.splitter, language)
        return [[(text, one) for text in nearest_passages(given, one, self.near, self.block)] for one in said]

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
        entail = "output entails nothing and counts" if empty == 1 else "outputs entail nothing and count"
        told = [f"nli: {empty} empty {entail} {self._nothing:g}"] if empty else []
        if self.against == "references":
            bare = sum(all(map(is_blank, texts)) for texts in items.references)
            have = (
                "item has no reference with a word and counts"
                if bare == 1
                else "items have no reference with a word and count"
            )
            told += [f"nli: {bare} {have} {self._nothing:g}"] if bare else []
        return told
