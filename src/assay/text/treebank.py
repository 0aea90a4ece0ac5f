"""Penn Treebank tokenization as in NLTK's word tokenizer: directed quotes, split clitics.

Opening single quotes are found by the package `regex`, as in NLTK since 3.10: there a combining mark (an accent, a Thai
vowel sign) is part of a word, in `re` it is not. Contractions are found by `re`, there too.
"""

from __future__ import annotations

import re

import regex

ENDS = "])}>\"'»”’ "
"""Characters that can follow the final full stop."""
HALVES = (("can", "not"), ("d", "'ye"), ("gim", "me"), ("gon", "na"), ("got", "ta"), ("lem", "me"), ("more", "'n"))
CLITICS = ("re", "ve", "ll", "m", "t", "s", "d", "n")
"""Contractions that start with an apostrophe."""

WHITE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
"""White space in Unicode. `str.split` also counts the separators U+001C to U+001F: they only divide the final words."""

SPACES = re.compile(f"[{WHITE}]+")
OPENING = re.compile("[«“‘„]|`+")
BEHIND_BRACKET = re.compile(r"(?<=[ (\[{<])(?:\"|'')")
QUOTATION = regex.compile(rf"(?<!\w)'(?=\w)(?!(?:{'|'.join(CLITICS)})\b)", regex.IGNORECASE)
BEFORE_NO_DIGIT = re.compile(r"[:,]\D")
MARKS = re.compile(r"\.\.+|[?!;@#$%&\u2012-\u2015]")
LAST_APOSTROPHE = re.compile(r"(?<=[^'])(?=' )")
BRACKETS_AND_LATER = re.compile(r"--|[][*(){}<>»”’]")
SHORT_CLITIC = re.compile(r"(?<=[^' ])(?='[sSmMdD]? )")
LONG_CLITIC = re.compile(r"(?<=[^' ])(?=(?:'(?:ll|LL|re|RE|ve|VE)|n't|N'T) )")
FIRST, SECOND = ("|".join(f"{one}(?={other})" for one, other in HALVES), "|".join(sorted({two for _, two in HALVES})))
TWO_IN_ONE = re.compile(rf"\b({FIRST}|wan(?=na\s))({SECOND})\b", re.IGNORECASE)
IT_IS, IT_WAS = (re.compile(rf"(?<= '[tT])({word})\b", re.IGNORECASE) for word in ("is", "was"))


def treebank_words(sentence: str) -> list[str]:
    """Return the words of one sentence; only a final full stop is a separate word."""
    text = _stop_apart(_opened(sentence))
    text = BEFORE_NO_DIGIT.sub(lambda match: f" {match[0][0]} {match[0][1]}", text)
    if text.endswith((":", ",")):
        text = f"{text[:-1]} {text[-1]}"
    text = LAST_APOSTROPHE.sub(" ", MARKS.sub(_apart, text))
    text = BRACKETS_AND_LATER.sub(_apart, text)
    text = SPACES.sub(" ", text.replace("''", '"').replace('"', " '' ")).strip(" ")
    text = LONG_CLITIC.sub(" ", SHORT_CLITIC.sub(" ", f" {text} "))
    return IT_WAS.sub(r" \1 ", IT_IS.sub(r" \1 ", TWO_IN_ONE.sub(r" \1 \2 ", text))).split()


def _opened(text: str) -> str:
    """Replace opening quotes by directed ones, separated by spaces."""
    text = OPENING.sub(_apart, text)
    text = f"``{text[1:]}" if text.startswith('"') else text
    text = BEHIND_BRACKET.sub(" `` ", text.replace("``", " `` "))
    return QUOTATION.sub("' ", text)


def _stop_apart(text: str) -> str:
    """Split off the final full stop if only closing quotes and brackets follow; an ellipsis is not split."""
    before, stop, behind = text.rpartition(".")
    if not stop or not before or before.endswith(".") or behind.rstrip(WHITE).strip(ENDS):
        return text
    return f"{before} . {behind.rstrip(WHITE)} "


def _apart(match: re.Match[str]) -> str:
    return f" {match[0]} "
