"""ROUGE: overlap of n-grams and of longest common subsequences with the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from assay.metrics import tokenize
from assay.metrics._kernels.porter import stem
from assay.metrics._kernels.rouge import count_pairs
from assay.metrics.base import MeanMetric, Part
from assay.metrics.rows import Dense, Floats
from assay.records import Example, Items

VARIANTS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
NON_ASCII_WARNING = 0.02


@dataclass(frozen=True)
class Rouge(MeanMetric):
    """ROUGE-1, -2, -L and -Lsum; F, precision and recall. Equal to the last bit to Google's `rouge_score`."""

    tokenizer: Literal["auto", "rouge_score", "unicode", "gem"] = "auto"
    """`auto` is `rouge_score`'s rule for English and other text in Latin script, and `unicode` for other scripts
    and for items whose language is given and not English. `gem` is GEM's tokens, then `rouge_score`'s rule."""
    stemmer: bool = False
    """Porter stems for words of more than three letters."""
    multi: Literal["max", "mean", "jackknife"] = "max"
    """Several references: the best by F, the mean, or for each reference left out the best of the others, averaged."""

    name: ClassVar = "rouge"
    category: ClassVar = "lexical"
    summary: ClassVar = "n-gram and subsequence overlap with the references"
    citation: ClassVar = "Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries"
    presets: ClassVar = {
        "rouge_score": {"tokenizer": "rouge_score"},
        "gem": {"tokenizer": "gem", "stemmer": True, "multi": "jackknife"},
    }

    def parts(self) -> tuple[Part, ...]:
        return tuple(
            Part(name + suffix, shown=not suffix, scale=100, digits=1)
            for name in VARIANTS
            for suffix in ("", ".precision", ".recall")
        )

    def statistics(self, items: Items) -> Dense:
        texts = _Texts(self.stemmer)
        candidates: list[int] = []
        references: list[int] = []
        per_item: list[int] = []
        for output, example in zip(items.outputs, items.examples, strict=True):
            words = self._words(example)
            number = texts.add(output, words)
            per_item.append(len(example.references))
            candidates += [number] * len(example.references)
            references += [texts.add(reference, words) for reference in example.references]
        counts = texts.count(candidates, references)
        return self.rows(_combine(_scores(counts), per_item, self.multi))

    def _words(self, example: Example) -> tokenize.Tokenizer:
        if self.tokenizer == "gem":
            return _gem_then_ascii
        if self.tokenizer != "auto":
            return tokenize.tokenizer(self.tokenizer)
        english = example.language is None or example.language.split("-")[0].lower() == "en"
        return tokenize.ascii_words if english and tokenize.latin(example.references) else tokenize.unicode_words

    def notes(self, items: Items) -> list[str]:
        if self.tokenizer != "auto":
            return []
        ascii_only = [example for example in items.examples if self._words(example) is tokenize.ascii_words]
        share = tokenize.dropped_share([text for example in ascii_only[:500] for text in example.references])
        if share < NON_ASCII_WARNING:
            return []
        return [
            f"rouge: {share:.0%} of the reference words have letters that its English rule cuts out (é, ö, ł …); "
            "say which language it is (--language) or use rouge:tokenizer=unicode"
        ]


def _gem_then_ascii(text: str) -> list[str]:
    return tokenize.ascii_words(" ".join(tokenize.gem_words(text)))


class _Texts:
    """All texts of a batch as one array of numbers, each distinct word numbered and stemmed once."""

    def __init__(self, stemmer: bool) -> None:
        self.stemmer = stemmer
        self.stems: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        self.tokens: list[int] = []
        self.sentences: list[int] = [0]
        self.texts: list[int] = [0]
        self.known: dict[tuple[str, object], int] = {}

    def add(self, text: str, words: tokenize.Tokenizer) -> int:
        """The number of this text; the same text is tokenized once."""
        key = (text, words)
        if key not in self.known:
            self.known[key] = len(self.texts) - 1
            # GEM joins its tokens by spaces, so that the whole text is one sentence for it.
            sentences = [text] if words is _gem_then_ascii else text.split("\n")
            for sentence in sentences:
                if sentence:
                    self.tokens += map(self._number, words(sentence))
                    self.sentences.append(len(self.tokens))
            self.texts.append(len(self.sentences) - 1)
        return self.known[key]

    def _number(self, word: str) -> int:
        number = self.numbers.get(word)
        if number is None:
            stemmed = stem(word) if self.stemmer and len(word) > 3 and word.isascii() else word
            number = self.numbers[word] = self.stems.setdefault(stemmed, len(self.stems))
        return number

    def count(self, candidates: Sequence[int], references: Sequence[int]) -> NDArray[np.int64]:
        return count_pairs(
            np.array(self.tokens, dtype=np.int32),
            np.array(self.sentences, dtype=np.int64),
            np.array(self.texts, dtype=np.int64),
            np.array(candidates, dtype=np.int64),
            np.array(references, dtype=np.int64),
            len(self.stems),
        )


def _scores(counts: NDArray[np.int64]) -> dict[str, Floats]:
    """Precision, recall and F of each pair, in the order of operations of `rouge_score`."""
    one, two, longest, union, candidate, reference = counts.T
    columns = {
        "rouge1": (one, candidate, reference),
        "rouge2": (two, candidate - 1, reference - 1),
        "rougeL": (longest, candidate, reference),
        "rougeLsum": (union, candidate, reference),
    }
    scores: dict[str, Floats] = {}
    for name, (matches, of_candidate, of_reference) in columns.items():
        precision = matches / np.maximum(of_candidate, 1)
        recall = matches / np.maximum(of_reference, 1)
        total = precision + recall
        f = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
        scores |= {name: f, f"{name}.precision": precision, f"{name}.recall": recall}
    return scores


def _combine(scores: dict[str, Floats], per_item: Sequence[int], multi: str) -> dict[str, Floats]:
    """From pairs to items."""
    if all(count == 1 for count in per_item):
        return scores
    ends = np.cumsum(per_item)
    starts = ends - per_item
    combined: dict[str, Floats] = {}
    for name in VARIANTS:
        f = scores[name]
        picks = [_pick(f[low:high], multi) for low, high in zip(starts, ends, strict=True)]
        for suffix in ("", ".precision", ".recall"):
            column = scores[name + suffix]
            combined[name + suffix] = np.array(
                [np.mean(column[low:][pick]) for low, pick in zip(starts, picks, strict=True)]
            )
    return combined


def _pick(f: Floats, multi: str) -> NDArray[np.intp]:
    """Which references are averaged (a reference may stand there several times)."""
    if multi == "mean":
        return np.arange(len(f))
    best = int(np.argmax(f))
    if multi == "max" or len(f) == 1:
        return np.array([best])
    # Leaving out any reference but the best one leaves the best one in; leaving it out leaves the second.
    second = int(np.argmax(np.where(np.arange(len(f)) == best, -1.0, f)))
    return np.array([best] * (len(f) - 1) + [second])
