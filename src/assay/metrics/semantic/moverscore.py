"""MoverScore: earth mover's distance between the contextual vectors of output and reference."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics._kernels import mover
from assay.metrics.engine.base import Part
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.semantic.bertscore import inverse_frequencies, references_in
from assay.metrics.semantic.encoder_metric import EncoderMetric
from assay.models.context import Context
from assay.models.encoder import Encoded
from assay.models.load import load
from assay.models.text_pairs import Pair, cached_pair_rows
from assay.records.items import Items

UNITS = 1_000_000
"""Integer units that the weights of a text are rounded to, so that both texts have the same sum."""


@dataclass(frozen=True)
class MoverScore(EncoderMetric):
    """1 minus the minimum cost of moving the weight of the output's subwords onto those of the reference.

    The cost of a move is the Euclidean distance of two vectors of length 1 (0 to 2). Punctuation and subwords inside a
    word (##ing) have no weight. With several references the best score counts; scores are averaged over items. An empty
    output scores 0.
    """

    idf: str | None = None
    """File of references (as for `--references`) for inverse document frequency weights; none weights subwords
    equally."""

    name: ClassVar = "moverscore"
    summary: ClassVar = "earth mover's similarity of output and reference over contextual vectors"
    citation: ClassVar = "Zhao et al. (2019), MoverScore: Text Generation Evaluating with Contextualized Embeddings"

    def parts(self) -> tuple[Part, ...]:
        return (Part("moverscore", digits=3, bounds=(-1.0, 1.0)),)

    def options(self) -> dict[str, Any]:
        idf = self.idf and content_digest(lambda: references_in(str(self.idf), self.name))
        return super().options() | {"idf": idf}

    def why_not(self) -> str | None:
        try:
            return super().why_not() or (None if self.idf is None or references_in(self.idf, self.name) else "")
        except AssayError as error:
            return str(error)

    def compute(self, items: Items, context: Context) -> Dense:
        others = self.texts(items)
        pairs = [(output, text) for output, each in zip(items.outputs, others, strict=True) for text in each]
        namespace = f"{self.encoder.namespace}-mover-{self.options()['idf'] or 'alike'}"
        of = cached_pair_rows(namespace, pairs, lambda new: self._similarities(new, context), context)
        return self.rows({"moverscore": self.best(items, lambda output, text: float(of[output, text][0]))})

    def _similarities(self, pairs: Sequence[Pair], context: Context) -> Floats:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        weights = self._weights(texts)
        vectors = {text: _normalized(encoded) for text, encoded in self.encoder.token_vectors(texts, context)}
        return np.array([[_similarity(*((vectors[text], weights[text]) for text in pair))] for pair in pairs])

    def _weights(self, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the weight of each subword of each text."""
        tokens = self.encoder.ids_read(texts)
        rarity, new = inverse_frequencies(self.encoder, references_in(self.idf, self.name)) if self.idf else ({}, 1.0)
        tokenizer = load(str(self.encoder.folder), encoder=True).tokenizer
        weightless = {i for i in {i for ids in tokens for i in ids} if _weightless(tokenizer.convert_ids_to_tokens(i))}
        return {
            text: np.array([0.0 if token in weightless else rarity.get(token, new) for token in ids])
            for text, ids in zip(texts, tokens, strict=True)
        }


def _weightless(piece: str) -> bool:
    return "##" in piece or piece in string.punctuation


def _normalized(encoded: Encoded) -> Floats:
    vectors = encoded.vectors[encoded.inner].astype(np.float64)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30))


def _similarity(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> float:
    """Return the similarity of two texts; 0 if one has no subword with a weight."""
    (a, weight_a), (b, weight_b) = one, other
    a, weight_a, b, weight_b = a[weight_a > 0], weight_a[weight_a > 0], b[weight_b > 0], weight_b[weight_b > 0]
    if not len(a) or not len(b):
        return 0.0
    distances = np.sqrt(np.maximum(np.square(a).sum(axis=1)[:, None] + np.square(b).sum(axis=1) - 2 * a @ b.T, 0))
    return 1 - mover.moved(distances, _integer_weights(weight_a), _integer_weights(weight_b)) / UNITS


def _integer_weights(weights: Floats) -> NDArray[np.int64]:
    """Return integer weights that sum to UNITS: rounded down, the rest to those with the largest remainder."""
    shares = weights / weights.sum() * UNITS
    rounded: NDArray[np.int64] = np.floor(shares).astype(np.int64)
    left = UNITS - int(rounded.sum())
    rounded[np.argsort(rounded - shares, kind="stable")[:left]] += 1
    return rounded
