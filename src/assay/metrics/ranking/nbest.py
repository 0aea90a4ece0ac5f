"""N-best lists: ranks of the gold phrases in a list of generated phrases, after the normalisation of the task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from assay.datasets.tesa_phrases import normalise
from assay.errors import AssayError
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.models.code_digest import file_digest
from assay.records.items import Items
from assay.records.ranked_candidates import read_scored
from assay.records.read import read_examples
from assay.stats.retrieval import average_precision
from assay.text.english import lemma


def phrases_of(output: str) -> list[str]:
    """Return the phrases of a list, best first.

    Lines are `score TAB phrase`, as `assay system generate --list` writes them, or one phrase per line.
    """
    lines = [line.strip() for line in output.split("\n") if line.strip()]
    return [read_scored(line)[0][0].strip() if "\t" in line else line for line in lines]


def plain(phrase: str) -> str:
    """Return a phrase in the normal form of gold phrases; one that the task discards is only lower-cased."""
    return normalise(phrase) or " ".join(phrase.lower().split())


def gold_phrase_ranks(phrases: Sequence[str], gold: Sequence[str]) -> list[int]:
    """Return the ranks (from 1) at which the gold phrases first occur."""
    normal = [plain(phrase) for phrase in phrases]
    return sorted(normal.index(one) + 1 for one in {plain(phrase) for phrase in gold} if one in normal)


def repeated(phrases: Sequence[str]) -> int:
    """Return the number of phrases that differ from an earlier one only in case, determiner or number."""
    return len(phrases) - len({" ".join(lemma(word) for word in plain(phrase).split()) for phrase in phrases})


def training_gold(path: str) -> frozenset[str]:
    """Return the normalised references of a file of training examples."""
    return _gold(path, file_digest(path))


@lru_cache(maxsize=4)
def _gold(path: str, digest: str | None) -> frozenset[str]:
    """Read the file; the digest is an argument, so that a changed file is read again."""
    return frozenset(plain(text) for example in read_examples(path).examples for text in example.references)


@dataclass(frozen=True)
class Nbest(SumMetric):
    """Hits, recall, reciprocal rank and average precision of the gold phrases in a generated list, averaged over items.

    A gold phrase counts once, at its first rank; repetitions occupy ranks without gain. `nbest.repeated` and
    `nbest.seen` are shares of all phrases of all lists, `nbest.size` is the mean length of a list.
    """

    k: int = 10
    """Cutoff of hits and recall."""
    train: str = ""
    """File of training examples for `nbest.seen`, the share of phrases that are gold there."""

    name: ClassVar = "nbest"
    category: ClassVar = "semantic"
    summary: ClassVar = "rank of the gold phrases in a list of generated phrases"
    needs: ClassVar = ("references",)
    citation: ClassVar = "Jumel, Louis, Cheung (2020), TESA, free generation"

    extent: ClassVar = ("k",)

    def __post_init__(self) -> None:
        self.require("k", 1)

    def options(self) -> dict[str, Any]:
        known = content_digest(lambda: sorted(training_gold(self.train))) if self.train else ""
        return super().options() | {"train": known}

    def _names(self) -> tuple[str, ...]:
        return "nbest.hit@1", f"nbest.hit@{self.k}", f"nbest.recall@{self.k}", "nbest.mrr", "nbest.map"

    def parts(self) -> tuple[Part, ...]:
        hidden = (f"nbest.hit@{self.k}",)
        means = [Part(name, shown=name not in hidden, digits=3) for name in dict.fromkeys(self._names())]
        shares = [Part(name, None, shown=False, digits=3) for name in ("nbest.repeated", "nbest.seen")]
        return (*means, *shares, Part("nbest.size", None, shown=False, digits=1, bounds=(0, None)))

    def columns(self) -> tuple[str, ...]:
        return (*self._names(), "repeated", "seen", "phrases", "count")

    def statistics(self, items: Items) -> Dense:
        known = training_gold(self.train) if self.train else frozenset()
        rows = []
        for example, output in zip(items.examples, items.outputs, strict=True):
            gold = {plain(text) for text in example.references}
            try:
                phrases = phrases_of(output)
            except AssayError as error:
                raise AssayError(f"id {example.id}: {error}") from None
            ranks = gold_phrase_ranks(phrases, sorted(gold))
            within = [rank for rank in ranks if rank <= self.k]
            rows.append([
                float(1 in ranks), float(bool(within)), len(within) / len(gold), 1 / ranks[0] if ranks else 0.0,
                average_precision(ranks, len(gold)),
                float(repeated(phrases)), float(sum(plain(phrase) in known for phrase in phrases)),
                float(len(phrases)), 1.0,
            ])  # fmt: skip
        return Dense(self.columns(), np.array(rows, dtype=np.float64))

    def values(self, sums: Floats) -> Values:
        means = {name: divide(sums[:, i], sums[:, 8]) for i, name in enumerate(self._names())}
        seen = divide(sums[:, 6], sums[:, 7]) if self.train else np.full(len(sums), np.nan)
        return means | {
            "nbest.repeated": divide(sums[:, 5], sums[:, 7]),
            "nbest.seen": seen,
            "nbest.size": divide(sums[:, 7], sums[:, 8]),
        }

    def undefined(self, part: str) -> str:
        if part == "nbest.seen" and not self.train:
            return "no training examples. Give nbest:train=FILE."
        return "the lists are empty"
