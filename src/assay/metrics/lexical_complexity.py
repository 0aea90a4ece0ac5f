"""Lexical complexity: how rare the rarer words of an output are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.base import MeanMetric, Part
from assay.metrics.statistics import Dense
from assay.records.items import Items
from assay.text.english import STOP
from assay.text.tokenize import letter_words


@dataclass(frozen=True)
class LexicalComplexity(MeanMetric):
    """The upper quartile of ln(1 + frequency rank) over an output's content words; the mean over outputs.

    Ranks come from a list of words, the most frequent first. Words that are not in it do not count; an output without
    any word of it gets ln(1 + length of the list).
    """

    ranks: str | None = None
    """A file with one word a line, the most frequent first; none takes the list of the package wordfreq."""

    name: ClassVar = "lexical_complexity"
    category: ClassVar = "simplification"
    summary: ClassVar = "how rare the rarer words are"
    citation: ClassVar = "Martin et al. (2020), Controllable Sentence Simplification"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (Part("lexical_complexity", None, bounds=(0, None)),)

    def why_not(self) -> str | None:
        if self.ranks is None and not _has_wordfreq():
            return "it needs a list of words by frequency: give lexical_complexity:ranks=FILE, or pip install wordfreq"
        return None

    def statistics(self, items: Items) -> Dense:
        rank = _ranks(self.ranks)
        known: dict[str, float] = {}
        values = []
        for text in items.outputs:
            found = []
            for word in letter_words(text.lower()):
                if word in rank and word not in STOP:
                    found.append(known.setdefault(word, math.log(1 + rank[word])))
            values.append(float(np.quantile(found, 0.75)) if found else math.log(1 + len(rank)))
        return self.rows({"lexical_complexity": np.array(values)})

    def signature(self, nrefs: str) -> str:
        if self.ranks is not None:
            return super().signature(nrefs)
        from importlib.metadata import version

        release = version("wordfreq") if _has_wordfreq() else "not-installed"
        return super().signature(nrefs).replace("ranks:none", f"ranks:wordfreq-{release}")


def _has_wordfreq() -> bool:
    from importlib.util import find_spec

    return find_spec("wordfreq") is not None


@lru_cache(maxsize=4)
def _ranks(path: str | None) -> dict[str, int]:
    if path is None:
        from wordfreq import top_n_list

        listed = top_n_list("en", 50_000)
    else:
        if not Path(path).is_file():
            raise AssayError(
                f"lexical_complexity:ranks={path}: no such file; give one word a line, frequent ones first"
            )
        listed = Path(path).read_text(encoding="utf-8").split("\n")
    rank: dict[str, int] = {}
    for word in listed:
        if word.strip():
            rank.setdefault(word.split()[0].lower(), len(rank))
    return rank
