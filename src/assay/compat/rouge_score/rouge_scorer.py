"""`rouge_score.rouge_scorer`: ROUGE of pairs of texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from assay.compat.rouge_score.scoring import Score
from assay.metrics._kernels import grams
from assay.metrics._kernels.rouge import count_pairs
from assay.metrics.engine.statistics import Floats
from assay.metrics.lexical.rouge import measures
from assay.text._kernels import cut
from assay.text._kernels.words import Vocabulary
from assay.text.english import stem

LONGEST = 9
"""rouge1 to rouge9, as in the original."""


class RougeScorer:
    """Calculate ROUGE scores between two blobs of text.

    >>> from assay.compat.rouge_score import rouge_scorer
    >>> scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
    >>> scorer.score("The quick brown fox jumps over the lazy dog", "The quick brown dog jumps on the log.")["rouge1"]
    Score(precision=0.75, recall=0.6666666666666666, fmeasure=0.7058823529411765)
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ) -> None:
        self.rouge_types = rouge_types
        self._stemmer = use_stemmer and tokenizer is None
        self._split_summaries = split_summaries
        self._tokenizer = tokenizer

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """Return the scores of a prediction against its target, by ROUGE type."""
        counted = self._count([target], [prediction])
        return {name: _score(*(int(count[0]) for count in counts)) for name, counts in counted.items()}

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """Return the scores against the target with the highest F1, by ROUGE type."""
        pairs = self.score_pairs(targets, [prediction] * len(targets))
        return {name: Score(*rows[int(np.argmax(rows[:, 2]))].tolist()) for name, rows in pairs.items()}

    def score_pairs(self, targets: Sequence[str], predictions: Sequence[str]) -> dict[str, Floats]:
        """Return precision, recall and F1 of many pairs by ROUGE type, one row per pair (not in the original)."""
        if len(targets) != len(predictions):
            raise ValueError(f"{len(targets)} targets for {len(predictions)} predictions")
        by_type = {}
        for name, counts in self._count(targets, predictions).items():
            parts = measures(name, *counts)
            by_type[name] = np.column_stack([parts[f"{name}.precision"], parts[f"{name}.recall"], parts[name]])
        return by_type

    def _count(self, targets: Sequence[str], predictions: Sequence[str]) -> dict[str, tuple[Any, Any, Any]]:
        """Return the matches of each pair and the n-grams of prediction and target, by ROUGE type."""
        longest = max((_order(name) for name in self.rouge_types), default=0)
        n = len(targets)
        tokens, lines, starts, size = self._read([*predictions, *targets])
        first, second = np.arange(n, dtype=np.int64), np.arange(n, 2 * n, dtype=np.int64)
        counts = count_pairs(tokens, lines, starts, first, second, size)
        output, reference = counts[:, 4], counts[:, 5]
        whole = lines[starts]
        more = grams.matches(tokens, whole, first, second, longest) if longest > 2 else None
        by_type = {}
        for name in self.rouge_types:
            order = _order(name)
            if not order:
                by_type[name] = counts[:, 2 if name == "rougeL" else 3], output, reference
            else:
                hits = counts[:, order - 1] if more is None else more[:, order - 1]
                by_type[name] = hits, output - (order - 1), reference - (order - 1)
        return by_type

    def _read(self, texts: list[str]) -> tuple[Any, Any, Any, int]:
        """Return token ids, starts of lines, first line of each text, and vocabulary size."""
        vocabulary = Vocabulary()
        if self._split_summaries and "rougeLsum" in self.rouge_types:
            texts = ["\n".join(_sentences(text)) for text in texts]
        if self._tokenizer is None:
            tokens, lines, starts = vocabulary.read_lines(texts, cut.ASCII_WORDS, True, None)
        else:
            tokens, lines, starts = self._read_cut(vocabulary, texts)
        size = len(vocabulary)
        if self._stemmer and size:
            stems: dict[str, int] = {}
            numbers = [stems.setdefault(stem(word), len(stems)) for word in vocabulary.words()]
            tokens, size = np.array(numbers, dtype=np.int32)[tokens], len(stems)
        return tokens, lines, starts, size

    def _read_cut(self, vocabulary: Vocabulary, texts: list[str]) -> tuple[Any, Any, Any]:
        """Tokenize line by line with the tokenizer of the caller."""
        pieces = [text.split("\n") for text in texts]
        tokens, begins = vocabulary.read_cut([line for text in pieces for line in text], self._tokenizer.tokenize)
        filled = np.flatnonzero(np.diff(begins))
        lines = np.append(begins[:-1][filled], len(tokens)).astype(np.int64)
        ends = np.cumsum([0, *map(len, pieces)])
        return tokens, lines, np.searchsorted(filled, ends).astype(np.int64)


def _score(hits: int, of_output: int, of_reference: int) -> Score:
    """Return the score of one pair without arrays, with the same order of operations."""
    precision, recall = hits / max(of_output, 1), hits / max(of_reference, 1)
    return Score(precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0)


@lru_cache
def _order(name: str) -> int:
    """Return n of ROUGE-n; 0 for ROUGE-L."""
    if name in ("rougeL", "rougeLsum"):
        return 0
    match = re.fullmatch(r"rouge([1-9])", name)
    if not match:
        raise ValueError(f"Invalid rouge type: {name}")
    return int(match[1])


def _sentences(text: str) -> list[str]:
    """Split into sentences with the English model of NLTK, as in the original."""
    try:
        import nltk
    except ImportError:
        raise ImportError("split_summaries needs nltk, as in rouge_score: pip install nltk") from None
    return list(nltk.sent_tokenize(text))
