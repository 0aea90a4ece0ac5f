"""Dependencies of English spaCy pipelines (ClearNLP labels) as Universal Dependencies.

Prepositions become case marks of their objects, copulas depend on their predicates, and labels are renamed.
"""

from __future__ import annotations

from assay.text.conllu import Sentence, Token

CLEAR = frozenset(("pobj", "dobj", "nsubjpass", "prep"))
"""Labels that Universal Dependencies do not have."""
RENAMED = {
    "nsubjpass": ("nsubj", "pass"), "csubjpass": ("csubj", "pass"), "auxpass": ("aux", "pass"), "dobj": ("obj", ""),
    "dative": ("iobj", ""), "attr": ("xcomp", ""), "acomp": ("xcomp", ""), "oprd": ("xcomp", ""),
    "neg": ("advmod", ""), "relcl": ("acl", "relcl"), "poss": ("nmod", "poss"), "npadvmod": ("obl", "npmod"),
    "quantmod": ("advmod", ""), "prt": ("compound", "prt"), "predet": ("det", "predet"), "preconj": ("cc", "preconj"),
    "intj": ("discourse", ""), "meta": ("parataxis", ""), "nounmod": ("nmod", ""), "npmod": ("obl", "npmod"),
    "pcomp": ("advcl", ""), "complm": ("mark", ""), "parataxis": ("parataxis", ""),
}  # fmt: skip
PREPOSITIONS = ("prep", "agent", "dative")
NOMINAL = frozenset("NOUN PROPN PRON NUM ADJ DET".split())
"""Parts of speech whose prepositional phrases are `nmod`; those of others are `obl`."""


def to_universal(sentence: Sentence) -> Sentence:
    """Return a sentence with ClearNLP labels in Universal Dependencies."""
    tokens = {token.id: token for token in sentence.tokens}
    _move_copulas(tokens)
    _move_prepositions(tokens)
    for token in list(tokens.values()):
        if token.relation in RENAMED:
            relation, subtype = RENAMED[token.relation]
            tokens[token.id] = token._replace(relation=relation, subtype=subtype)
    return Sentence([tokens[token.id] for token in sentence.tokens], sentence.comments)


def _move_copulas(tokens: dict[int, Token]) -> None:
    """Make the predicate of a form of be the head of its clause."""
    for verb in list(tokens.values()):
        if verb.lemma != "be":
            continue
        below = [token for token in tokens.values() if token.head == verb.id]
        predicate = next((token for token in below if token.relation in ("attr", "acomp")), None)
        if predicate is None or not any(token.relation in ("nsubj", "csubj", "expl") for token in below):
            continue
        verb = tokens[verb.id]
        tokens[predicate.id] = predicate._replace(head=verb.head, relation=verb.relation, subtype=verb.subtype)
        tokens[verb.id] = verb._replace(head=predicate.id, relation="cop", subtype="", upos="AUX")
        for token in below:
            if token.id != predicate.id:
                tokens[token.id] = tokens[token.id]._replace(head=predicate.id)


def _move_prepositions(tokens: dict[int, Token]) -> None:
    """Attach the object of a preposition to the word that the preposition depends on."""
    for preposition in sorted(tokens.values(), key=lambda token: token.id):
        if preposition.relation not in PREPOSITIONS:
            continue
        below = [token for token in tokens.values() if token.head == preposition.id]
        object_ = next((token for token in below if token.relation == "pobj"), None)
        if object_ is None:
            if any(token.relation == "pcomp" for token in below):
                _move_clause(tokens, preposition, next(token for token in below if token.relation == "pcomp"))
            elif preposition.relation == "prep":
                tokens[preposition.id] = preposition._replace(relation="advmod")
            continue
        head = tokens.get(preposition.head)
        agent = preposition.relation == "agent"
        nominal = not agent and head is not None and head.upos in NOMINAL and head.relation != "root"
        nominal = nominal and not any(
            token.head == head.id and token.relation == "cop" for token in tokens.values() if head
        )
        tokens[object_.id] = object_._replace(
            head=preposition.head, relation="nmod" if nominal else "obl", subtype="agent" if agent else ""
        )
        tokens[preposition.id] = preposition._replace(head=object_.id, relation="case", subtype="")
        for token in below:
            if token.id != object_.id:
                tokens[token.id] = tokens[token.id]._replace(head=object_.id)


def _move_clause(tokens: dict[int, Token], preposition: Token, clause: Token) -> None:
    tokens[clause.id] = clause._replace(head=preposition.head, relation="advcl", subtype="")
    tokens[preposition.id] = preposition._replace(head=clause.id, relation="mark", subtype="")
