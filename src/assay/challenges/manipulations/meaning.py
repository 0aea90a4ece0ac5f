"""Small changes of meaning: another name, number or pronoun, or a negation.

They are rules without a grammar: a name is a run of capitalised words, a negation is added to the first auxiliary.
"""

from __future__ import annotations

import re
from random import Random

from assay.challenges.manipulations.base import Manipulation, Passage
from assay.text.cardinals import cardinals, in_dates, varied
from assay.text.english import STOP

NAME = re.compile(r"(?<![\w'’])[^\W\d_a-z][\w'’-]*(?:\s(?:(?:of|de|van|von|der|al)\s)?[^\W\d_a-z][\w'’-]*)*")
BEFORE_SENTENCE = frozenset('.!?…:"“”\n')
CASES = (
    ("he", "she"),
    ("we", "they"),
    ("me", "him", "us", "them"),
    ("my", "his", "our", "their", "its", "your"),
    ("mine", "hers", "ours", "theirs", "yours"),
    ("myself", "himself", "herself", "ourselves", "themselves", "itself"),
)
"""Pronouns to exchange; `her` is handled separately, and `I`, `you` and `it` would break agreement."""
SWAPS = {word: [other for other in case if other != word] for case in CASES for word in case}
PRONOUN = re.compile(rf"\b(?:{'|'.join(sorted({*SWAPS, 'her'}, key=len, reverse=True))})\b", re.IGNORECASE)
BE = "am is are was were will would can could should may might must do does did"
AUXILIARY = re.compile(rf"\b({BE.replace(' ', '|')}|has|have|had)\b", re.IGNORECASE)
CONTRACTED = re.compile(
    r"\b(is|are|was|were|has|have|had|do|does|did|could|would|should|must|might)n['’]t\b|\bcan(?:['’]t|not)\b|\bwon['’]t\b",
    re.IGNORECASE,
)
NOT = re.compile(rf"\b({BE.replace(' ', '|')}|has|have|had)\s+(?:not|n['’]t|never)\b", re.IGNORECASE)
PARTICIPLE = re.compile(
    r"\s+(?:\w+ly\s+|also\s+|already\s+|just\s+|since\s+)?(?:\w+(?:ed|en|wn|ne)|made|said|had|won|lost|left|sold|told|held|"
    r"led|put|set|cut|hit|met|paid|come|become|run|begun|found|built|sent|brought|bought|thought|taught|kept|felt|read)\b",
    re.IGNORECASE,
)
DO = {"has": "does", "have": "do", "had": "did"}


def names_in(text: str) -> list[re.Match[str]]:
    """Return runs of capitalised words. One at a sentence start counts if it recurs or has several words."""
    dated = in_dates(text)
    matches = [match for match in NAME.finditer(text) if match.start() not in dated]
    inside = {match[0] for match in matches if not _starts_sentence(text, match.start())}
    return [
        match
        for match in matches
        if match[0].lower() not in STOP
        and (match[0] in inside or (" " in match[0] and match[0].split()[0].lower() not in STOP))
    ]


def _starts_sentence(text: str, at: int) -> bool:
    """Return whether nothing, or the end of a sentence, is between a position and the word before it."""
    for before in range(at - 1, -1, -1):  # backwards: a pattern would scan the whole text for each name
        if text[before] in BEFORE_SENTENCE:
            return True
        if text[before].isalnum() or text[before] == "_":
            return False
    return True


def entity_swap(passage: Passage, draw: Random) -> str | None:
    """Replace a name by another of the source, otherwise of the text, otherwise of another item."""
    names = names_in(passage.text)
    if not names:
        return None
    old = draw.choice(names)
    others = (draw.choice(passage.others) for _ in range(4 if passage.others else 0))
    places = [passage.source or "", passage.text, *others]
    for place in places:
        known = sorted({match[0] for match in names_in(place)} - {old[0]})
        new = [name for name in known if old[0] not in name and name not in old[0]]
        if new:
            return passage.text[: old.start()] + draw.choice(new) + passage.text[old.end() :]
    return None


def number_swap(passage: Passage, draw: Random) -> str | None:
    """Replace a number by another in the same format, years included."""
    numbers = cardinals(passage.text, years=True, language=passage.language)
    if not numbers:
        return None
    chosen = draw.choice(numbers)
    return passage.text[: chosen.start] + varied(chosen, draw) + passage.text[chosen.end :]


def negation(passage: Passage, draw: Random) -> str | None:
    """Negate the first auxiliary, or remove its negation."""
    text = passage.text
    contracted, negated = CONTRACTED.search(text), NOT.search(text)
    if contracted and not (negated and negated.start() < contracted.start()):
        word = contracted[0].lower()
        bare = contracted[1] or ("will" if word.startswith("won") else "can")
        return text[: contracted.start()] + _as(contracted[0], bare) + text[contracted.end() :]
    if negated:
        return text[: negated.start()] + negated[1] + text[negated.end() :]
    auxiliary = AUXILIARY.search(text)
    if auxiliary is None:
        return None
    word = auxiliary[0]
    if word.lower() in DO and not PARTICIPLE.match(text, auxiliary.end()):
        return text[: auxiliary.start()] + _as(word, DO[word.lower()]) + " not have" + text[auxiliary.end() :]
    return text[: auxiliary.end()] + " not" + text[auxiliary.end() :]


def pronoun_swap(passage: Passage, draw: Random) -> str | None:
    """Replace a pronoun by another of the same case."""
    pronouns = list(PRONOUN.finditer(passage.text))
    if not pronouns:
        return None
    old = draw.choice(pronouns)
    word = old[0].lower()
    if word == "her":
        following = re.match(r"\s+([\w'’-]+)", passage.text[old.end() :])
        owns = following is not None and following[1].lower() not in STOP
        new = draw.choice([other for other in CASES[3 if owns else 2] if other != word])
    else:
        new = draw.choice([*SWAPS[word], "her"] if word in ("him", "his") else SWAPS[word])
    return passage.text[: old.start()] + _as(old[0], new) + passage.text[old.end() :]


def _as(old: str, new: str) -> str:
    return new[0].upper() + new[1:] if old[0].isupper() else new


MEANING = (
    Manipulation("entity-swap", "a name is replaced by another", "worse", entity_swap),
    Manipulation("number-swap", "a number is replaced by another", "worse", number_swap),
    Manipulation(
        "negation", "the first auxiliary is negated, or its negation is removed", "worse", negation, english=True
    ),
    Manipulation("pronoun-swap", "a pronoun is replaced by another of its case", "worse", pronoun_swap, english=True),
)
