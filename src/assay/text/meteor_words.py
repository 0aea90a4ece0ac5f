"""Words as METEOR 1.5 cuts them with `-norm`: punctuation apart, hyphens open, contractions by language, lower case.

The rules are those of its program, in its order, also where one of them hides what the next would have found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

LETTERS = "A-Za-z\xc0-\xd6\xd8-\xf6\xf8-\u017e\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
WORD = f"0-9{LETTERS}"
NORMALIZED = ("en", "cs", "fr", "es", "de", "ru")
"""The languages that its program can cut; of others it takes texts as they are."""
DOT = "\ue000"
"""Stands for a dot of several until single ones have been looked at."""
ANY, BEFORE_NUMBERS = 1, 2
"""Where an abbreviation keeps its dot."""

OTHER = re.compile(rf"([^{WORD} \t\n\x0b\f\r.'`,\-\u2018\u2019])")
DOTS = re.compile(r"\.{2,}")
COMMAS = tuple(map(re.compile, ("([^0-9]),([^0-9])", "([0-9]),([^0-9])", "([^0-9]),([0-9])")))
SINGLE_QUOTES = re.compile("[`\u2018\u2019]")
DOUBLE_QUOTES = re.compile("[\u201c\u201d]|''")
HYPHEN = re.compile(rf"([{WORD}.])-([{WORD}])")
APART = r"\1 ' \2"
ENGLISH = (
    (re.compile(rf"([^{LETTERS}])'([^{LETTERS}])"), APART),
    (re.compile(rf"([^{LETTERS}0-9])'([{LETTERS}])"), APART),
    (re.compile(rf"([{LETTERS}])'([^{LETTERS}])"), APART),
    (re.compile(rf"([{LETTERS}])'([{LETTERS}])"), r"\1 '\2"),
    (re.compile(r"([0-9])'(s)"), r"\1 '\2"),
)
FRENCH = (
    (ENGLISH[0][0], APART),
    (re.compile(rf"([^{LETTERS}])'([{LETTERS}])"), APART),
    (ENGLISH[2][0], APART),
    (ENGLISH[3][0], r"\1' \2"),
)
NO_WORD = re.compile(rf"[^{WORD}]")
LETTER = re.compile(f"[{LETTERS}]")
SMALL, NUMBER = re.compile("[a-z]"), re.compile("[0-9]")
SPACES = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\xa0]+")
BLANK = re.compile(r"[ \t\n\r\f]+")


def meteor_words(text: str, language: str, prefixes: Mapping[str, int], punctuation: bool = True) -> list[str]:
    """The words of a text in one of the languages that can be cut; `prefixes` are abbreviations that keep their dot."""
    text = OTHER.sub(r" \1 ", f" {text} ")
    text = DOTS.sub(lambda found: f" {DOT * len(found[0])} ", text)
    for comma in COMMAS:
        text = comma.sub(r"\1 , \2", text)
    text = DOUBLE_QUOTES.sub(' " ', SINGLE_QUOTES.sub("'", text))
    text = HYPHEN.sub(r"\1 \2", text.replace("\u2013", "-").replace("--", "-"))
    if language in ("en", "fr"):
        for pattern, apart in ENGLISH if language == "en" else FRENCH:
            text = pattern.sub(apart, text)
    else:
        text = text.replace("'", " ' ")
    text = " ".join(_dots_apart(split(text), prefixes)).replace(DOT, ".")
    if not punctuation:
        text = NO_WORD.sub(" ", text)
    return split(SPACES.sub(" ", text).lower())


def split(text: str) -> list[str]:
    return [word for word in BLANK.split(text) if word]


def _dots_apart(words: list[str], prefixes: Mapping[str, int]) -> list[str]:
    """A dot at the end of a word is a word of its own, unless the word is an abbreviation or what follows is small."""
    made = []
    for place, word in enumerate(words):
        stem = word[:-1]
        if not stem or not word.endswith("."):
            made.append(word)
            continue
        following = words[place + 1] if place + 1 < len(words) else ""
        known = prefixes.get(stem)
        if "." in stem and LETTER.search(stem):
            made.append(word.replace(".", ""))
        elif known == ANY or SMALL.match(following) or (known == BEFORE_NUMBERS and NUMBER.match(following)):
            made.append(word)
        else:
            made += [stem, "."]
    return made
