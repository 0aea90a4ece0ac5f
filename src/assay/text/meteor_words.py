"""Words of METEOR 1.5 with `-norm`: punctuation and hyphens split, contractions by language, lower case.

The rules are those of its program, in its order, also where one of them hides what the next would have found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

LETTERS = "A-Za-z\xc0-\xd6\xd8-\xf6\xf8-\u017e\u0400-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
WORD = f"0-9{LETTERS}"
NORMALIZED = ("en", "cs", "fr", "es", "de", "ru")
"""Languages that its program tokenizes; texts of other languages stay unchanged."""
DOT = "\ue000"
"""Placeholder for the dots of an ellipsis while single dots are processed."""
ANY, BEFORE_NUMBERS = 1, 2
"""Position where an abbreviation keeps its dot."""

DIGIT, NO_DIGIT, LETTER, NO_LETTER = "0-9", "^0-9", LETTERS, f"^{LETTERS}"
Rule = tuple[re.Pattern[str], str]


def _between(left: str, mark: str, right: str, made: str) -> Rule:
    """Return the substitution of a mark between two kinds of characters. Both are consumed, so that of several marks in
    a row every second one stays unchanged."""
    return re.compile(f"([{left}]){mark}([{right}])"), rf"\1{made}\2"


OTHER = re.compile(rf"[^{WORD} \t\n\x0b\f\r.'`,\-\u2018\u2019]")
DOTS = re.compile(r"\.\.+")
COMMAS = tuple(
    _between(*sides, " , ") for sides in ((NO_DIGIT, ",", NO_DIGIT), (DIGIT, ",", NO_DIGIT), (NO_DIGIT, ",", DIGIT))
)
QUOTES = str.maketrans({**dict.fromkeys("`\u2018\u2019", "'"), **dict.fromkeys("\u201c\u201d", '"')})
HYPHEN = _between(f"{WORD}.", "-", WORD, " ")
NOT_INSIDE = _between(NO_LETTER, "'", NO_LETTER, " ' ")
BEHIND = _between(LETTER, "'", NO_LETTER, " ' ")
APOSTROPHES: Mapping[str, tuple[Rule, ...]] = {
    "en": (
        NOT_INSIDE,
        _between(f"{NO_LETTER}{DIGIT}", "'", LETTER, " ' "),
        BEHIND,
        _between(LETTER, "'", LETTER, " '"),
        _between(DIGIT, "'", "s", " '"),
    ),
    "fr": (NOT_INSIDE, _between(NO_LETTER, "'", LETTER, " ' "), BEHIND, _between(LETTER, "'", LETTER, "' ")),
}
"""Whether an apostrophe is attached to the next word, the previous word, or neither (all other languages)."""
NO_WORD = re.compile(rf"[^{WORD}]")
HAS_LETTER = re.compile(f"[{LETTERS}]")
SMALL, NUMBER = re.compile("[a-z]"), re.compile("[0-9]")
SPACES = re.compile("[ \u2000-\u200a\u202f\u205f\u3000\xa0]+")
BLANK = re.compile(r"[ \t\n\r\f]+")


def meteor_words(text: str, language: str, prefixes: Mapping[str, int], punctuation: bool = True) -> list[str]:
    """Return the words of a text in one of these languages; `prefixes` are abbreviations that keep their dot."""
    text = OTHER.sub(r" \g<0> ", f" {text} ")
    text = DOTS.sub(lambda match: f" {DOT * len(match[0])} ", text)
    text = _by(COMMAS, text).translate(QUOTES).replace("''", ' " ')
    text = _by((HYPHEN,), text.replace("\u2013", "-").replace("--", "-"))
    text = _by(APOSTROPHES[language], text) if language in APOSTROPHES else text.replace("'", " ' ")
    text = " ".join(_dots_apart(split(text), prefixes)).replace(DOT, ".")
    if not punctuation:
        text = NO_WORD.sub(" ", text)
    return split(SPACES.sub(" ", text).lower())


def _by(rules: Iterable[Rule], text: str) -> str:
    for pattern, made in rules:
        text = pattern.sub(made, text)
    return text


def split(text: str) -> list[str]:
    return [word for word in BLANK.split(text) if word]


def _dots_apart(words: list[str], prefixes: Mapping[str, int]) -> list[str]:
    """Split off the dot of a word, unless the word is an abbreviation or the next word is in lower case."""
    made = []
    for place, word in enumerate(words):
        stem = word[:-1]
        if not stem or not word.endswith("."):
            made.append(word)
            continue
        following = words[place + 1] if place + 1 < len(words) else ""
        known = prefixes.get(stem)
        if "." in stem and HAS_LETTER.search(stem):
            made.append(word.replace(".", ""))
        elif known == ANY or SMALL.match(following) or (known == BEFORE_NUMBERS and NUMBER.match(following)):
            made.append(word)
        else:
            made += [stem, "."]
    return made
