"""Who did what to whom: names on exchanged sides of a word that claim and evidence share."""

from __future__ import annotations

from collections.abc import Sequence

from assay.metrics.support.claims import Sentence, Token, spelled
from assay.metrics.support.lexicon import form

BE = frozenset("be is are was were been being get got".split())
VERBS = """
buy bought buys purchase purchased acquire acquired acquires|beat beats defeat defeated defeats|sue sued sues|
kill killed murder murdered|hire hired recruit recruited|praise praised laud lauded|accuse accused accuses|
criticise criticised criticize criticized slam slammed attack attacked|meet met meets|marry married marries|
replace replaced replaces succeed succeeded|invite invited|help helped aid aided|own owns owned|
lead led leads head headed|call called phone phoned
"""
MEANING = {form(word): group.split()[0] for group in VERBS.replace("\n", " ").split("|") for word in group.split()}
"""Verbs with the same subject and object, by the first of them."""
SIDE = 8
"""Words before and after a word where its names are looked for."""


def swapped_roles(claim: Sentence, near: Sequence[Sentence]) -> str | None:
    """Return two names on exchanged sides of a word that claim and evidence share, passives considered."""
    for one in near:
        same = False
        names = claim.names | one.names
        theirs = {_verb(token): i for i, token in reversed(list(enumerate(one.tokens)))}
        for i, token in enumerate(claim.tokens):
            k = theirs.get(_verb(token))
            if k is None or not token.content or token.form in names:
                continue
            left, right = _sides(claim.tokens, i, names)
            other_left, other_right = _sides(one.tokens, k, names)
            first = (left & other_right) - other_left - right
            second = (right & other_left) - other_right - left
            if first and second:
                a, b = min(first), min(second)
                return f"{spelled(claim, a)} and {spelled(claim, b)} have exchanged roles ({token.text})"
            same = same or bool(left & other_left and right & other_right)
        if same:  # the best evidence has the names in these roles; the next one may be about something else
            return None
    return None


def _verb(token: Token) -> str:
    """Return what a verb is compared by: the first verb of its meaning that is listed, else its stem."""
    return MEANING.get(token.form, token.form)


def _sides(tokens: Sequence[Token], place: int, names: frozenset[str]) -> tuple[set[str], set[str]]:
    """Return the names before and after a word, exchanged if it is in the passive voice with `by`."""
    left = {token.form for token in tokens[max(0, place - SIDE) : place] if token.form in names}
    right = {token.form for token in tokens[place + 1 : place + 1 + SIDE] if token.form in names}
    passive = any(token.text.lower() in BE for token in tokens[max(0, place - 3) : place]) and any(
        token.text.lower() == "by" for token in tokens[place + 1 : place + 4]
    )
    return (right, left) if passive else (left, right)
