"""Lexical complexity: frequency ranks of the rarer words of an output."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.base import MeanMetric, Part
from assay.metrics.engine.signatures import content_digest
from assay.metrics.engine.statistics import Dense
from assay.models.code_digest import file_digest
from assay.records.items import Items
from assay.text.english import STOP
from assay.text.tokenize import letter_words


@dataclass(frozen=True)
class LexicalComplexity(MeanMetric):
    """Upper quartile of ln(1 + frequency rank) over the content words of an output; mean over outputs.

    Ranks come from a list of words, the most frequent first. Words that are not in the list are ignored; an output
    without any listed word scores ln(1 + length of the list).
    """

    ranks: str | None = None
    """File with one word per line, the most frequent first; none uses the list of the package wordfreq."""

    name: ClassVar = "lexical_complexity"
    category: ClassVar = "simplification"
    summary: ClassVar = "frequency rank of the rarer words of an output"
    citation: ClassVar = "Martin et al. (2020), Controllable Sentence Simplification"
    needs: ClassVar = ()

    def parts(self) -> tuple[Part, ...]:
        return (Part("lexical_complexity", None, bounds=(0, None)),)

    def why_not(self) -> str | None:
        if self.ranks is None and not _has_wordfreq():
            return "needs a word frequency list: set lexical_complexity:ranks=FILE, or pip install wordfreq"
        return None

    def statistics(self, items: Items) -> Dense:
        rank = _ranks(self.ranks)
        known: dict[str, float] = {}
        values = []
        for text in items.outputs:
            logs = []
            for word in letter_words(text.lower()):
                if word in rank and word not in STOP:
                    logs.append(known.setdefault(word, math.log(1 + rank[word])))
            values.append(float(np.quantile(logs, 0.75)) if logs else math.log(1 + len(rank)))
        return self.rows({"lexical_complexity": np.array(values)})

    def options(self) -> dict[str, Any]:
        if self.ranks is not None:
            return {"ranks": content_digest(lambda: _ranks(self.ranks))}
        from importlib.metadata import version

        return {"ranks": f"wordfreq-{version('wordfreq') if _has_wordfreq() else 'not-installed'}"}


def _has_wordfreq() -> bool:
    from importlib.util import find_spec

    return find_spec("wordfreq") is not None


def _ranks(path: str | None) -> dict[str, int]:
    return _read_ranks(path, file_digest(path) if path else None)


@lru_cache(maxsize=4)
def _read_ranks(path: str | None, digest: str | None) -> dict[str, int]:
    """Read a list; the digest is part of the cache key, since the file may change during a run."""
    rank: dict[str, int] = {}
    for word in _listed(path):
        if word.strip():
            rank.setdefault(word.split()[0].lower(), len(rank))
    return rank


def _listed(path: str | None) -> list[str]:
    if path is None:
        from wordfreq import top_n_list

        return list(top_n_list("en", 50_000))
    expected = "expected one word per line, the most frequent first"
    if not Path(path).is_file():
        raise AssayError(f"lexical_complexity:ranks={path}: no such file; {expected}")
    try:
        return Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise AssayError(f"lexical_complexity:ranks={path}: not UTF-8 text ({error}); {expected}") from None
