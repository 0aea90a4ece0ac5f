"""Words by rule, for every script, without a dictionary or a download.

`rouge_score`  runs of a-z and 0-9 after lower-casing: what Google's package does; nothing else survives.
`unicode`      runs of letters, marks and digits of any script; scripts written without spaces (Han, Kana, Thai,
               Lao, Khmer, Burmese) give one token a character with its marks.
`gem`          as `unicode`, but punctuation marks are tokens too, words keep inner hyphens, numbers keep inner
               separators, and English contractions are split, as in the regular tokenizer of GEM.
`auto`         `rouge_score` for text in Latin script, `unicode` for any other; decided item by item.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from functools import lru_cache

import regex

from assay.errors import AssayError
from assay.specs import did_you_mean

Tokenizer = Callable[[str], list[str]]

ASCII_WORD = re.compile(r"[a-z0-9]+")
SPACELESS = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
JOINED = rf"[[\p{{L}}\p{{M}}\p{{N}}]--{SPACELESS}]"
PUNCTUATION = frozenset(string.punctuation)


@lru_cache
def _pattern(body: str) -> regex.Pattern[str]:
    return regex.compile(body, flags=regex.VERSION1)


def ascii_words(text: str) -> list[str]:
    return ASCII_WORD.findall(text.lower())


def unicode_words(text: str) -> list[str]:
    pattern = _pattern(rf"{SPACELESS}\p{{M}}*|{JOINED}+")
    return pattern.findall(text.lower())


CONTRACTION = r"(?=n['’]t(?!\p{L}))|(?=['’](?:s|m|d|ll|re|ve)(?!\p{L}))"
GEM_WORD = (
    rf"{SPACELESS}\p{{M}}*"
    r"|n['’]t(?!\p{L})"
    r"|['’](?:s|m|d|ll|re|ve)(?!\p{L})"
    rf"|{JOINED}(?:(?!{CONTRACTION}){JOINED}|(?!{CONTRACTION})[-'’_](?={JOINED})|(?<=\p{{N}})[.,:/](?=\p{{N}}))*"
    r"|(?!\s)\X"
)


def gem_words(text: str) -> list[str]:
    return _pattern(GEM_WORD).findall(text.lower())


TOKENIZERS: dict[str, Tokenizer] = {"rouge_score": ascii_words, "unicode": unicode_words, "gem": gem_words}


def tokenizer(name: str) -> Tokenizer:
    if name not in TOKENIZERS:
        raise AssayError(
            f"no tokenizer called {name}{did_you_mean(name, TOKENIZERS)}; there are {', '.join(TOKENIZERS)}"
        )
    return TOKENIZERS[name]


def is_word(token: str) -> bool:
    """Whether a token counts in the variants without punctuation."""
    return token not in PUNCTUATION


def latin(texts: Sequence[str]) -> bool:
    """Whether at least half of the letters are of the Latin script (texts without letters count as Latin)."""
    joined = "".join(texts)
    if joined.isascii():
        return True
    letters = _pattern(r"\p{L}").findall(joined)
    return 2 * len(_pattern(r"\p{Latin}").findall("".join(letters))) >= len(letters)


def dropped_share(texts: Sequence[str]) -> float:
    """The share of words that have a letter which `rouge_score`'s rule would cut out."""
    words = [word for text in texts for word in unicode_words(text)]
    return sum(not word.isascii() for word in words) / len(words) if words else 0.0
