"""Subject-relation-object triples of the output that match a triple of the source."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from assay.metrics.faithfulness.parsed_metric import Parsed, ParsedMetric, lemma
from assay.models.code_digest import file_digest
from assay.models.word_vectors import Vector, missing_vectors, word_vectors
from assay.text.conllu import Sentence, Token

SUBJECTS = ("nsubj", "csubj")
OBJECTS = ("obj", "iobj", "obl", "xcomp", "ccomp")
INSIDE = frozenset("compound flat amod nummod nmod".split())
"""Relations of words that belong to an argument with its head."""
NEGATED = "not "
"""Prefix of a negated relation, which matches negated relations only."""
Triple = tuple[str, str, str]


@dataclass(frozen=True)
class Triples(ParsedMetric):
    """Share of the triples (subject, relation, object) of the outputs that match a triple of their sources.

    Two triples match if the cosines of their subjects, relations and objects are all above `threshold`. Triples are
    read from dependency parses. The share is computed over all triples of all outputs; an output without triples is
    left out.
    """

    threshold: float = 0.6
    """Cosine that subjects, relations and objects must exceed."""
    vectors: str = "wordllama"
    """Word vectors: `wordllama`, a text file, or `hashed`, with which only equal words are similar."""

    name: ClassVar = "triples"
    summary: ClassVar = "share of the output's subject-relation-object triples that the source supports"
    citation: ClassVar = (
        "Goodrich et al. (2019), Assessing the Factual Accuracy of Generated Text; Pagnoni et al. (2021)"
    )

    def __post_init__(self) -> None:
        self.require("threshold", -1, 1)

    def options(self) -> dict[str, Any]:
        return super().options() | {"vectors": file_digest(self.vectors) or self.vectors}

    def why_not(self) -> str | None:
        return super().why_not() or missing_vectors(self.vectors)

    def facts(self, parsed: Parsed) -> Iterator[Triple]:
        for sentence in parsed:
            for verb in sentence.tokens:
                below = sentence.children(verb.id)
                for subject in (token for token in below if token.relation in SUBJECTS):
                    for other in (token for token in below if token.relation in OBJECTS):
                        yield _phrase(sentence, subject), _relation(verb, below), _phrase(sentence, other)

    def supported(self, facts: list[Hashable], source_facts: list[Hashable]) -> int:
        triples, source_triples = cast("list[Triple]", facts), cast("list[Triple]", source_facts)
        return sum(
            any(all(self._alike(a, b) for a, b in zip(one, other, strict=True)) for other in source_triples)
            for one in triples
        )

    def _alike(self, one: str, other: str) -> bool:
        if one == other:
            return True
        if one.startswith(NEGATED) != other.startswith(NEGATED):
            return False
        a, b = _mean(one, self.vectors), _mean(other, self.vectors)
        lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
        return lengths > 0 and float(a @ b) / lengths > self.threshold

    def undefined(self, part: str) -> str:
        return "no output has a subject, a verb and an object"


def _phrase(sentence: Sentence, head: Token) -> str:
    inside = [token for token in sentence.children(head.id) if token.relation in INSIDE]
    return " ".join(lemma(token) for token in sorted([*inside, head], key=lambda token: token.id))


def _relation(verb: Token, below: list[Token]) -> str:
    """Return the lemma of the verb, with a prefix if it is negated."""
    negated = any(lemma(token) in ("not", "n't", "never", "no") for token in below)
    return f"{NEGATED}{lemma(verb)}" if negated else lemma(verb)


def _mean(phrase: str, name: str) -> Vector:
    vector_of = word_vectors(name)
    vectors = [vector for word in phrase.split() if (vector := vector_of(word)) is not None]
    return np.asarray(np.mean(vectors, axis=0)) if vectors else np.zeros(1)
