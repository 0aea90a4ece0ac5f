"""Coreference in parses: the mention that a pronoun refers to, from annotated entities or by rules.

Annotated entities are brackets in the last field of CoNLL-U (`Entity=(e1` .. `e1)`, as in CorefUD), which
parsers with a coreference component also give. The rules resolve English third-person pronouns only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from assay.text.conllu import Sentence, Token

Coreference = Literal["none", "entities", "rules"]
BRACKET = re.compile(r"\((?P<begin>[^-()|]+)(?:-[^()]*)?(?P<single>\))?|(?P<end>[^-()|]+)\)")
MENTIONS = ("NOUN", "PROPN")
SUBJECTS = ("nsubj", "csubj")
PERSONS = frozenset("he him himself she her herself".split())
THINGS = frozenset("it itself".split())
SEVERAL = frozenset("they them themselves".split())
POSSESSIVE = {"his": "he", "hers": "she", "its": "it", "their": "they", "theirs": "they"}
FURTHEST = 3
"""Sentences back to which the rules look."""


class Place(NamedTuple):
    """A word of a text: the number of its sentence, and its number in it."""

    sentence: int
    word: int


def antecedents(sentences: Sequence[Sentence], method: Coreference) -> dict[Place, Place]:
    """Return for each pronoun that is resolved the head of the mention that it refers to."""
    if method == "none":
        return {}
    return dict(_annotated(sentences) if method == "entities" else _by_rules(sentences))


def _annotated(sentences: Sequence[Sentence]) -> Iterator[tuple[Place, Place]]:
    mentions: dict[str, list[list[Place]]] = {}
    for number, sentence in enumerate(sentences):
        open_: dict[str, list[list[Place]]] = {}
        for token in sentence.tokens:
            place = Place(number, token.id)
            closed = []
            for bracket in BRACKET.finditer(token.entity):
                if bracket["begin"]:
                    span: list[Place] = []
                    mentions.setdefault(bracket["begin"], []).append(span)
                    open_.setdefault(bracket["begin"], []).append(span)
                    closed += [bracket["begin"]] if bracket["single"] else []
                else:
                    closed.append(bracket["end"])
            for spans in open_.values():
                for span in spans:
                    span.append(place)
            for entity in closed:
                if open_.get(entity):
                    open_[entity].pop()
    for spans in mentions.values():
        heads = [_head(sentences, span) for span in spans if span]
        main = next((place for place in heads if _token(sentences, place).upos in MENTIONS), None)
        for place in heads:
            if main is not None and _token(sentences, place).upos == "PRON":
                yield place, main


def _token(sentences: Sequence[Sentence], place: Place) -> Token:
    return next(token for token in sentences[place.sentence].tokens if token.id == place.word)


def _head(sentences: Sequence[Sentence], span: Sequence[Place]) -> Place:
    """Return the word of a mention whose head is outside of it."""
    inside = {place.word for place in span}
    return next((place for place in span if _token(sentences, place).head not in inside), span[0])


def _by_rules(sentences: Sequence[Sentence]) -> Iterator[tuple[Place, Place]]:
    """Take the nearest sentence with a mention that agrees, and in it the first by `_order`."""
    candidates = [
        (Place(number, token.id), token, any(child.relation == "conj" for child in sentence.children(token.id)))
        for number, sentence in enumerate(sentences)
        for token in sentence.tokens
        if token.upos in MENTIONS and token.relation not in ("compound", "flat", "conj", "amod", "nummod")
    ]
    for number, sentence in enumerate(sentences):
        for token in sentence.tokens:
            word = POSSESSIVE.get(token.form.lower(), token.form.lower())
            if token.upos not in ("PRON", "DET") or word not in PERSONS | THINGS | SEVERAL:
                continue
            before = [
                (number - place.sentence, *_order(word, other), place.word, place)
                for place, other, joined in candidates
                if (place.sentence, place.word) < (number, token.id)
                and number - place.sentence <= FURTHEST
                and _agree(word, other, joined)
                and not (place.sentence == number and other.head == token.head)  # `Ada saw her`: another person
            ]
            if before:
                yield Place(number, token.id), min(before)[-1]


def _agree(word: str, other: Token, joined: bool) -> bool:
    several = other.features.get("Number") == "Plur" or joined
    return several if word in SEVERAL else not several


def _order(word: str, other: Token) -> tuple[int, int, int]:
    """Return how unlikely a mention is: persons are named and act in a clause, things mostly have no name."""
    subject = other.relation in SUBJECTS
    agent = other.subtype == "agent"
    far = 0 if subject or agent or other.relation in ("obj", "iobj", "root") else 2 if other.relation == "nmod" else 1
    if word in SEVERAL:
        return far, 0, int(not subject)
    if word in THINGS:
        return int(other.upos == "PROPN"), far, int(not subject)
    return far, int(other.upos != "PROPN"), int(not agent and (not subject or other.subtype == "pass"))
