"""SummaC: entailment of each sentence of an output by the sentences of its source, zero-shot or by a convolution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.faithfulness.source_passages import note_empty_texts
from assay.metrics.semantic.encoder_metric import ModelMetric
from assay.models.checkpoints import NLI
from assay.models.code_digest import file_digest
from assay.models.context import Context
from assay.models.nli import Nli
from assay.records.items import Items
from assay.specs import setting
from assay.text.blank import is_blank
from assay.text.sentences import Splitter, split_sentences

LAYERS = ("mlp.weight", "mlp.bias", "layer_final.weight", "layer_final.bias")
"""Tensors of the convolution."""
BINS = np.array([0, .01, .02, .03, .04, .07, .13, .37, *np.arange(90, 95) / 100, .95, .955, .96, .965, .97, .975, .98,
                 .985, .99, .995, 1.0])  # fmt: skip
"""Limits of the histogram of entailment probabilities, as published (`percentile`)."""
SHORTEST = 10
"""Characters up to which a sentence is left out."""
SENTENCES = 100
"""Sentences of the source that are read."""
ROWS = 10
"""Sentences of the output that the convolution reads."""
Image = tuple[Floats, Floats]
"""Probabilities of entailment and contradiction: one row per sentence of the source, one column per one of the
output."""


@dataclass(frozen=True)
class SummaC(ModelMetric, MeanMetric):
    """Entailment of the output by its source, sentence by sentence, averaged over sentences, then over items.

    `summac` (SummaC-ZS) is the highest probability of entailment by a sentence of the source, less the highest
    probability of contradiction. `summac.conv` (SummaC-Conv) is the probability of consistency by the published
    convolution over the histogram of entailment probabilities. Sentences of up to ten characters are left out. An
    empty output scores 0, as does any output with an empty source.
    """

    model: str = NLI
    """NLI model: `assay-nli` (small, built in), a model folder, or a Hugging Face name. Its classes must be named."""
    conv: str = ""
    """File with the weights of the convolution, for `summac.conv`; empty leaves it out."""
    contradiction: bool = True
    """Whether contradiction counts against the output, as in SummaC-ZS."""
    splitter: Splitter = "multilingual"
    """Rule that splits sentences."""
    batch: int = setting(32)
    """Number of pairs per batch; does not change the score."""

    name: ClassVar = "summac"
    category: ClassVar = "faithfulness"
    summary: ClassVar = "entailment of the output's sentences by the sentences of its source"
    citation: ClassVar = "Laban et al. (2022), SummaC: Re-Visiting NLI-based Models for Inconsistency Detection"
    needs: ClassVar = ("sources",)
    model_kind: ClassVar = "classifier:3"
    truncates: ClassVar = "longer"

    @property
    def encoder(self) -> Nli:
        return Nli(self.model, batch=self.batch)

    def options(self) -> dict[str, Any]:
        return super().options() | {"conv": file_digest(self.conv) or self.conv}

    def why_not(self) -> str | None:
        if self.conv:
            try:
                convolution(self.conv, file_digest(self.conv))
            except AssayError as error:
                return str(error)
        return super().why_not()

    def parts(self) -> tuple[Part, ...]:
        zero_shot = Part("summac", digits=3, bounds=(-1.0 if self.contradiction else 0.0, 1.0))
        return (zero_shot, Part("summac.conv", digits=3)) if self.conv else (zero_shot,)

    def compute(self, items: Items, context: Context) -> Dense:
        split = [
            ([], []) if is_blank(source) or is_blank(output) else self._sentences(source, output, example.language)
            for output, source, example in zip(items.outputs, items.sources, items.bare, strict=True)
        ]
        pairs = list(dict.fromkeys((ours, theirs) for source, output in split for ours in source for theirs in output))
        of = dict(zip(pairs, self.encoder.probabilities(pairs, context), strict=True)) if pairs else {}
        images = [self._image(source, output, of) for source, output in split]
        blank = [is_blank(s) or is_blank(o) for s, o in zip(items.sources, items.outputs, strict=True)]
        rows = {"summac": np.array([self._zero_shot(image) for image in images])}
        if self.conv:
            weights = convolution(self.conv, file_digest(self.conv))
            scores = [0.0 if empty else convolved(weights, e) for (e, _), empty in zip(images, blank, strict=True)]
            rows["summac.conv"] = np.array(scores)
        return self.rows(rows)

    def _sentences(self, source: str, output: str, language: str | None) -> tuple[list[str], list[str]]:
        ours, theirs = (
            [one for one in split_sentences(text, self.splitter, language) if len(one) > SHORTEST]
            for text in (source, output)
        )
        return ours[:SENTENCES], theirs

    @staticmethod
    def _image(source: list[str], output: list[str], of: dict[tuple[str, str], Floats]) -> Image:
        if not source or not output:  # as published: one pair without any probability
            return np.zeros((1, 1)), np.zeros((1, 1))
        cells = np.array([[of[ours, theirs] for theirs in output] for ours in source])
        return cells[:, :, 0], cells[:, :, 2]

    def _zero_shot(self, image: Image) -> float:
        entailed, contradicted = (side.max(axis=0) for side in image)
        return float(np.mean(entailed - contradicted if self.contradiction else entailed))

    def notes(self, items: Items) -> list[str]:
        return note_empty_texts(self.name, items)


@lru_cache(maxsize=2)
def convolution(path: str, digest: str | None) -> dict[str, Floats]:
    """Read the weights of the convolution; the digest is an argument, so that a changed file is read again."""
    remedy = "Write it with `assay metric convert summac FILE.bin -o FILE.safetensors`."
    if digest is None:
        raise AssayError(f"{path}: file not found. {remedy}")
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        weights = load_file(Path(path))
        shapes = [weights[name].shape for name in LAYERS]
    except (SafetensorError, KeyError, OSError):
        raise AssayError(f"{path}: not the convolution of SummaC. {remedy}") from None
    if shapes != [(1, len(BINS) - 1), (1,), (2, 3), (2,)]:
        raise AssayError(f"{path}: a convolution over other bins or labels than entailment by percentile. {remedy}")
    return {name: weights[name].astype(np.float64) for name in LAYERS}


def convolved(weights: dict[str, Floats], entailed: Floats) -> float:
    """Return the probability of consistency: histograms of entailment, one per sentence of the output, and their mean
    through the two layers."""
    columns = entailed.T[:ROWS]
    counts = np.array([np.histogram(column, bins=BINS, range=(0, 1))[0] for column in columns], dtype=np.float64)
    feature = float(np.mean(counts @ weights["mlp.weight"][0] + weights["mlp.bias"][0]))
    logits = weights["layer_final.weight"].sum(axis=1) * feature + weights["layer_final.bias"]
    return float(1 / (1 + np.exp(logits[0] - logits[1])))
