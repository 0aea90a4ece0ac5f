"""Features of a rewrite compared with its source, as in EASSE."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from assay.metrics._kernels import grams
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.layout import read_with_words
from assay.metrics.engine.statistics import Dense, divide
from assay.metrics.lexical.levenshtein import similarity
from assay.records.items import Items
from assay.text.alignment import characters
from assay.text.sentences import Splitter, split_sentences

NAMES = (
    "compression_ratio",
    "sentence_splits",
    "levenshtein_similarity",
    "exact_copies",
    "added",
    "deleted",
    "kept",
)
SPLIT = "split_outputs"


@dataclass(frozen=True)
class Rewriting(MeanMetric):
    """Means over items of: output characters over source characters; output sentences over source sentences;
    Levenshtein similarity; whether the output equals the source; and words added, deleted and kept over the words of
    the longer text. The scores are descriptive: whether splitting or deleting is good depends on the text."""

    tokenizer: Literal["13a", "none"] = "13a"
    """How texts are split into words; `none` splits at white space."""
    lowercase: bool = True
    """Lower-case outputs and sources."""
    spaces: bool = True
    """Count spaces as characters in the compression ratio."""
    splitter: Splitter = "plain"
    """Sentence splitter; part of the signature unless it is `plain`."""
    split: bool = False
    """Also `split_outputs`, the share of outputs with more sentences than their source."""

    extent: ClassVar = ("split",)
    name: ClassVar = "rewriting"
    category: ClassVar = "simplification"
    summary: ClassVar = "compression, sentence splits, copies, additions and deletions compared with the source"
    citation: ClassVar = "Martin et al. (2018); Alva-Manchego et al. (2019), EASSE"
    needs: ClassVar = ("sources",)
    presets: ClassVar = {"access": {"tokenizer": "none", "spaces": False}}

    def parts(self) -> tuple[Part, ...]:
        shown = ("compression_ratio", "sentence_splits", "exact_copies", SPLIT)
        names = (*NAMES, SPLIT) if self.split else NAMES
        return tuple(Part(n, None, shown=n in shown, digits=3, bounds=(0, None)) for n in names)

    def signature(self, nrefs: str) -> str:
        return super().signature(nrefs).replace("|splitter:plain", "")

    def statistics_key(self) -> str:
        return self.signature("any") + "|split" * self.split

    def statistics(self, items: Items) -> Dense:
        layout, vocabulary = read_with_words(items, self.tokenizer, self.lowercase, True, False)
        words = vocabulary.words()
        ids, bounds = layout.ids.tolist(), layout.starts.tolist()
        tokens = [[words[k] for k in ids[low:high]] for low, high in pairwise(bounds)]
        texts = [" ".join(each) for each in tokens]
        n = len(items)
        codes, starts = characters(texts, True)
        pairs = np.arange(n, dtype=np.int64)
        bare = np.array([sum(map(len, each)) for each in tokens], dtype=np.float64)
        size = np.diff(starts).astype(np.float64) if self.spaces else bare
        languages = [example.language for example in items.bare]
        both = zip((*items.outputs, *items.sources), languages * 2, strict=True)
        counted = np.array([max(len(split_sentences(text, self.splitter, of)), 1) for text, of in both])
        common = grams.matches(layout.ids, layout.starts, pairs, pairs + n, 1)[:, 0]
        own, source = layout.lengths[:n], layout.lengths[n:]
        longer = np.maximum(own, source)
        shares = {SPLIT: (counted[:n] > counted[n:]).astype(np.float64)} if self.split else {}
        return self.rows(
            {
                "compression_ratio": divide(size[:n], size[n:], 0.0),
                "sentence_splits": counted[:n] / counted[n:],
                "levenshtein_similarity": similarity(codes, starts, pairs, pairs + n),
                "exact_copies": np.array([texts[i] == texts[n + i] for i in range(n)], dtype=np.float64),
                "added": divide(own - common, longer, 0.0),
                "deleted": divide(source - common, longer, 0.0),
                "kept": divide(common, longer, 0.0),
                **shares,
            }
        )
