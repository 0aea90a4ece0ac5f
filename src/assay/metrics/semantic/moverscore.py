"""MoverScore: how little has to be moved to turn the output's word pieces into the reference's, in an encoder's
space."""

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
"""Parts that the weight of a text is cut into, so that both sides have the same sum."""


@dataclass(frozen=True)
class MoverScore(EncoderMetric):
    """1 minus the least cost of moving all weight of the output's pieces onto the reference's, a move costing the
    distance of two vectors of length 1 (0 to 2). Marks and pieces inside a word (##ing) weigh nothing. Of several
    references the best counts; the mean over items. An empty output counts 0."""

    idf: str | None = None
    """A file of references (as for `--references`) by which rare pieces weigh more; none weighs all alike."""

    name: ClassVar = "moverscore"
    summary: ClassVar = "least movement that turns the output's pieces into the reference's under an encoder"
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
        of = cached_pair_rows(namespace, pairs, lambda new: self._moved(new, context), context)
        return self.rows({"moverscore": self.best(items, lambda output, text: float(of[output, text][0]))})

    def _moved(self, pairs: Sequence[Pair], context: Context) -> Floats:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        weights = self._weights(texts)
        held = {text: _length_one(encoded) for text, encoded in self.encoder.token_vectors(texts, context)}
        return np.array([[_similarity(*((held[text], weights[text]) for text in pair))] for pair in pairs])

    def _weights(self, texts: Sequence[str]) -> dict[str, Floats]:
        """What each piece of a text weighs."""
        cut = self.encoder.ids_read(texts)
        rarity, new = inverse_frequencies(self.encoder, references_in(self.idf, self.name)) if self.idf else ({}, 1.0)
        pieces = load(str(self.encoder.folder), encoder=True).tokenizer
        idle = {i for i in {i for ids in cut for i in ids} if _weightless(pieces.convert_ids_to_tokens(i))}
        return {
            text: np.array([0.0 if token in idle else rarity.get(token, new) for token in ids])
            for text, ids in zip(texts, cut, strict=True)
        }


def _weightless(piece: str) -> bool:
    return "##" in piece or piece in string.punctuation


def _length_one(encoded: Encoded) -> Floats:
    vectors = encoded.vectors[encoded.inner].astype(np.float64)
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30))


def _similarity(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> float:
    """0 where a side has nothing that weighs."""
    (a, weigh_a), (b, weigh_b) = one, other
    a, weigh_a, b, weigh_b = a[weigh_a > 0], weigh_a[weigh_a > 0], b[weigh_b > 0], weigh_b[weigh_b > 0]
    if not len(a) or not len(b):
        return 0.0
    far = np.sqrt(np.maximum(np.square(a).sum(axis=1)[:, None] + np.square(b).sum(axis=1) - 2 * a @ b.T, 0))
    return 1 - mover.moved(far, _whole(weigh_a), _whole(weigh_b)) / UNITS


def _whole(weights: Floats) -> NDArray[np.int64]:
    """Weights as whole numbers with one sum: rounded down, and what is left given to those that lost most."""
    shares = weights / weights.sum() * UNITS
    found: NDArray[np.int64] = np.floor(shares).astype(np.int64)
    left = UNITS - int(found.sum())
    found[np.argsort(found - shares, kind="stable")[:left]] += 1
    return found
