"""Syntactic complexity by the revised D-level scale (Covington et al. 2006), from parses in CoNLL-U.

0  a simple sentence                               4  a non-finite complement with a subject of its own; a comparison
1  a non-finite complement with the same subject   5  an adverbial clause, finite or not
2  coordination (nouns: in the subject)            6  a clause as the subject, or a relative clause in it
3  a finite clause as object, a relative clause    7  more than one of these
   outside the subject, an extraposed subject
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.challenges.contrast.base import Contrast, Tags
from assay.errors import AssayError
from assay.records.types import Example
from assay.text.conllu import Sentence, Token, read_conllu

SUBJECTS = ("nsubj", "csubj")
FINITE = "Fin"


@dataclass(frozen=True)
class DLevel(Contrast):
    """Relations are those of Universal Dependencies, which do not mark nominalisations (levels 3 and 6): such
    sentences get a lower level. The level of several sentences is their maximum."""

    parses: str = ""
    """A CoNLL-U file of the sources; a sentence belongs to the item whose id is its sent_id (or begins it, before a
    dash or a dot and a number), or whose source is its text."""

    name: ClassVar = "d-level"
    about: ClassVar = "syntactic complexity of the source by the D-level scale, from its parse"
    gives: ClassVar = "d_level: 0 to 7"
    citation: ClassVar = (
        "Covington et al. 2006, How complex is that sentence?; Lu 2009, Automatic measurement of syntactic complexity"
    )

    def tags(self, examples: Sequence[Example]) -> Sequence[Tags]:
        if not self.parses:
            raise AssayError(
                "contrast d-level: parses=FILE is required (CoNLL-U of the sources); clauses needs no parses"
            )
        by_id: dict[str, int] = {}
        by_text: dict[str, int] = {}
        for sentence in read_conllu(Path(self.parses)):
            level = d_level(sentence)
            if id := sentence.comments.get("sent_id"):
                for known in (id, _document(id)):
                    by_id[known] = max(level, by_id.get(known, 0))
            text = sentence.comments.get("text") or " ".join(token.form for token in sentence.tokens)
            by_text[" ".join(text.split())] = level
        tagged: list[Tags] = []
        for example in examples:
            level_of = by_id.get(example.id, by_text.get(" ".join((example.source or "").split())))
            if level_of is None:
                raise AssayError(
                    f"id {example.id}: {self.parses} has no parse of it; its sent_id is the id, or its text the source"
                )
            tagged.append({"d_level": str(level_of)})
        return tagged


def _document(id: str) -> str:
    """Return `news-1` for `news-1-2` and `news-1.2`, the second sentence of an item."""
    head, sign, number = id.rpartition("-" if id.rpartition("-")[2].isdigit() else ".")
    return head if sign and number.isdigit() else id


def d_level(sentence: Sentence) -> int:
    """Return the level of one sentence."""
    levels = list(structures(sentence))
    return 7 if len(levels) > 1 else levels[0] if levels else 0


def structures(sentence: Sentence) -> Iterator[int]:
    """Return the level of every structure beyond a simple sentence, word by word."""
    by_id = {token.id: token for token in sentence.tokens}
    for token in sentence.tokens:
        head = by_id.get(token.head)
        if token.relation == "xcomp" and head is not None and _verbal(token, sentence):
            yield 4 if _has(sentence, head, ("obj", "iobj")) else 1
        elif token.relation == "ccomp":
            yield 3 if _finite(token, sentence) else 4
        elif token.relation == "csubj":
            yield 3 if head is not None and _has(sentence, head, ("expl",)) else 6
        elif token.relation == "advcl":
            yield 4 if _compared(token, head, sentence) else 5
        elif token.relation == "acl":
            yield 6 if _in_subject(token, by_id) else 3
        elif token.relation == "obl" and _compared(token, head, sentence):
            yield 4
        elif token.relation == "conj" and head is not None and _first(token, sentence) and _coordinated(head, by_id):
            yield 2


def _has(sentence: Sentence, head: Token, relations: Sequence[str]) -> bool:
    return any(child.relation in relations for child in sentence.children(head.id))


def _verbal(token: Token, sentence: Sentence) -> bool:
    """Whether it is a clause, not a predicated adjective or noun (`seems tired`)."""
    return token.upos == "VERB" or any(
        child.relation in ("cop", "mark", "aux") for child in sentence.children(token.id)
    )


def _finite(token: Token, sentence: Sentence) -> bool:
    forms = [token, *(child for child in sentence.children(token.id) if child.relation in ("aux", "cop"))]
    known = [each.features["VerbForm"] for each in forms if "VerbForm" in each.features]
    return FINITE in known if known else not any(child.lemma == "to" for child in sentence.children(token.id))


def _compared(token: Token, head: Token | None, sentence: Sentence) -> bool:
    marks = [child.lemma.lower() for child in sentence.children(token.id) if child.relation in ("mark", "case")]
    if "than" in marks:
        return True
    return "as" in marks and head is not None and any(c.lemma.lower() == "as" for c in sentence.children(head.id))


def _in_subject(token: Token, by_id: dict[int, Token]) -> bool:
    """Whether the word modified by a clause is in the subject of the main verb."""
    seen: set[int] = set()
    while token.head and token.id not in seen:
        seen.add(token.id)
        token = by_id[token.head]
        if token.relation in SUBJECTS:
            return by_id.get(token.head, token).relation == "root"
    return False


def _first(token: Token, sentence: Sentence) -> bool:
    """Count the conjuncts of one word once: `came, ate and sang` is one coordination."""
    return not any(child.relation == "conj" and child.id < token.id for child in sentence.children(token.head))


def _coordinated(head: Token, by_id: dict[int, Token]) -> bool:
    """Accept verbs, adjectives, adverbs and clauses anywhere; nouns in the subject."""
    if head.upos in ("NOUN", "PROPN", "PRON", "NUM"):
        return head.relation in SUBJECTS or head.relation == "root"
    return head.upos in ("VERB", "AUX", "ADJ", "ADV")
