"""Shorten sources to whole sentences within a budget: lead, oracle, trained filter or scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from assay.errors import AssayError, UsageError, location
from assay.inputs import filters
from assay.records.inputs import texts_of, with_input
from assay.records.kinds import Sentences
from assay.records.recognize import read_table
from assay.records.types import Example
from assay.specs import build, parse
from assay.text.sentences import Splitter, split_sentences

Select = Callable[[Example, list[str]], list[int]]


@dataclass(frozen=True)
class Filter:
    """Sentence selection, e.g. `oracle:budget=512:tokenizer=whitespace+2`."""

    strategy: str
    """lead, oracle, the folder of a trained filter, or a file with scores."""
    budget: int = filters.BUDGET
    """Maximum number of tokens to keep."""
    tokenizer: str = "whitespace"
    """whitespace, whitespace+2 (two special tokens per sentence), or a model name."""
    splitter: Splitter = "multilingual"
    """Sentence splitter for sources that are not lists of sentences."""
    schema: str = ""
    """For the oracle: file of the markers of the references (default: FOMC's)."""

    def __post_init__(self) -> None:
        if self.budget < 1:
            raise AssayError(f"filter {self.strategy}: budget={self.budget} must be at least 1")

    @classmethod
    def of(cls, text: str, base: Path = Path()) -> Filter:
        """Parse `lead:budget=512`; a path is relative to the folder `base`."""
        spec = parse(text)
        known = spec.name in ("lead", "oracle")
        strategy = spec.name if known else str(base / spec.name)
        return build(_Options, spec._replace(name="filter"), {}).filter(strategy)

    def with_strategy(self, strategy: str) -> Filter:
        return replace(self, strategy=strategy)

    def shortening(self) -> Shortening:
        length = token_length(self.tokenizer)
        return Shortening(self, length, _select(self.strategy, self.budget, length, self.schema))


@dataclass(frozen=True)
class _Options:
    """Options of a strategy."""

    budget: int = filters.BUDGET
    tokenizer: str = "whitespace"
    splitter: Splitter = "multilingual"
    schema: str = ""

    def filter(self, strategy: str) -> Filter:
        return Filter(strategy, self.budget, self.tokenizer, self.splitter, self.schema)


@dataclass
class Shortening:
    """A filter with its counts."""

    filter: Filter
    length: filters.Length
    select: Select
    counts: Counter[str] = field(default_factory=Counter)
    """Number of sentences, of kept ones, and of sources whose first sentence exceeds the budget."""

    def each(self, examples: Sequence[Example]) -> Iterator[Example]:
        """Yield examples with shortened sources, in document order."""
        for example in examples:
            split = texts_of(example, "document")
            sentences = split or split_sentences(example.source or "", self.filter.splitter, example.language)
            if not sentences:
                raise AssayError(f"id {example.id}: no source to filter")
            kept = self.select(example, sentences)
            self.counts["sentences"] += len(sentences)
            self.counts["kept"] += len(kept)
            self.counts["over_budget"] += sum(self.length(sentences[i]) for i in kept) > self.filter.budget
            chosen = [sentences[i] for i in kept]
            shorter = msgspec.structs.replace(example, source=" ".join(chosen))
            yield with_input(shorter, document=chosen) if split else shorter


def token_length(tokenizer: str) -> filters.Length:
    """Return a function for the length of a sentence."""
    name, plus, special = tokenizer.partition("+")
    if name != "whitespace":
        return filters.tokenizer_length(tokenizer)
    if plus and not special.isdigit():
        raise UsageError(f"tokenizer {tokenizer}: write whitespace+2 for two special tokens per sentence")
    return filters.whitespace_length(int(special or 0))


def _select(strategy: str, budget: int, length: filters.Length, schema: str) -> Select:
    if strategy == "lead":
        return lambda example, sentences: filters.lead(sentences, budget, length)
    if strategy == "oracle":
        return lambda example, sentences: _oracle(example, sentences, budget, length, schema)
    if Path(strategy).is_dir():
        return _trained(strategy, budget, length)
    scores = _scores(Path(strategy))

    def learned(example: Example, sentences: list[str]) -> list[int]:
        if example.id not in scores:
            raise AssayError(f"{strategy}: no scores for id {example.id}")
        try:
            return filters.learned(sentences, scores[example.id], budget, length)
        except AssayError as error:
            raise AssayError(f"{strategy} id {example.id}: {error}") from None

    return learned


def _trained(folder: str, budget: int, length: filters.Length) -> Select:
    from assay.systems import system

    model = system(f"classifier:{folder}")
    if reason := model.why_not():
        raise AssayError(f"filter {folder}: {reason}")
    requested = [Example(id="filter", source="keep", input=Sentences().plain())]

    def learned(example: Example, sentences: list[str]) -> list[int]:
        (scores,) = model.classify(requested, [sentences])
        return filters.learned(sentences, scores, budget, length)

    return learned


def _oracle(example: Example, sentences: list[str], budget: int, length: filters.Length, schema: str) -> list[int]:
    if not example.references:
        raise AssayError(f"id {example.id}: the oracle needs references")
    from assay.text.english import stemmed_words

    return filters.oracle(sentences, filters.plain_targets(example, schema), budget, length, stemmed_words)


def _scores(path: Path) -> dict[str, list[float]]:
    scores_by_id: dict[str, list[float]] = {}
    for row in read_table(path).rows:
        values = row.fields.get("scores")
        if (
            "id" not in row.fields
            or not isinstance(values, list)
            or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        ):
            raise AssayError(f"{location(path, row.where)}: an id and a list of numbers under 'scores' are required")
        id = str(row.fields["id"])
        if id in scores_by_id:
            raise AssayError(f"{location(path, row.where)}: id {id} is not unique. Keep one.")
        if not all(map(math.isfinite, values)):
            raise AssayError(f"{location(path, row.where)}: id {id} has a score that is not finite. Use numbers.")
        scores_by_id[id] = [float(value) for value in values]
    return scores_by_id
