"""Statistics of examples; every mean with its denominator."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.datasets.vocabulary import Vocabulary
from assay.records.inputs import kind_of, read_input, texts_of
from assay.records.kinds import Event
from assay.text.spacy_words import spacy_words

if TYPE_CHECKING:
    from assay.records import Example

COUNTED_TAGS = ("size", "type", "act", "category", "acts", "system", "challenge", "highlighted", "gold")
"""Tags with few values, shown as a table of counts."""


@dataclass(frozen=True)
class Statistic:
    name: str
    value: float
    n: int
    """Denominator of the mean."""
    over: str
    """What the denominator counts."""


@dataclass
class _Mean:
    total: float = 0.0
    n: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.n += 1


@dataclass
class Measure:
    """Accumulate examples one at a time; memory grows with the numbers of documents and of different words."""

    means: dict[tuple[str, str], _Mean] = field(default_factory=dict)
    tags: dict[str, Counter[str]] = field(default_factory=dict)
    documents: Counter[str] = field(default_factory=Counter)
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    examples: int = 0

    def add(self, example: Example) -> None:
        self.examples += 1
        sentences = texts_of(example, "document")
        summary = read_input(example, Event).summary_sentences if kind_of(example) == "event" else None
        document = example.tags.get("document")
        first = document is not None and document not in self.documents
        if document is not None:
            self.documents[document] += 1
        source_words = len(spacy_words(example.source)) if example.source and (first or document is None) else 0
        if example.source and document is None:
            self._mean("words in the source", "examples", source_words)
        elif example.source and first:
            self._mean("words in the document", "documents", source_words)
        if first and sentences is not None:
            self._mean("sentences in the document", "documents", len(sentences))
        for text in (example.source, *example.references) if first or document is None else example.references:
            self.vocabulary.add(text or "")
        self._mean("references", "examples", len(example.references))
        for text in example.references:
            length = len(spacy_words(text))
            self._mean("words in a reference", "all references", length)
            if first:
                self._mean("words in a reference", "first event of each document", length)
        if summary is not None:
            self._mean("sentences in a reference", "all references", summary)
            if first:
                self._mean("sentences in a reference", "first event of each document", summary)
        for name in COUNTED_TAGS:
            if name in example.tags:
                self.tags.setdefault(name, Counter())[example.tags[name]] += 1

    def _mean(self, name: str, over: str, value: float) -> None:
        self.means.setdefault((name, over), _Mean()).add(value)

    @property
    def statistics(self) -> list[Statistic]:
        rows = []
        if self.documents:
            rows.append(
                Statistic("events in a document", self.examples / len(self.documents), len(self.documents), "documents")
            )
            rows.append(
                Statistic("most events in a document", max(self.documents.values()), len(self.documents), "documents")
            )
        rows += [Statistic(name, mean.total / mean.n, mean.n, over) for (name, over), mean in self.means.items()]
        known, over = self.vocabulary, "words of sources and references"
        named = {
            "different words": len(known.cased),
            "different words, case ignored": len(known.uncased),
            "type-token ratio, case ignored": known.ratio,
            "characters in a word": known.word_length,
        }
        return rows + [Statistic(name, value, known.words, over) for name, value in named.items() if known.words]
