"""Sentence splitting by named rules, without a model or a download.

`multilingual`  the rule to use: what may end a sentence in any script, and by language which abbreviations, initials
                and ordinals do not (`sentence_ends`). It keeps every character but the white space between sentences.
`plain`         the rule of the readability formulas and of `rewriting`: English abbreviations, any script's capitals.
`capitals`      a cut after . ! ? before an ASCII capital or digit. It knows no abbreviation and loses closing quotes at
                a cut; it is kept for numbers that were made with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, get_args

from assay.errors import AssayError
from assay.specs import did_you_mean
from assay.text.sentence_ends import split

Splitter = Literal["multilingual", "plain", "capitals"]

END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’»)\]]*$")
SPACELESS_END = re.compile(r"(?<=[。！？])")
ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st sr jr rev hon gen col lt sgt capt gov sen rep pres inc ltd co corp dept univ assn no vs etc "
    "e.g i.e cf al fig vol pp approx est jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
CAPITALS_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])")


def split_sentences(text: str, rule: Splitter = "multilingual", language: str | None = None) -> list[str]:
    """Return the sentences of a text. Only `multilingual` uses the language, which is guessed if it is not given."""
    if rule == "multilingual":
        return split(text, language)
    if rule not in RULES:
        known = get_args(Splitter)
        raise AssayError(f"no sentence splitter called {rule}{did_you_mean(rule, known)}; there are {', '.join(known)}")
    return RULES[rule](text)


def plain_sentences(text: str) -> list[str]:
    """Split at . ! ? or … before a word that is not in lower case, at a separate mark, at a line break, and at 。！？.

    A full stop after an abbreviation or an initial does not end a sentence.
    """
    sentences = []
    for line in text.splitlines():
        for stretch in SPACELESS_END.split(line):
            words = stretch.split()
            begin = 0
            for i, word in enumerate(words):
                following = words[i + 1] if i + 1 < len(words) else ""
                if _ends(word, following):
                    sentences.append(" ".join(words[begin : i + 1]))
                    begin = i + 1
            if begin < len(words):
                sentences.append(" ".join(words[begin:]))
    return sentences


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


def capitals_sentences(text: str) -> list[str]:
    """Split at line breaks, and after final punctuation before a capital or digit."""
    return [sentence.strip() for line in text.split("\n") for sentence in CAPITALS_END.split(line) if sentence.strip()]


RULES: dict[str, Callable[[str], list[str]]] = {"plain": plain_sentences, "capitals": capitals_sentences}
