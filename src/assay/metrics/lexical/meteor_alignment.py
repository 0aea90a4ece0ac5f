"""Texts of METEOR as numbers for its kernel: words, stems, senses, function words, and paraphrases that occur."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels.meteor import meteor
from assay.metrics._kernels.phrases import LONGEST, phrase_hashes
from assay.metrics.engine.statistics import Floats
from assay.metrics.lexical.meteor_paraphrases import Paraphrases, hashed

Words = Sequence[str]


class Stages(NamedTuple):
    """Resources of the stages after exact matches; None for a stage that is not used."""

    stem: Callable[[str], str] | None = None
    senses: Callable[[str], frozenset[int]] | None = None
    paraphrases: Paraphrases | None = None


def aligned(
    outputs: Sequence[Words], references: Sequence[Sequence[Words]], stages: Stages, function: frozenset[str]
) -> Floats:
    """Return the statistics of every output with each of its references, item by item."""
    numbers: dict[str, int] = {}
    texts = [*outputs, *(text for many in references for text in many)]
    ids = np.array([numbers.setdefault(word, len(numbers)) for text in texts for word in text], dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    counts = [len(many) for many in references]
    first = np.repeat(np.arange(len(outputs)), counts)
    pairs = np.column_stack([first, len(outputs) + np.arange(len(first))]).astype(np.int64)
    words = list(numbers)
    stems: dict[str, int] = {}
    stem = stages.stem or (lambda word: word)
    senses = [sorted(stages.senses(word)) for word in words] if stages.senses else [[] for _ in words]
    phrases, keys = np.zeros((1, LONGEST), dtype=np.uint64), _no_paraphrases()
    if stages.paraphrases is not None and words:
        phrases = phrase_hashes(ids, starts, hashed(words))
        keys = stages.paraphrases.among(np.unique(phrases))
    return meteor(
        ids,
        starts,
        np.ascontiguousarray(pairs),
        np.array([stems.setdefault(stem(word), len(stems)) for word in words], dtype=np.int32),
        np.concatenate([[0], np.cumsum(list(map(len, senses)))]).astype(np.int64),
        _flat(senses),
        np.array([word.lower() in function for word in words], dtype=np.int8),
        phrases,
        *keys,
    )


def _flat(lists: Iterable[Iterable[int]]) -> NDArray[np.int64]:
    return np.array([number for numbers in lists for number in numbers], dtype=np.int64)


def _no_paraphrases() -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64], NDArray[np.int32]]:
    none = np.zeros(0, dtype=np.uint64)
    return none, np.zeros(1, dtype=np.int64), none, np.zeros(0, dtype=np.int32)
