"""BERTScore: each token of the output with its nearest token of the reference, and the other way round."""

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
"""Pairs whose texts are encoded together."""
HELD = 512 << 20
"""Bytes of vectors that wait for another pair with the same text."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class BertScore(EncoderMetric):
    """Precision: the mean over the output's tokens of the cosine with the nearest token of the reference; recall: the
    same from the reference's side; f1: their harmonic mean. Of several references each number takes the best; the mean
    over items. An empty output counts 0. Equal to the package bert-score on the same weights and layer."""

    idf: str | None = None
    """A file of references (as for `--references`) by which rare tokens count more; none counts all alike."""
    baseline: str | None = None
    """A file of `LAYER,P,R,F`, as the package bert-score has them, by which values are rescaled; none leaves them."""

    name: ClassVar = "bertscore"
    summary: ClassVar = "nearest tokens of output and reference under an encoder"
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
        """By text what each of its tokens counts; None where all count alike."""
        if self.idf is None:
            return None
        rarity, new = inverse_frequencies(self.encoder, references_in(self.idf))
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        cut = zip(texts, self.encoder.ids_read(texts), strict=True)
        return {text: np.array([rarity.get(token, new) for token in ids]) for text, ids in cut}


def nearest(encoder: Encoder, pairs: Sequence[Pair], context: Context) -> list[tuple[Vectors, Vectors]]:
    """For each pair the cosines of the first text's tokens with their nearest in the second, and the other way round:
    from the cache, or encoded."""
    keys = [f"{len(one)} {one}{other}" for one, other in pairs]
    pair_of = dict(zip(keys, pairs, strict=True))

    def make(new: list[str]) -> list[Vectors]:
        made = _matched(encoder, [pair_of[key] for key in new], context)
        return [made[pair_of[key]] for key in new]

    kept = context.cache.through(f"{encoder.namespace}-nearest", keys, make)
    return [(found[1 : 1 + int(found[0])], found[1 + int(found[0]) :]) for found in kept]


def _matched(encoder: Encoder, pairs: Sequence[Pair], context: Context) -> dict[Pair, Vectors]:
    """Both sides in one array, the number of the first's tokens before them."""
    held: OrderedDict[str, Encoded] = OrderedDict()
    made: dict[Pair, Vectors] = {}
    ordered = sorted(pairs, key=lambda pair: (pair[1], pair[0]))  # those of one reference together
    for start in range(0, len(ordered), TOGETHER):
        some = ordered[start : start + TOGETHER]
        texts = list(dict.fromkeys(text for pair in some for text in pair))
        for text in texts:
            if text in held:
                held.move_to_end(text)
        for text, (vectors, inner) in encoder.token_vectors([text for text in texts if text not in held], context):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            held[text] = Encoded(vectors / np.maximum(lengths, 1e-12), inner)
        for one, other in some:
            a, b = held[one], held[other]
            cosines = a.vectors @ b.vectors.T
            ours, theirs = cosines.max(axis=1)[a.inner], cosines.max(axis=0)[b.inner]
            count = np.array([len(ours)], dtype=np.float32)
            made[one, other] = np.concatenate([count, ours.clip(-1, 1), theirs.clip(-1, 1)])
        while len(held) > 2 and sum(each.vectors.nbytes for each in held.values()) > HELD:
            held.popitem(last=False)
    return made


def _scores(near: tuple[Vectors, Vectors], weights: tuple[Floats, Floats] | None) -> tuple[float, float, float]:
    """Precision, recall and F of one pair; 0 where a side has no token, or none that counts."""
    sides = []
    for i, cosines in enumerate(near):
        counts = weights[i] if weights else np.ones(len(cosines))
        total = counts.sum()
        sides.append(float(cosines.astype(np.float64) @ counts / total) if total > 0 else 0.0)
    precision, recall = sides if all(map(len, near)) else (0.0, 0.0)
    harmonic = 2 * precision * recall / (precision + recall) if min(precision, recall) > 0 else 0.0
    return precision, recall, harmonic


def references_in(path: str, metric: str = "bertscore") -> list[str]:
    """The texts of a file that the option idf of a metric names."""
    return _read_references(path, file_digest(path), metric)


@lru_cache(maxsize=4)
def _read_references(path: str, digest: str | None, metric: str) -> list[str]:
    """Known by its content too: a file may change while we run."""
    if digest is None:
        raise AssayError(f"{metric}:idf={path}: no such file; give references, one a line or as JSONL")
    return [text for example in read_references(Path(path)).examples for text in example.references]


def inverse_frequencies(encoder: Encoder, texts: Sequence[str]) -> tuple[Mapping[int, float], float]:
    """ln((n + 1) / (texts with the token + 1)) by token, and what a token of none of them counts."""
    found = Counter(token for ids in encoder.ids_read(texts) for token in set(ids))
    return {token: math.log((len(texts) + 1) / (count + 1)) for token, count in found.items()}, math.log(len(texts) + 1)


def _rescaling(path: str, layer: int) -> tuple[float, float, float]:
    """What unrelated texts get in this layer: precision, recall and F."""
    for row in _rows(path):
        try:
            number, *values = (float(row[name]) for name in ("LAYER", "P", "R", "F"))
        except (KeyError, TypeError, ValueError):
            raise AssayError(f"bertscore:baseline={path}: its columns must be LAYER,P,R,F, all numbers") from None
        if number == layer:
            if not all(-math.inf < value < 1 for value in values):
                raise AssayError(
                    f"bertscore:baseline={path}: layer {layer} has a value that is not below 1, or not finite"
                )
            return values[0], values[1], values[2]
    raise AssayError(f"bertscore:baseline={path}: no line for layer {layer}")


def _rows(path: str) -> Iterator[dict[str, str]]:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise AssayError(f"bertscore:baseline={path}: cannot be read; give a file of LAYER,P,R,F") from None
    return iter(csv.DictReader(text.splitlines()))


def _unreadable(metric: BertScore) -> str | None:
    """What is wrong with the files that options name."""
    try:
        if metric.idf is not None:
            references_in(metric.idf)
        if metric.baseline is not None:
            _rescaling(metric.baseline, metric.encoder.depth)
    except AssayError as error:
        return str(error)
    return None
