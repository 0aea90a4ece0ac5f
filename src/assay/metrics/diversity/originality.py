"""Originality (GOT): share of sentences with new word sequences, and of sentences that copy no rare ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from assay.errors import AssayError
from assay.metrics.diversity.fragment_index import Sources, Words, literal_counts, parts_of, read_corpus, sources_of
from assay.metrics.diversity.fragment_segments import LONGEST
from assay.metrics.engine.base import Part, SumMetric, Values
from assay.metrics.engine.signatures import MISSING_FILE
from assay.metrics.engine.statistics import Dense, Floats, divide
from assay.models.code_digest import file_digest
from assay.records.files import digest_of
from assay.records.items import Items
from assay.text.fragments import fragment_words, windows
from assay.text.sentences import Splitter, split_sentences

COLUMNS = ("sentences", "testable", "original", "passed", "novel", "rare", "common", "longest", "items")


class Fragment(NamedTuple):
    """A fragment of a sentence of an output."""

    start: int
    end: int
    sources: int
    """Number of independent sources in the corpus."""
    matches: Sources | None
    """The sources; None if there are none, or with `literal`."""


class Sentence(NamedTuple):
    """A sentence of an output with its fragments."""

    words: Words
    fragments: list[Fragment]
    most: int

    @property
    def original(self) -> bool:
        """Whether some fragment does not occur in the corpus."""
        return any(not one.sources for one in self.fragments)

    @property
    def rare(self) -> list[Fragment]:
        """Fragments that may need a citation, the longest first."""
        return sorted(
            (one for one in self.fragments if 0 < one.sources <= self.most), key=lambda one: one.start - one.end
        )


@dataclass(frozen=True)
class Originality(SumMetric):
    """Share of sentences with a fragment that does not occur in the corpus, and share of sentences without a fragment
    from a single source (`originality.pass`).

    A fragment is a sequence of two or more words that neither begins nor ends with a function word.
    """

    corpus: str = ""
    """Corpus that outputs are compared with: a text file, JSONL with text, document and author, or an index made by
    `assay analyze originality` (required)."""
    most: int = 1
    """Maximum number of independent sources of a fragment that may need a citation."""
    lowercase: bool = True
    """Ignore case."""
    literal: bool = False
    """Count as in the printed algorithm: occurrences instead of sources, nothing after a known fragment."""
    splitter: Splitter = "plain"
    """Sentence splitter for outputs and corpus."""

    name: ClassVar = "originality"
    category: ClassVar = "diversity"
    summary: ClassVar = "sentences with new word sequences, and sentences that copy nothing from a single source"
    needs: ClassVar = ()
    citation: ClassVar = "Brooks and Youssef (2021), GOT: Testing for Originality in Natural Language Generation"

    def __post_init__(self) -> None:
        self.require("most", 1)

    def parts(self) -> tuple[Part, ...]:
        return (
            Part("originality", scale=100, digits=1),
            Part("originality.pass", scale=100, digits=1),
            *(Part(f"originality.{kind}", None, shown=False, digits=3) for kind in ("novel", "rare", "common")),
            Part("originality.longest", "lower", shown=False, digits=1, bounds=(0.0, None)),
            Part("originality.testable", None, shown=False, digits=3),
        )

    def columns(self) -> tuple[str, ...]:
        return COLUMNS

    def options(self) -> dict[str, Any]:
        return super().options() | {"corpus": corpus_digest(self.corpus)}

    def why_not(self) -> str | None:
        if not self.corpus:
            return "needs a corpus: set originality:corpus=FILE"
        if not Path(self.corpus).exists():
            return f"{self.corpus}: no such file or index (originality:corpus=FILE)"
        if Path(self.corpus).is_dir():
            return f"{self.corpus}: is an index; literal=true needs a file" if self.literal else None
        with Path(self.corpus).open("rb") as stream:
            if not any(map(bytes.strip, stream)):
                return f"{self.corpus}: is empty, so every fragment would be new; give a file with texts"
        return None

    def statistics(self, items: Items) -> Dense:
        values = np.zeros((len(items), len(COLUMNS)))
        for i, sentences in enumerate(self.examined(items.outputs)):
            for one in sentences:
                kinds = [sum(kind(f.sources) for f in one.fragments) for kind in (_novel, self._rare, self._common)]
                longest = max((f.end - f.start for f in one.rare), default=0)
                values[i] += 1, bool(one.fragments), one.original, not one.rare, *kinds, 0, 0
                values[i, -2] = max(values[i, -2], longest)
            values[i, -1] = 1
        return Dense(COLUMNS, values)

    def examined(self, outputs: Sequence[str]) -> list[list[Sentence]]:
        """Return the sentences of every output with their fragments and the sources of these in the corpus."""
        cut = [[tuple(fragment_words(text, self.lowercase)) for text in split_sentences(output, self.splitter)]
               for output in outputs]  # fmt: skip
        queries = {words for each in cut for words in each}
        if self.literal:
            counts = _literal(self.corpus, self.lowercase, self.splitter, file_digest(self.corpus))
            return [[self._sentence(words, counts) for words in each] for each in cut]
        known = sources_of(queries, parts_of(self.corpus, self.lowercase, self.splitter), self.most)
        return [[self._sentence(words, known) for words in each] for each in cut]

    def _sentence(self, words: Words, known: Any) -> Sentence:
        fragments = []
        for start, end in windows(words, LONGEST):
            entry = known.get(words[start:end])
            matches = entry if isinstance(entry, Sources) else None
            fragments.append(Fragment(start, end, matches.count if matches else entry or 0, matches))
        return Sentence(words, fragments, self.most)

    def _rare(self, count: int) -> bool:
        return 0 < count <= self.most

    def _common(self, count: int) -> bool:
        return count > self.most

    def values(self, sums: Floats) -> Values:
        column = dict(zip(COLUMNS, sums.T, strict=True))
        fragments = column["novel"] + column["rare"] + column["common"]
        return {
            "originality": divide(column["original"], column["sentences"]),
            "originality.pass": divide(column["passed"], column["sentences"]),
            **{f"originality.{kind}": divide(column[kind], fragments) for kind in ("novel", "rare", "common")},
            "originality.longest": divide(column["longest"], column["items"]),
            "originality.testable": divide(column["testable"], column["sentences"]),
        }

    def undefined(self, part: str) -> str:
        return "no output has a sentence with a fragment"


def _novel(count: int) -> bool:
    return not count


def corpus_digest(corpus: str) -> str:
    """Return a digest of a corpus file or index, independent of its path."""
    if not corpus:
        return ""
    path = Path(corpus)
    try:
        if not path.is_dir():
            return file_digest(corpus) or MISSING_FILE
        return digest_of([file_digest(str(file)) for file in sorted(path.glob("part-*/sentences.jsonl"))])
    except (AssayError, OSError):
        return MISSING_FILE


@lru_cache(maxsize=2)
def _literal(corpus: str, lowercase: bool, splitter: Splitter, digest: str | None) -> Any:
    """Count fragments; the digest is part of the cache key, since the file may change during a run."""
    return literal_counts(read_corpus(Path(corpus), splitter), lowercase)
