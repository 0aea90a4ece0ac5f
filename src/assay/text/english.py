"""English words by rule: function words left out, nouns in the singular."""

from __future__ import annotations

import string

FUNCTION_WORDS = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves what which who whom this that these those am is are was were be
    been being have has had having do does did doing a an the and but if or because as until while of at by for with
    about against between into through during before after above below to from up down in out on off over under
    again further then once here there when where why how all any both each few more most other some such no nor not
    only own same so than too very s t can will just don should now
"""
STOP = frozenset(FUNCTION_WORDS.split())
PUNCTUATION = str.maketrans("", "", string.punctuation)


def lemma(word: str) -> str:
    """The singular of an English noun by rule; as in the published features, capitalised words stay as they are."""
    if word[:1].isupper() or len(word) < 4 or word.endswith(("ss", "us", "is", "ics", "news")):
        return word
    for plural, single in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("men", "man")):
        if word.endswith(plural):
            return word.removesuffix(plural) + single
    return word.removesuffix("s")


def words(text: str, lemmas: bool, stops: bool = True) -> list[str]:
    """Words in lower case without punctuation; `stops` leaves function words out."""
    split = text.translate(PUNCTUATION).split()
    kept = [word for word in split if not stops or word.lower() not in STOP]
    return [(lemma(word) if lemmas else word).lower() for word in kept]
