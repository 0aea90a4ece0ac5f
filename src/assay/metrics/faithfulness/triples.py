"""Triples: who does what to whom in the output, and whether a triple of the source says the same."""

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
"""What belongs to an argument besides its head."""
DENIED = "not "
"""What stands before a relation that is denied; no nearness of words makes up for it."""
Triple = tuple[str, str, str]


@dataclass(frozen=True)
class Triples(ParsedMetric):
    """The share of the outputs' triples (subject, relation, object, read off a parse) that one of the source's
    matches: the cosine of their subjects, relations and objects is above `threshold` for all three. Over all triples
    of all outputs; an output without one counts nothing."""

    threshold: float = 0.6
    """What the three cosines must exceed."""
    vectors: str = "wordllama"
    """Vectors of words: `wordllama`, a text file of them, or `hashed`, by which only equal words are alike."""

    name: ClassVar = "triples"
    summary: ClassVar = "share of the output's subject-relation-object triples that its source has"
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

    def supported(self, said: list[Hashable], known: list[Hashable]) -> int:
        ours, theirs = cast("list[Triple]", said), cast("list[Triple]", known)
        return sum(
            any(all(self._alike(a, b) for a, b in zip(one, other, strict=True)) for other in theirs) for one in ours
        )

    def _alike(self, one: str, other: str) -> bool:
        if one == other:
            return True
        if one.startswith(DENIED) != other.startswith(DENIED):
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
    """The verb, with what turns it round."""
    denied = any(lemma(token) in ("not", "n't", "never", "no") for token in below)
    return f"{DENIED}{lemma(verb)}" if denied else lemma(verb)


def _mean(phrase: str, name: str) -> Vector:
    of = word_vectors(name)
    found = [vector for word in phrase.split() if (vector := of(word)) is not None]
    return np.asarray(np.mean(found, axis=0)) if found else np.zeros(1)
