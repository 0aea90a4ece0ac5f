"""Subject-relation-object triples of the output that match a triple of the source."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from assay.metrics.faithfulness.parsed_metric import ParsedMetric, lemma
from assay.models.code_digest import file_digest
from assay.models.word_vectors import Vector, missing_vectors, word_vectors
from assay.text.conllu import Sentence, Token
from assay.text.coreference import Coreference, Place, antecedents
from assay.text.parsers import Parsed

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
    read from dependency parses: of verbs with their objects, complements and obliques, of passives with their agents,
    and of `be` with its predicates. The share is computed over all triples of all outputs; an output without triples
    is left out.
    """

    threshold: float = 0.6
    """Cosine that subjects, relations and objects must exceed."""
    vectors: str = "wordllama"
    """Word vectors: `wordllama`, a text file, or `hashed`, with which only equal words are similar."""

    coreference: Coreference = "none"
    """Mention in place of a pronoun: `none`, `entities` (annotated in the parses) or `rules` (English)."""

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
        mention_of = antecedents(parsed, self.coreference)

        def phrase(number: int, token: Token) -> str:
            at = mention_of.get(Place(number, token.id))
            if at is None:
                return _phrase(parsed[number], token)
            named = next(other for other in parsed[at.sentence].tokens if other.id == at.word)
            return _phrase(parsed[at.sentence], named)

        for number, sentence in enumerate(parsed):
            for subject, relation, other in _clauses(sentence):
                yield phrase(number, subject), relation, phrase(number, other)

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


def _clauses(sentence: Sentence) -> Iterator[tuple[Token, str, Token]]:
    """Yield subject, relation and object of the clauses of a sentence; of a passive with an agent, the agent acts."""
    for head in sentence.tokens:
        below = sentence.children(head.id)
        subjects = [token for token in below if token.relation in SUBJECTS]
        others = [token for token in below if token.relation in OBJECTS]
        if any(token.relation == "cop" for token in below):
            be = f"{NEGATED}be" if _negated(below) else "be"
            yield from ((subject, be, head) for subject in subjects)
        relation = _relation(head, below)
        agents = [token for token in others if _is_agent(sentence, token)] if _passive(subjects) else []
        for agent in agents:
            yield from ((agent, relation, subject) for subject in subjects)
            yield from ((agent, relation, other) for other in others if other not in agents)
        if not agents:
            yield from ((subject, relation, other) for subject in subjects for other in others)


def _passive(subjects: list[Token]) -> bool:
    return any(subject.subtype == "pass" for subject in subjects)


def _is_agent(sentence: Sentence, token: Token) -> bool:
    marks = (lemma(child) for child in sentence.children(token.id) if child.relation == "case")
    return token.relation == "obl" and (token.subtype == "agent" or "by" in marks)


def _phrase(sentence: Sentence, head: Token) -> str:
    inside = [token for token in sentence.children(head.id) if token.relation in INSIDE]
    return " ".join(lemma(token) for token in sorted([*inside, head], key=lambda token: token.id))


def _relation(verb: Token, below: list[Token]) -> str:
    """Return the lemma of the verb, with a prefix if it is negated."""
    return f"{NEGATED}{lemma(verb)}" if _negated(below) else lemma(verb)


def _negated(below: list[Token]) -> bool:
    return any(lemma(token) in ("not", "n't", "never", "no") for token in below)


def _mean(phrase: str, name: str) -> Vector:
    vector_of = word_vectors(name)
    vectors = [vector for word in phrase.split() if (vector := vector_of(word)) is not None]
    return np.asarray(np.mean(vectors, axis=0)) if vectors else np.zeros(1)
