"""Baseline systems without a model, for comparison with every other system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from assay.errors import AssayError
from assay.inputs import form, form_for
from assay.inputs.filters import oracle, whitespace_length
from assay.records.inputs import Candidates, kind_of, read_input, texts_of
from assay.records.kinds import Choice
from assay.records.types import Example
from assay.seeds import rng_for
from assay.systems.base import Answer, Logprob, System
from assay.text.sentences import Splitter, split_sentences


def text_of(example: Example) -> str:
    """Return the source, or the input in its default form."""
    return example.source if example.source is not None else form(form_for(example)).render(example)


def sentences_of(example: Example, splitter: Splitter) -> list[str]:
    """Return the sentences of the document, or of the source after splitting; none for an empty source."""
    return texts_of(example, "document") or split_sentences(text_of(example), splitter, example.language)


@dataclass(eq=False)
class Copy(System):
    name: ClassVar = "copy"
    about: ClassVar = "the input as it is"
    abilities: ClassVar = ("generate",)
    takes_form: ClassVar = False

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        return (Answer(example.id, text_of(example)) for example in examples)


@dataclass(eq=False)
class Shuffled(System):
    name: ClassVar = "shuffled"
    about: ClassVar = "the words of the input in random order"
    abilities: ClassVar = ("generate",)
    takes_form: ClassVar = False

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            words = text_of(example).split()
            rng_for(self.seed, "shuffled", example.id).shuffle(words)
            yield Answer(example.id, " ".join(words))


@dataclass(eq=False)
class Extract(System):
    """Base class of extractive baselines: sentences of the source in order, selected by a subclass."""

    abilities: ClassVar = ("generate",)
    takes_form: ClassVar = False

    splitter: Splitter = "multilingual"
    """Sentence splitter for sources that are not lists of sentences."""

    def choose(self, example: Example, sentences: Sequence[str]) -> Iterable[int]:
        raise NotImplementedError

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            sentences = sentences_of(example, self.splitter)
            chosen = self.choose(example, sentences) if sentences else ()
            yield Answer(example.id, " ".join(sentences[i] for i in chosen))


@dataclass(eq=False)
class Lead(Extract):
    name: ClassVar = "lead"
    about: ClassVar = "the first k sentences"
    presets: ClassVar = {"mucsum": {"k": 3, "splitter": "capitals"}}

    k: int = 3
    """Number of sentences."""

    def __post_init__(self) -> None:
        self.require("k", 1)

    def choose(self, example: Example, sentences: Sequence[str]) -> Iterable[int]:
        return range(min(self.k, len(sentences)))


@dataclass(eq=False)
class RandomSentence(Extract):
    name: ClassVar = "random-sentence"
    about: ClassVar = "k sentences drawn at random, in their order"

    k: int = 1
    """Number of sentences."""

    def __post_init__(self) -> None:
        self.require("k", 1)

    def choose(self, example: Example, sentences: Sequence[str]) -> Iterable[int]:
        places = range(len(sentences))
        return sorted(rng_for(self.seed, example.id).sample(places, min(self.k, len(places))))


@dataclass(eq=False)
class OracleExtract(Extract):
    name: ClassVar = "oracle-extract"
    about: ClassVar = "the sentences with the most bigrams of the references: an upper bound for extraction"

    budget: int = 60
    """Maximum number of words."""

    def __post_init__(self) -> None:
        self.require("budget", 1)

    def choose(self, example: Example, sentences: Sequence[str]) -> Iterable[int]:
        if not example.references:
            raise AssayError(f"id {example.id}: the oracle needs references; this item has none")
        return oracle(sentences, example.references, self.budget, whitespace_length())


@dataclass(eq=False)
class Random(System):
    name: ClassVar = "random"
    about: ClassVar = "chance: random scores for candidates and continuations; random training references as text"
    abilities: ClassVar = ("generate", "logprob", "classify")
    takes_form: ClassVar = False

    pool: list[str] = field(default_factory=list, init=False)

    def learn(self, train: Sequence[Example]) -> None:
        self.pool = [text for example in train for text in example.references]

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            if not self.pool:
                raise AssayError("system random generates training references; give them with --train")
            yield Answer(example.id, rng_for(self.seed, example.id).choice(self.pool))

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        return ([Logprob((score,)) for score in scores] for scores in self.classify(examples, continuations))

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        for example, texts in zip(examples, candidates, strict=True):
            draw = rng_for(self.seed, example.id)
            yield [draw.random() for _ in texts]


@dataclass(eq=False)
class Frequency(System):
    name: ClassVar = "frequency"
    about: ClassVar = "number of training examples with the candidate among their references"
    abilities: ClassVar = ("generate", "classify")
    takes_form: ClassVar = False
    trained: ClassVar = True
    citation: ClassVar = "Jumel, Louis, Cheung (2020), TESA, section 5"

    nbest: int = 1
    """Number of phrases listed, most frequent first."""

    counts: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        self.require("nbest", 1)

    def learn(self, train: Sequence[Example]) -> None:
        self.counts = Counter(text for example in train for text in set(example.references))

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        if not self.counts:
            raise AssayError("system frequency generates training references; the training examples have none")
        ranked = sorted(self.counts, key=lambda text: (-self.counts[text], text))[: self.nbest]
        details = {"nbest": [[text, float(self.counts[text])] for text in ranked]} if self.nbest > 1 else {}
        return (Answer(example.id, ranked[0], details) for example in examples)

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        return ([float(self.counts[text]) for text in texts] for texts in candidates)


@dataclass(eq=False)
class Gold(System):
    name: ClassVar = "gold"
    about: ClassVar = "always right, or with wrong=true always wrong: for checking an evaluation protocol"
    abilities: ClassVar = ("generate", "logprob", "classify")
    takes_form: ClassVar = False

    wrong: bool = False
    """Give the wrong answer instead of the right one."""

    def generate(self, examples: Sequence[Example]) -> Iterator[Answer]:
        for example in examples:
            if not example.references:
                raise AssayError(f"id {example.id}: no reference; add one, or leave the item out")
            yield Answer(example.id, "" if self.wrong else example.references[0])

    def logprob(
        self, examples: Sequence[Example], continuations: Sequence[Sequence[str]], prefixes: Sequence[str]
    ) -> Iterator[list[Logprob]]:
        for example, texts in zip(examples, continuations, strict=True):
            positive = read_input(example, Choice).positive if kind_of(example) == "choice" else None
            yield [Logprob((-1.0 if (text == positive) != self.wrong else -2.0,)) for text in texts]

    def classify(self, examples: Sequence[Example], candidates: Sequence[Sequence[str]]) -> Iterator[list[float]]:
        for example, texts in zip(examples, candidates, strict=True):
            ranking = read_input(example, Candidates)
            gold = dict(zip(ranking.candidates, ranking.labels, strict=True))
            yield [float(gold.get(text, 0) != self.wrong) for text in texts]
