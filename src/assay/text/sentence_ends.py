"""Where sentences end, in any script: the rule `multilingual` of `sentences`.

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
"""A closing quote that stands alone, as in tokenized text."""
NEXT = re.compile(r"\s*(\S+)(?:\s+(\S+))?")
SPELLED = re.compile(r"(?<![\w.])((?:[^\W\d_]\.\s?)*[^\W\d_])$")
"""Letters with full stops, together or apart: `U.S`, `z. B`, `т. д`; the last full stop is the mark at hand."""
NOT_LETTER = regex.compile(r"[^\p{L}\p{M}'’]")
REACH = 80
"""How far is looked: no abbreviation is longer, and a line may be as long as a book."""

THAI_GOES_ON = ("ๆ", "และ", "หรือ", "ที่", "ซึ่ง", "เพราะ", "เพื่อ", "โดย", "จึง", "ของ", "กับ", "ว่า", "ทั้งนี้")
"""A clause that begins so belongs to what stands before it."""
THAI_WANTS_MORE = ("ๆ", "ว่า", "คือ", "เช่น", "ได้แก่", "และ", "หรือ", "ที่", "ของ", "กับ")
THAI_SHORT, THAI_WORD = 12, 8
"""A shorter beginning is no sentence, and a shorter stretch after a space is a name, a unit or an item of a list."""


def split(text: str, language: str | None = None) -> list[str]:
    """The sentences of a text, each as it stands there without the white space around it. A line break ends one."""
    known = abbreviations(language) if language else guessed(text)
    cased = text != text.lower()
    return [line[low:high].strip() for line in text.splitlines() for low, high in _spans(line, known, cased)]


def _spans(line: str, known: Abbreviations, cased: bool) -> list[list[int]]:
    """Where the sentences of a line begin and end. Marks without a word belong to the sentence before them."""
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
        else:  # a line that begins with marks: they are not looked at again with each one that follows
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
    found = NEXT.match(line, match.end())
    if found is None:
        return True
    following = found[1].lstrip(OPENING) or (found[2] or "").lstrip(OPENING)
    before = line[max(begin, match.start() - REACH) : match.start()]
    lower = following[:1].islower()
    ellipsis = match["marks"][-1] == "…" or match["marks"].endswith("..")
    if not before or before[-1].isspace():  # a mark that stands alone, as in tokenized text
        return not (ellipsis and lower)
    if (lower and (cased or ellipsis)) or (ellipsis and following[:2].rstrip("'’ ") == "I"):
        return False
    if match["marks"] != ".":
        return True
    return not _abbreviated(before, following, known, cased)


def _abbreviated(before: str, following: str, known: Abbreviations, cased: bool) -> bool:
    """Whether the full stop after `before` belongs to an abbreviation, an initial or an ordinal that goes on. Without
    capitals nothing shows that a sentence begins after one."""
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
    """Whether a word looks like the beginning of a sentence; an initial does not."""
    if not known.starters:
        return not following[:1].isdigit()
    word = NOT_LETTER.split(following, maxsplit=1)[0]
    return following[1:2] != "." and word.lower().replace("’", "'") in known.starters


def _wide(line: str, begin: int, match: regex.Match[str]) -> bool:
    """A quotation that somebody is said to have said goes on: 「…。」と, “…？”她问."""
    after = line[match.end() : match.end() + 3]
    if match["wide"][-1] not in "”」』\"'’":
        return True
    if after.startswith(("と", "って", "など", "という")):
        return False
    asked = match["wide"].rstrip("”」』\"'’").endswith(("？", "！"))
    return not (asked and line[begin : begin + REACH].lstrip()[:1] in '“「『"‘' and after[:1].isalpha())


def _thai(line: str, begin: int, match: regex.Match[str]) -> bool:
    before = line[begin : match.start()].strip()
    after = line[match.end() : match.end() + REACH].split(maxsplit=1)[0]
    if len(before) < THAI_SHORT or len(after) < THAI_WORD:
        return False
    return not after.startswith(THAI_GOES_ON) and not before.endswith(THAI_WANTS_MORE)
