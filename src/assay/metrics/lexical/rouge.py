"""ROUGE: overlap of n-grams and of longest common subsequences with the references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from assay.metrics._kernels.rouge import count_pairs
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.layout import first_references, references_of, shared
from assay.metrics.engine.signatures import signed_tokenizer
from assay.metrics.engine.statistics import Dense, Floats, Rows, divide
from assay.records.items import Items
from assay.records.types import Example
from assay.text import tokenize
from assay.text._kernels.words import Vocabulary
from assay.text.english import stem

NON_ASCII_WARNING = 0.02
LOOKED_AT = 500
"""How many items are looked at for that."""
SIDES = ("", ".precision", ".recall")
UNICODE = "unicode"
"""The column that says of each item whether `auto` cut it by that rule."""
Scores = dict[str, Floats]
Counts = NDArray[np.int64]
Counted = dict[str, tuple[Any, Any, Any]]
"""Matches, and what they are shares of in the output and in the reference, by variant."""


@dataclass(frozen=True)
class Rouge(MeanMetric):
    """ROUGE-1, -2, -L and -Lsum; F, precision and recall. Equal to the last bit to Google's `rouge_score`."""

    tokenizer: Literal["auto", "rouge_score", "unicode", "gem", "whitespace"] = "auto"
    """`auto` is `rouge_score`'s rule for English and other text in Latin script, and `unicode` for other scripts
    and for items whose language is given and not English. `gem` is GEM's tokens, then `rouge_score`'s rule.
    `whitespace` is what stands between white space, upper and lower case kept: for texts that are tokenized already."""
    stemmer: bool | Literal["porter"] = False
    """Stems for words of more than three letters: NLTK's, as `rouge_score` has them, or by Porter's own program."""
    multi: Literal["max", "mean", "jackknife", "joint", "sum"] = "max"
    """Several references: the best by F, the mean, for each reference left out the best of the others, averaged
    (GEM), for all variants the one reference with the highest F of all of them together, or matches and lengths of all
    references added up (ROUGE-1.5.5)."""

    name: ClassVar = "rouge"
    category: ClassVar = "lexical"
    summary: ClassVar = "n-gram and subsequence overlap with the references"
    citation: ClassVar = "Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries"
    variants: ClassVar[tuple[str, ...]] = ("rouge1", "rouge2", "rougeL", "rougeLsum")
    presets: ClassVar = {
        "rouge_score": {"tokenizer": "rouge_score"},
        "gem": {"tokenizer": "gem", "stemmer": True, "multi": "jackknife"},
        "whitespace": {"tokenizer": "whitespace"},
        "1.5.5": {"tokenizer": "rouge_score", "stemmer": "porter", "multi": "sum"},
    }

    def parts(self) -> tuple[Part, ...]:
        return tuple(Part(name + side, shown=not side, scale=100, digits=1) for name in self.variants for side in SIDES)

    def columns(self) -> tuple[str, ...]:
        *names, count = self._columns()
        return (*names, *([UNICODE] if self.tokenizer == "auto" else []), count)

    def statistics(self, items: Items) -> Dense:
        texts = self._texts(items)
        per_item = np.diff(texts.first)
        if self.multi == "sum" and (per_item > 1).any():
            rows = self.rows(self.scored(added(self.count_pairs(texts), texts.first)))
        else:
            scores = self.scored(self.count_pairs(texts))
            rows = self.rows(combine(scores, self.variants, per_item, self.multi))
        if self.tokenizer != "auto":
            return rows
        values = np.column_stack([rows.values[:, :-1], texts.unicode, rows.values[:, -1]])
        return Dense(self.columns(), values)

    def signed(self, signature: str, rows: Rows, languages: Sequence[str | None]) -> str:
        """`auto` is named by the rule that it came to, or by how many items each has."""
        if self.tokenizer != "auto" or not isinstance(rows, Dense) or UNICODE not in rows.columns:
            return signature
        unicode = int(rows.values[:, rows.columns.index(UNICODE)].sum())
        return signed_tokenizer(signature, {"rouge_score": len(rows) - unicode, "unicode": unicode})

    def count_pairs(self, texts: Texts) -> Counted:
        """What each pair of an output and a reference has in common, and how much each of the two has."""
        counts = count_pairs(texts.tokens, texts.lines, texts.starts, texts.outputs, texts.references, texts.size)
        one, two, longest, union, output, reference = counts.T
        return {
            "rouge1": (one, output, reference),
            "rouge2": (two, output - 1, reference - 1),
            "rougeL": (longest, output, reference),
            "rougeLsum": (union, output, reference),
        }

    def scored(self, counted: Counted) -> Scores:
        """Precision, recall and F."""
        return {key: value for name, counts in counted.items() for key, value in measures(name, *counts).items()}

    def _texts(self, items: Items) -> Texts:
        """The texts are read once for all metrics with the same tokens."""
        key = ("rouge", self.tokenizer, str(self.stemmer))
        return shared(items, key, lambda: Texts.read(items, self.rule, self.tokenizer != "gem", self.stemmer))

    def rule(self, example: Example) -> str:
        """The tokenizer of an item."""
        if self.tokenizer != "auto":
            return {"gem": "gem-ascii", "whitespace": "none"}.get(self.tokenizer, self.tokenizer)
        english = example.language is None or example.language.split("-")[0].lower() == "en"
        return "rouge_score" if english and tokenize.latin(example.references) else "unicode"

    def notes(self, items: Items) -> list[str]:
        if self.tokenizer != "auto":
            return []
        ascii_only = [example for example in items.examples[:LOOKED_AT] if self.rule(example) == "rouge_score"]
        share = tokenize.dropped_share([example.references[0] for example in ascii_only])
        if share < NON_ASCII_WARNING:
            return []
        sampled = f" of the first {LOOKED_AT} items" if len(items) > LOOKED_AT else ""
        return [
            f"rouge: {share:.0%} of the reference words{sampled} have letters that its English rule cuts out "
            "(é, ö, ł …); say which language it is (--language) or use rouge:tokenizer=unicode"
        ]


@dataclass(frozen=True)
class Texts:
    """All texts as token numbers, cut into lines, and which of them are compared."""

    tokens: NDArray[np.int32]
    lines: NDArray[np.int64]
    """Line k is tokens[lines[k]:lines[k + 1]]."""
    starts: NDArray[np.int64]
    """Text t is the lines starts[t] to starts[t + 1]."""
    outputs: NDArray[np.int64]
    references: NDArray[np.int64]
    first: NDArray[np.int64]
    unicode: NDArray[np.bool_]
    """Which items were cut by the rule for other scripts and languages."""
    size: int

    @staticmethod
    def read(items: Items, rule: Callable[[Example], str], by_line: bool, stemmer: bool | str) -> Texts:
        first = first_references(items)
        n = len(items)
        outputs = np.repeat(np.arange(n, dtype=np.int64), np.diff(first))
        texts = [*items.outputs, *references_of(items)]
        rules = [rule(example) for example in items.examples]
        owner = np.concatenate([np.arange(n, dtype=np.int64), outputs])
        vocabulary = Vocabulary()
        tokens, lines, starts = [], [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
        number = np.zeros(len(texts), dtype=np.int64)
        done = tokens_before = lines_before = 0
        for name in sorted(set(rules)):
            chosen = np.flatnonzero(np.array([each == name for each in rules])[owner])
            number[chosen] = done + np.arange(len(chosen))
            done += len(chosen)
            part = _read(vocabulary, [texts[k] for k in chosen], name, by_line)
            tokens.append(part[0])
            starts.append(part[2][1:] + lines_before)
            lines.append(part[1][1:] + tokens_before)
            # counted, not read off the lists: the part of a rule may hold no line at all
            tokens_before += len(part[0])
            lines_before += len(part[1]) - 1
        flat = np.concatenate(tokens) if tokens else np.zeros(0, dtype=np.int32)
        size = len(vocabulary)
        if stemmer:
            flat, size = _stemmed(flat, vocabulary.words(), stemmer != "porter")
        unicode = np.array([name == "unicode" for name in rules], dtype=bool)
        return Texts(
            flat, np.concatenate(lines), np.concatenate(starts), number[outputs], number[n:], first, unicode, size
        )


def _read(
    vocabulary: Vocabulary, texts: list[str], name: str, by_line: bool
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    how = tokenize.rule(name)
    if by_line:
        return vocabulary.read_lines(texts, how.kernel, name != "none", how.beyond)
    # GEM joins its tokens by spaces, so that the whole text is one line for it.
    tokens, starts = tokenize.read(vocabulary, texts, name, True)
    return tokens, starts, np.arange(len(texts) + 1, dtype=np.int64)


def _stemmed(tokens: NDArray[np.int32], words: list[str], extended: bool) -> tuple[NDArray[np.int32], int]:
    """The numbers of the words' stems instead of those of the words."""
    stems: dict[str, int] = {}
    numbers = [stems.setdefault(stem(word, extended), len(stems)) for word in words]
    return np.array(numbers, dtype=np.int32)[tokens] if numbers else tokens, len(stems)


def measures(name: str, matches: Counts, of_output: Counts, of_reference: Counts) -> Scores:
    """Precision, recall and F, in the order of operations of `rouge_score`."""
    return with_f(name, matches / np.maximum(of_output, 1), matches / np.maximum(of_reference, 1))


def with_f(name: str, precision: Floats, recall: Floats) -> Scores:
    f = divide(2 * precision * recall, precision + recall, 0.0)
    return {name: f, f"{name}.precision": precision, f"{name}.recall": recall}


def added(counted: Counted, first: NDArray[np.int64]) -> Counted:
    """From pairs to items: counts of all references of an item added up. What is shorter than an n-gram has none."""
    empty = np.diff(first) == 0

    def total(counts: Any) -> Any:
        padded = np.append(np.maximum(counts, 0), 0)  # an item without references begins where the next one does
        return np.where(empty, 0, np.add.reduceat(padded, first[:-1])) if len(empty) else counts

    return {name: (total(hits), total(output), total(reference)) for name, (hits, output, reference) in counted.items()}


def combine(scores: Scores, variants: Sequence[str], per_item: NDArray[np.int64], multi: str) -> Scores:
    """From pairs to items: all items with the same number of references at once."""
    if (per_item == 1).all():
        return scores
    starts = np.cumsum(per_item) - per_item
    combined = {name + side: np.zeros(len(per_item)) for name in variants for side in SIDES}
    for count in np.unique(per_item[per_item > 0]).tolist():
        chosen = np.flatnonzero(per_item == count)
        cells = starts[chosen][:, None] + np.arange(count)
        together = np.sum([scores[name][cells] for name in variants if name != "rougeL"], axis=0)
        for name in variants:
            weights = _weights(together if multi == "joint" else scores[name][cells], multi)
            for side in SIDES:
                combined[name + side][chosen] = (scores[name + side][cells] * weights).sum(axis=1)
    return combined


def _weights(f: Floats, multi: str) -> Floats:
    """How much each reference of an item counts."""
    items, count = f.shape
    if multi == "mean" or count == 1:
        return np.full(f.shape, 1 / count)
    weights = np.zeros(f.shape)
    rows = np.arange(items)
    best = np.argmax(f, axis=1)
    if multi in ("max", "joint"):
        weights[rows, best] = 1.0
        return weights
    # Leaving out any reference but the best one leaves the best one in; leaving it out leaves the second.
    rest = f.copy()
    rest[rows, best] = -1.0
    weights[rows, best] = (count - 1) / count
    weights[rows, np.argmax(rest, axis=1)] = 1 / count
    return weights
