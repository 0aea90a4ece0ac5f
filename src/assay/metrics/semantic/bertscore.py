"""BERTScore: greedy matching of the tokens of output and reference by the cosine of their contextual vectors."""

from __future__ import annotations

import csv
import math
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import Part
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense, Floats
from assay.metrics.semantic.encoder_metric import EncoderMetric
from assay.models.code_digest import file_digest
from assay.models.context import Context
from assay.models.encoder import Encoded, Encoder, Vectors
from assay.records.items import Items
from assay.records.read import read_references
from assay.text.blank import is_blank

NAMES = tuple(f"bertscore.{part}" for part in ("precision", "recall", "f1"))
TOGETHER = 2048
"""Number of pairs whose texts are encoded together."""
MEMORY = 512 << 20
"""Bytes of vectors that stay in memory for other pairs with the same text."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class BertScore(EncoderMetric):
    """Cosine similarity of each token with the most similar token of the other text.

    Precision is the mean over the tokens of the output, recall the mean over the tokens of the reference, F1 their
    harmonic mean; scores are averaged over items. With several references each score is that of the best reference. An
    empty output scores 0. Values equal those of the package bert-score with the same weights and layer.
    """

    idf: str | None = None
    """File of references (as for `--references`) for inverse document frequency weights; none weights tokens
    equally."""
    baseline: str | None = None
    """Baseline file of the package bert-score (`LAYER,P,R,F`) to rescale scores with; none does not rescale."""

    name: ClassVar = "bertscore"
    summary: ClassVar = "similarity of output and reference by greedy matching of contextual token vectors"
    citation: ClassVar = "Zhang et al. (2020), BERTScore: Evaluating Text Generation with BERT"

    def parts(self) -> tuple[Part, ...]:
        low = None if self.baseline else -1.0
        return tuple(Part(name, shown=name == NAMES[2], digits=3, bounds=(low, 1.0)) for name in NAMES)

    def options(self) -> dict[str, Any]:
        files = {
            "idf": self.idf and content_digest(lambda: references_in(str(self.idf))),
            "baseline": self.baseline and content_digest(lambda: map(str, _rescaling(str(self.baseline), self._depth))),
        }
        return super().options() | files

    def why_not(self) -> str | None:
        return super().why_not() or _unreadable(self)

    @property
    def _depth(self) -> int:
        return self.encoder.depth

    def compute(self, items: Items, context: Context) -> Dense:
        others = self.texts(items)
        pairs = [(output, text) for output, each in zip(items.outputs, others, strict=True) for text in each]
        different = list(dict.fromkeys(pairs))
        weights = self._weights(different)
        of = {
            pair: _scores(near, None if weights is None else (weights[pair[0]], weights[pair[1]]))
            for pair, near in zip(different, nearest(self.encoder, different, context), strict=True)
        }
        values = np.array([np.max([of[output, text] for text in each], axis=0)
                           for output, each in zip(items.outputs, others, strict=True)])  # fmt: skip
        if self.baseline:
            base = np.array(_rescaling(self.baseline, self._depth))
            values = (values - base) / (1 - base)
        values[[is_blank(output) for output in items.outputs]] = 0.0
        return self.rows(dict(zip(NAMES, values.T, strict=True)))

    def _weights(self, pairs: Sequence[Pair]) -> dict[str, Floats] | None:
        """Return the token weights of each text, or None if all tokens weigh the same."""
        if self.idf is None:
            return None
        rarity, new = inverse_frequencies(self.encoder, references_in(self.idf))
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        cut = zip(texts, self.encoder.ids_read(texts), strict=True)
        return {text: np.array([rarity.get(token, new) for token in ids]) for text, ids in cut}


def nearest(encoder: Encoder, pairs: Sequence[Pair], context: Context) -> list[tuple[Vectors, Vectors]]:
    """Return for each pair the highest cosine of each token of the first text, and of each token of the second.

    Values come from the cache where possible.
    """
    keys = [f"{len(one)} {one}{other}" for one, other in pairs]
    pair_of = dict(zip(keys, pairs, strict=True))

    def make(new: list[str]) -> list[Vectors]:
        made = _matched(encoder, [pair_of[key] for key in new], context)
        return [made[pair_of[key]] for key in new]

    stored = context.cache.through(f"{encoder.namespace}-nearest", keys, make)
    return [(row[1 : 1 + int(row[0])], row[1 + int(row[0]) :]) for row in stored]


def _matched(encoder: Encoder, pairs: Sequence[Pair], context: Context) -> dict[Pair, Vectors]:
    """Return both sides of each pair in one array: the number of tokens of the first text, then the cosines."""
    encoded: OrderedDict[str, Encoded] = OrderedDict()
    rows: dict[Pair, Vectors] = {}
    ordered = sorted(pairs, key=lambda pair: (pair[1], pair[0]))  # pairs with the same reference are neighbours
    for start in range(0, len(ordered), TOGETHER):
        batch = ordered[start : start + TOGETHER]
        texts = list(dict.fromkeys(text for pair in batch for text in pair))
        for text in texts:
            if text in encoded:
                encoded.move_to_end(text)
        for text, (vectors, inner) in encoder.token_vectors([text for text in texts if text not in encoded], context):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            encoded[text] = Encoded(vectors / np.maximum(lengths, 1e-12), inner)
        for one, other in batch:
            a, b = encoded[one], encoded[other]
            cosines = a.vectors @ b.vectors.T
            ours, theirs = cosines.max(axis=1)[a.inner], cosines.max(axis=0)[b.inner]
            count = np.array([len(ours)], dtype=np.float32)
            rows[one, other] = np.concatenate([count, ours.clip(-1, 1), theirs.clip(-1, 1)])
        while len(encoded) > 2 and sum(each.vectors.nbytes for each in encoded.values()) > MEMORY:
            encoded.popitem(last=False)
    return rows


def _scores(near: tuple[Vectors, Vectors], weights: tuple[Floats, Floats] | None) -> tuple[float, float, float]:
    """Return precision, recall and F1 of one pair; 0 if a side has no token with a weight."""
    sides = []
    for i, cosines in enumerate(near):
        counts = weights[i] if weights else np.ones(len(cosines))
        total = counts.sum()
        sides.append(float(cosines.astype(np.float64) @ counts / total) if total > 0 else 0.0)
    precision, recall = sides if all(map(len, near)) else (0.0, 0.0)
    harmonic = 2 * precision * recall / (precision + recall) if min(precision, recall) > 0 else 0.0
    return precision, recall, harmonic


def references_in(path: str, metric: str = "bertscore") -> list[str]:
    """Return the texts of the file of the option `idf`."""
    return _read_references(path, file_digest(path), metric)


@lru_cache(maxsize=4)
def _read_references(path: str, digest: str | None, metric: str) -> list[str]:
    """Read the file; the digest is an argument, so that a changed file is read again."""
    if digest is None:
        raise AssayError(f"{metric}:idf={path}: file not found. Give references, one per line or as JSONL.")
    return [text for example in read_references(Path(path)).examples for text in example.references]


def inverse_frequencies(encoder: Encoder, texts: Sequence[str]) -> tuple[Mapping[int, float], float]:
    """Return ln((n + 1) / (texts with the token + 1)) by token, and the weight of an unseen token."""
    counts = Counter(token for ids in encoder.ids_read(texts) for token in set(ids))
    return {token: math.log((len(texts) + 1) / (count + 1)) for token, count in counts.items()}, math.log(
        len(texts) + 1
    )


def _rescaling(path: str, layer: int) -> tuple[float, float, float]:
    """Return the baseline of a layer: precision, recall and F1 of unrelated texts."""
    for row in _rows(path):
        try:
            number, *values = (float(row[name]) for name in ("LAYER", "P", "R", "F"))
        except (KeyError, TypeError, ValueError):
            raise AssayError(f"bertscore:baseline={path}: expected the columns LAYER,P,R,F with numbers") from None
        if number == layer:
            if not all(-math.inf < value < 1 for value in values):
                raise AssayError(f"bertscore:baseline={path}: values of layer {layer} must be finite and below 1")
            return values[0], values[1], values[2]
    raise AssayError(f"bertscore:baseline={path}: no row for layer {layer}. Give a file that has one.")


def _rows(path: str) -> Iterator[dict[str, str]]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise AssayError(f"bertscore:baseline={path}: cannot be read. Give a CSV file with LAYER,P,R,F.") from None
    return iter(csv.DictReader(text.splitlines()))


def _unreadable(metric: BertScore) -> str | None:
    """Return the error of a file that an option names, or None."""
    try:
        if metric.idf is not None:
            references_in(metric.idf)
        if metric.baseline is not None:
            _rescaling(metric.baseline, metric.encoder.depth)
    except AssayError as error:
        return str(error)
    return None
