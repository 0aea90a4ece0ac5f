"""Entity aggregation (TESA): normalising what people answered, candidates to rank, and features of a candidate."""

from __future__ import annotations

import hashlib
import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.records import Example

NUMBERS = ("two", "three", "four", "five", "six")
EXTENDED = ("a", "an", "these", "those", "both", "all", *NUMBERS, "seven", "eight", "nine", "ten")
FORBIDDEN_WORDS = frozenset(("have", "are", "and"))
DISCARDED = frozenset(("the", "na"))
TYPE_ONLY = frozenset(("people", "areas", "organizations"))
DISCUSSED = re.compile(r" are discussed", re.IGNORECASE)


class Normalised(NamedTuple):
    """The phrase, or None with the reason why there is none."""

    phrase: str | None
    why: str = ""


def normalise(answer: str, extended: bool = False) -> Normalised:
    """One crowd answer as a gold phrase, by the published rules in their order.

    `extended` also drops other determiners and digits at the start, as the paper says but its program does not.
    """
    first = answer.find(".")
    if first >= 0 and DISCUSSED.search(answer[:first]):
        answer = answer[first + 1 :]
    words = answer.strip().rstrip(". ").lower().split()
    if not words:
        return Normalised(None, "empty")
    for group in (("the",), NUMBERS):
        if words[0] in group and len(words) > 1:
            words = words[1:]
    while extended and len(words) > 1 and (words[0] in EXTENDED or words[0] == "the" or words[0].isdigit()):
        words = words[1:]
    phrase = " ".join(words)
    if FORBIDDEN_WORDS & set(words) or "/" in phrase or phrase in DISCARDED:
        return Normalised(None, "discarded")
    if phrase in TYPE_ONLY:
        return Normalised(None, "only the type")
    return Normalised(phrase)


def annotation(answers: Sequence[str], impossible: bool = False, extended: bool = False) -> list[str]:
    """The gold phrases of one worker's record; none if the box was ticked."""
    found = () if impossible else (normalise(answer, extended).phrase for answer in answers)
    return list(dict.fromkeys(phrase for phrase in found if phrase))


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


Vectors = Callable[[str], NDArray[np.float64] | None]


@lru_cache(maxsize=100_000)
def hashed_vector(word: str) -> NDArray[np.float64]:
    """A random direction that depends on the word alone: cosines then measure shared words, not meaning."""
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    return np.random.default_rng(seed).standard_normal(64)


def mean_vector(group: Sequence[str], vectors: Vectors) -> NDArray[np.float64] | None:
    """The mean over the words that have a vector; None if none has."""
    found = [vector for word in group if (vector := vectors(word)) is not None]
    return np.mean(found, axis=0) if found else None


def cosine(a: NDArray[np.float64] | None, b: NDArray[np.float64] | None) -> float:
    """Of two mean vectors; 0 where one is missing."""
    if a is None or b is None:
        return 0.0
    length = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / length if length else 0.0


@dataclass
class Features:
    """The 15 features of a candidate, in the published order."""

    counts: Mapping[str, int] = field(default_factory=Counter)
    """Training examples for which a phrase is gold."""
    vectors: Vectors = hashed_vector
    lemmatise_candidates: bool = False

    def rows(self, example: Example, candidates: Sequence[str], own: Sequence[int] = ()) -> NDArray[np.float64]:
        """One row a candidate. `own` is taken off the frequency: an example must not tell that its phrase is gold."""
        given: dict[str, Any] = example.input or {}
        if missing := [key for key in ("entities", "background", "title", "context") if key not in given]:
            raise AssayError(f"id {example.id}: no {missing[0]}; `input` needs entities, background, title and context")
        each = [words(text, lemmas=True) for text in given["background"]]
        background = [word for one in each for word in one]
        filled = [set(one) for one in each if one]
        shared = set.intersection(*filled) if filled else set()
        context = words(given["title"], lemmas=True) + words(given["context"], lemmas=True)
        names = [word for name in given["entities"] for word in words(name, lemmas=False, stops=False)]
        everything = names + context + background
        either = shared | set(context)
        groups = (background, sorted(shared), context, everything, sorted(either))
        means = [mean_vector(group, self.vectors) for group in groups]
        made = []
        for i, candidate in enumerate(candidates):
            said = words(candidate, lemmas=self.lemmatise_candidates)
            plain = set(said)
            mine = mean_vector(said, self.vectors)
            near = [cosine(mine, mean) for mean in means]
            inside = [sum(word in plain for word in group) for group in (background, context, everything)]
            made.append([
                self.counts.get(candidate, 0) - (own[i] if own else 0),
                inside[0], len(plain & set(background)), len(plain & shared),
                sum(bool(plain & set(one)) for one in each), near[0], near[1],
                inside[1], len(plain & set(context)), near[2],
                inside[2], len(plain & set(everything)), len(plain & either), near[3], near[4],
            ])  # fmt: skip
        return np.array(made, dtype=np.float64)
