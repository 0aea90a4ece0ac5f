"""Sentence ends in any script: the rule `multilingual` of `sentences`.

A sentence may end at a mark of Unicode's class Sentence_Terminal or at an ellipsis, with the closing quotes and
brackets behind it; in scripts without spaces at once, in others before white space. Thai has no such marks: it ends
sentences with a space, which it also puts inside them. Abbreviations, initials and ordinals decide the rest, by
language.
"""

from __future__ import annotations

import re

import regex

from assay.text.abbreviations import Abbreviations, abbreviations, guessed

OPENING = "\"'`“”„‘’‚«»‹›([{¿¡「『（【《〈*•-–—"
CLOSING = regex.escape("\"'“”‘’«»‹›)]}」』）】》〉")
ENDING = regex.compile(
    r"(?P<wide>[。！？｡．]+[”’」』）】》〉)\"']*)"
    rf"|(?<![\p{{Sentence_Terminal}}…])(?P<marks>[\p{{Sentence_Terminal}}…]++)[{CLOSING}]*+(?=\s|$)"
    r"|(?P<thai>(?<=\p{Thai})\s+(?=\p{Thai}))"
)
QUOTE_APART = re.compile(r"\s+(\"|''|”|»)(?=\s|$)")
"""A separate closing quote, as in tokenized text."""
NEXT = re.compile(r"\s*(\S+)(?:\s+(\S+))?")
SPELLED = re.compile(r"(?<![\w.])((?:[^\W\d_]\.\s?)*[^\W\d_])$")
"""Letters with full stops, with or without spaces: `U.S`, `z. B`, `т. д`; the last full stop is the current mark."""
NOT_LETTER = regex.compile(r"[^\p{L}\p{M}'’]")
REACH = 80
"""Characters that are considered: no abbreviation is longer, and a line can be very long."""

THAI_GOES_ON = ("ๆ", "และ", "หรือ", "ที่", "ซึ่ง", "เพราะ", "เพื่อ", "โดย", "จึง", "ของ", "กับ", "ว่า", "ทั้งนี้")
"""Beginnings of a clause that belongs to the previous one."""
THAI_WANTS_MORE = ("ๆ", "ว่า", "คือ", "เช่น", "ได้แก่", "และ", "หรือ", "ที่", "ของ", "กับ")
THAI_SHORT, THAI_WORD = 12, 8
"""Smallest length of a sentence; a shorter part after a space is a name, a unit or an item of a list."""


def split(text: str, language: str | None = None) -> list[str]:
    """Return the sentences of a text without surrounding white space. A line break ends a sentence."""
    known = abbreviations(language) if language else guessed(text)
    cased = text != text.lower()
    return [line[low:high].strip() for line in text.splitlines() for low, high in _spans(line, known, cased)]


def _spans(line: str, known: Abbreviations, cased: bool) -> list[list[int]]:
    """Return start and end of the sentences of a line. Marks without a word belong to the previous sentence."""
    spans: list[list[int]] = []
    begin = looked = 0
    for match in ENDING.finditer(line):
        end = match.end()
        if end <= begin or not _ends(line, begin, match, known, cased):
            continue
        quote = QUOTE_APART.match(line, end)
        if quote and (quote[1] != '"' or line.count('"', begin, end) % 2):
            end = quote.end()
        if _has_word(line, max(begin, looked), end):
            spans.append([begin, end])
        elif spans:
            spans[-1][1] = end
        else:  # marks at the start of a line are processed once
            looked = end
            continue
        begin = end
    if spans and not _has_word(line, begin, len(line)):
        spans[-1][1] = len(line)
    elif line[begin:].strip():
        spans.append([begin, len(line)])
    return spans


def _has_word(line: str, begin: int, end: int) -> bool:
    return any(line[i].isalnum() for i in range(begin, end))


def _ends(line: str, begin: int, match: regex.Match[str], known: Abbreviations, cased: bool) -> bool:
    if match["thai"]:
        return _thai(line, begin, match)
    if match["wide"]:
        return _wide(line, begin, match)
    next_words = NEXT.match(line, match.end())
    if next_words is None:
        return True
    following = next_words[1].lstrip(OPENING) or (next_words[2] or "").lstrip(OPENING)
    before = line[max(begin, match.start() - REACH) : match.start()]
    lower = following[:1].islower()
    ellipsis = match["marks"][-1] == "…" or match["marks"].endswith("..")
    if not before or before[-1].isspace():  # a separate mark, as in tokenized text
        return not (ellipsis and lower)
    if (lower and (cased or ellipsis)) or (ellipsis and following[:2].rstrip("'’ ") == "I"):
        return False
    if match["marks"] != ".":
        return True
    return not _abbreviated(before, following, known, cased)


def _abbreviated(before: str, following: str, known: Abbreviations, cased: bool) -> bool:
    """Return whether the full stop after `before` belongs to an abbreviation, initial or ordinal within a sentence.

    In scripts without capitals, nothing shows that a sentence starts after one.
    """
    *earlier, last = before.split()
    word = last.lstrip(OPENING)
    spelled = SPELLED.search(before)
    bare = "".join(spelled[1].split()).lower() if spelled else word.lower()
    starts = cased and _starts(following, known)
    if bare in known.names:
        return True
    if (bare in known.figures or bare.endswith(known.compounds)) and following[:1].isdigit():
        return True
    if bare.isdigit():
        if not earlier:
            return True  # the number of an item in a list
        return known.ordinals and len(bare) < 3 and (following[:1].isdigit() or not starts)
    if len(bare) == 1 and bare.isalpha():
        after_number = bare in known.open and bool(earlier) and not earlier[-1][-1].islower()
        return word != "I" and not (starts and (after_number or bool(known.starters)))
    if bare in known.open:
        return not starts
    if spelled and "." in bare:
        return not (starts and known.starters)
    return known.ordinals and bool(re.fullmatch("[IVXLC]+", word)) and not starts


def _starts(following: str, known: Abbreviations) -> bool:
    """Return whether a word looks like the start of a sentence; an initial does not."""
    if not known.starters:
        return not following[:1].isdigit()
    word = NOT_LETTER.split(following, maxsplit=1)[0]
    return following[1:2] != "." and word.lower().replace("’", "'") in known.starters


def _wide(line: str, begin: int, match: regex.Match[str]) -> bool:
    """Return whether the sentence continues after a quotation: 「…。」と, “…？”她问."""
    after = line[match.end() : match.end() + 3]
    if match["wide"][-1] not in "”」』\"'’":
        return True
    if after.startswith(("と", "って", "など", "という")):
        return False
    question = match["wide"].rstrip("”」』\"'’").endswith(("？", "！"))
    return not (question and line[begin : begin + REACH].lstrip()[:1] in '“「『"‘' and after[:1].isalpha())


def _thai(line: str, begin: int, match: regex.Match[str]) -> bool:
    before = line[begin : match.start()].strip()
    after = line[match.end() : match.end() + REACH].split(maxsplit=1)[0]
    if len(before) < THAI_SHORT or len(after) < THAI_WORD:
        return False
    return not after.startswith(THAI_GOES_ON) and not before.endswith(THAI_WANTS_MORE)
