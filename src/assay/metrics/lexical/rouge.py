"""ROUGE: overlap of n-grams and longest common subsequences with the references."""

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
"""Share of words with dropped letters above which a warning is shown."""
CHECKED = 500
"""Number of items checked for that warning."""
SIDES = ("", ".precision", ".recall")
UNICODE = "unicode"
"""The column with 1 for each item that `auto` tokenized by the `unicode` rule."""
Scores = dict[str, Floats]
Counts = NDArray[np.int64]
Counted = dict[str, tuple[Any, Any, Any]]
"""By variant: matches, and the totals of output and reference."""


@dataclass(frozen=True)
class Rouge(MeanMetric):
    """F1, precision and recall of ROUGE-1, -2, -L and -Lsum. Values are bit-identical to Google's `rouge_score`."""

    tokenizer: Literal["auto", "rouge_score", "unicode", "gem", "whitespace"] = "auto"
    """`auto`: the rule of `rouge_score` for English and other text in Latin script, `unicode` for other scripts and for
    items with another language than English. `gem`: GEM tokens, then the rule of `rouge_score`. `whitespace`: split at
    white space, case kept, for text that is already tokenized."""
    stemmer: bool | Literal["porter"] = False
    """Stem words of more than three letters: true is the NLTK stemmer of `rouge_score`, `porter` Porter's original."""
    multi: Literal["max", "mean", "jackknife", "joint", "sum"] = "max"
    """Several references: `max` the best F1 per variant, `mean` the mean, `jackknife` the mean best F1 with each
    reference left out (GEM), `joint` the one reference with the highest sum of F1, `sum` matches and lengths summed
    over references (ROUGE-1.5.5)."""

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
        """Return the signature with `auto` replaced by the rule that applied, or by the number of items per rule."""
        if self.tokenizer != "auto" or not isinstance(rows, Dense) or UNICODE not in rows.columns:
            return signature
        unicode = int(rows.values[:, rows.columns.index(UNICODE)].sum())
        return signed_tokenizer(signature, {"rouge_score": len(rows) - unicode, "unicode": unicode})

    def count_pairs(self, texts: Texts) -> Counted:
        """Return matches and totals of each pair of an output and a reference."""
        counts = count_pairs(texts.tokens, texts.lines, texts.starts, texts.outputs, texts.references, texts.size)
        one, two, longest, union, output, reference = counts.T
        return {
            "rouge1": (one, output, reference),
            "rouge2": (two, output - 1, reference - 1),
            "rougeL": (longest, output, reference),
            "rougeLsum": (union, output, reference),
        }

    def scored(self, counted: Counted) -> Scores:
        """Return F1, precision and recall from matches and totals."""
        return {key: value for name, counts in counted.items() for key, value in measures(name, *counts).items()}

    def _texts(self, items: Items) -> Texts:
        """Return the tokenized texts, shared by all metrics with the same tokenizer and stemmer."""
        key = ("rouge", self.tokenizer, str(self.stemmer))
        return shared(items, key, lambda: Texts.read(items, self.rule, self.tokenizer != "gem", self.stemmer))

    def rule(self, example: Example) -> str:
        """Return the tokenizer of an item."""
        if self.tokenizer != "auto":
            return {"gem": "gem-ascii", "whitespace": "none"}.get(self.tokenizer, self.tokenizer)
        english = example.language is None or example.language.split("-")[0].lower() == "en"
        return "rouge_score" if english and tokenize.latin(example.references) else "unicode"

    def notes(self, items: Items) -> list[str]:
        if self.tokenizer != "auto":
            return []
        ascii_only = [example for example in items.examples[:CHECKED] if self.rule(example) == "rouge_score"]
        share = tokenize.dropped_share([example.references[0] for example in ascii_only])
        if share < NON_ASCII_WARNING:
            return []
        sampled = f" of the first {CHECKED} items" if len(items) > CHECKED else ""
        return [
            f"rouge: {share:.0%} of the reference words{sampled} have letters that the English tokenizer drops "
            "(é, ö, ł …); set the language (--language) or use rouge:tokenizer=unicode"
        ]


@dataclass(frozen=True)
class Texts:
    """All texts as token ids, divided into lines, and the pairs to compare."""

    tokens: NDArray[np.int32]
    lines: NDArray[np.int64]
    """Line k is tokens[lines[k]:lines[k + 1]]."""
    starts: NDArray[np.int64]
    """Text t is the lines starts[t] to starts[t + 1]."""
    outputs: NDArray[np.int64]
    references: NDArray[np.int64]
    first: NDArray[np.int64]
    unicode: NDArray[np.bool_]
    """Whether each item was tokenized by the `unicode` rule."""
    size: int
    """Vocabulary size."""

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
            # counted here, since a rule may have no lines at all
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
    # GEM joins tokens with spaces, so a text is a single line.
    tokens, starts = tokenize.read(vocabulary, texts, name, True)
    return tokens, starts, np.arange(len(texts) + 1, dtype=np.int64)


def _stemmed(tokens: NDArray[np.int32], words: list[str], extended: bool) -> tuple[NDArray[np.int32], int]:
    """Return the ids of stems instead of words, and the number of stems."""
    stems: dict[str, int] = {}
    numbers = [stems.setdefault(stem(word, extended), len(stems)) for word in words]
    return np.array(numbers, dtype=np.int32)[tokens] if numbers else tokens, len(stems)


def measures(name: str, matches: Counts, of_output: Counts, of_reference: Counts) -> Scores:
    """Return F1, precision and recall, in the order of operations of `rouge_score`."""
    return with_f(name, matches / np.maximum(of_output, 1), matches / np.maximum(of_reference, 1))


def with_f(name: str, precision: Floats, recall: Floats) -> Scores:
    f = divide(2 * precision * recall, precision + recall, 0.0)
    return {name: f, f"{name}.precision": precision, f"{name}.recall": recall}


def added(counted: Counted, first: NDArray[np.int64]) -> Counted:
    """Return the counts of each item, summed over its references; negative totals (texts too short) count as 0."""
    empty = np.diff(first) == 0

    def total(counts: Any) -> Any:
        padded = np.append(np.maximum(counts, 0), 0)  # padding, since trailing items may have no references
        return np.where(empty, 0, np.add.reduceat(padded, first[:-1])) if len(empty) else counts

    return {name: (total(hits), total(output), total(reference)) for name, (hits, output, reference) in counted.items()}


def combine(scores: Scores, variants: Sequence[str], per_item: NDArray[np.int64], multi: str) -> Scores:
    """Combine pairs into items, all items with the same number of references at once."""
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
    """Return the weight of each reference of an item."""
    items, count = f.shape
    if multi == "mean" or count == 1:
        return np.full(f.shape, 1 / count)
    weights = np.zeros(f.shape)
    rows = np.arange(items)
    best = np.argmax(f, axis=1)
    if multi in ("max", "joint"):
        weights[rows, best] = 1.0
        return weights
    # Jackknife: the best reference counts in all folds but the one without it, where the second best counts.
    rest = f.copy()
    rest[rows, best] = -1.0
    weights[rows, best] = (count - 1) / count
    weights[rows, np.argmax(rest, axis=1)] = 1 / count
    return weights
