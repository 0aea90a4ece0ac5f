"""Tokenizers by rule, for every script, without a dictionary or a download.

`rouge_score`  runs of a-z and 0-9 after lower-casing, as in Google's package; all other characters are removed.
`unicode`      runs of letters, marks and digits of any script; scripts written without spaces (Han, Kana, Thai,
               Lao, Khmer, Burmese) have one token per character with its marks.
`gem`          as `unicode`, but punctuation marks are tokens too, words keep inner hyphens, numbers keep inner
               separators, and English contractions are split, as in the regular tokenizer of GEM.
`13a`          mteval's rule, the default of sacrebleu; `intl`, `zh`, `ja-mecab` and `ko-mecab` are sacrebleu's own.
`char`         every character but white space.  `none`  split at white space.
`multiwoz`     punctuation deleted, then split at single spaces (an empty text is one empty token).
`letters`      runs of letters with inner apostrophes and hyphens, and nothing else: the words of readability formulas.
`loose`        the words of the tool of `fkgl:tanprasert2021`: separate marks are words, too.
`spacy`        the words of spaCy's English rules (on news, to 1 in 10,000), which dataset cards count.
`narrative`    special tokens of language models deleted, a space before every punctuation mark, then `none`.
`auto`         `rouge_score` for text in Latin script, `unicode` for any other; decided item by item.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from assay.errors import AssayError
from assay.specs import did_you_mean
from assay.text._kernels import cut
from assay.text._kernels.words import Vocabulary
from assay.text.spacy_words import spacy_words

if TYPE_CHECKING:
    import regex

    from assay.text._kernels.words import Ids, Places

Tokenizer = Callable[[str], list[str]]

ASCII_WORD = re.compile(r"[a-z0-9]+")
SPACELESS = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
JOINED = rf"[[\p{{L}}\p{{M}}\p{{N}}]--{SPACELESS}]"
PUNCTUATION = frozenset(string.punctuation)


@lru_cache
def _pattern(body: str) -> regex.Pattern[str]:
    import regex  # takes longer to import than most texts to score

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
    r"|(?![\s\x1c-\x1f])\X"
)


def gem_words(text: str) -> list[str]:
    return _pattern(GEM_WORD).findall(text.lower())


def gem_ascii_words(text: str) -> list[str]:
    """Return the tokens of GEM's ROUGE: GEM tokens joined by spaces, then the rule of `rouge_score`."""
    return ascii_words(" ".join(gem_words(text)))


def mteval_text(text: str) -> str:
    """Apply the preparation of `13a`. Only texts with a line break, an ampersand or an angle bracket change."""
    text = text.rstrip().replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    return without_entities(text)


def without_entities(text: str) -> str:
    """Resolve the four entities of mteval and tercom, in their order."""
    if "&" in text:
        for entity, mark in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            text = text.replace(entity, mark)
    return text


MULTIWOZ_DELETED = re.compile(r"-LRB-|-RRB-|SYM|[`'.,?!)(%/\-_:;]")


def multiwoz_words(text: str) -> list[str]:
    return re.sub(r"\s+", " ", MULTIWOZ_DELETED.sub("", text)).strip().lower().split(" ")


LETTER_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
LOOSE_WORD = re.compile(r"\W+|\$[\d.]+|\S+")
LOOSE_SKIPPED = frozenset(".,!? ")


def letter_words(text: str) -> list[str]:
    return LETTER_WORD.findall(text)


def loose_words(text: str) -> list[str]:
    return [token for token in LOOSE_WORD.findall(text) if token not in LOOSE_SKIPPED]


def narrative_words(text: str) -> list[str]:
    for special in ("<|endoftext|>", "<newline>", "[RESPONSE]"):
        text = text.replace(special, "")
    return re.sub(rf"([{re.escape(string.punctuation)}])", r" \1", text.lower()).split()


def sacrebleu_words(name: str) -> Tokenizer:
    """Return a tokenizer of sacrebleu."""

    def words(text: str) -> list[str]:
        line: str = _sacrebleu(name)(text.rstrip())
        return line.split()

    return words


@lru_cache
def _sacrebleu(name: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import _get_tokenizer

    try:
        made: Callable[[str], str] = _get_tokenizer(name)()
    except (ImportError, RuntimeError) as error:
        extra = name.split("-")[0]
        raise AssayError(f"tokenizer {name}: {error}; pip install 'sacrebleu[{extra}]'") from error
    return made


class Rule(NamedTuple):
    """A tokenizer of the kernel: its rule, the preparation of texts, and the tokenizer for texts beyond ASCII."""

    kernel: int
    beyond: Tokenizer | None = None
    prepare: Callable[[str], str] | None = None
    always_beyond: bool = False


RULES: dict[str, Rule] = {
    "rouge_score": Rule(cut.ASCII_WORDS),
    "unicode": Rule(cut.ASCII_WORDS, unicode_words),
    "gem": Rule(cut.GEM, gem_words),
    "gem-ascii": Rule(cut.GEM_ASCII, gem_ascii_words),
    "13a": Rule(cut.MTEVAL, None, mteval_text),
    "none": Rule(cut.SPACES),
    "char": Rule(cut.SPACES, lambda text: list("".join(text.split())), None, True),
    "peeled": Rule(cut.PEELED),
    "multiwoz": Rule(cut.SPACES, multiwoz_words, None, True),
    "narrative": Rule(cut.SPACES, narrative_words, None, True),
    "letters": Rule(cut.SPACES, letter_words, None, True),
    "loose": Rule(cut.SPACES, loose_words, None, True),
    "spacy": Rule(cut.SPACES, spacy_words, None, True),
    **{name: Rule(cut.SPACES, sacrebleu_words(name), None, True) for name in ("intl", "zh", "ja-mecab", "ko-mecab")},
}


def rule(name: str) -> Rule:
    if name not in RULES:
        raise AssayError(f"no tokenizer called {name}{did_you_mean(name, RULES)}; there are {', '.join(RULES)}")
    return RULES[name]


def read(vocabulary: Vocabulary, texts: Sequence[str], name: str, lower: bool) -> tuple[Ids, Places]:
    """Return the token numbers of texts and the start of each text; new words are added to the vocabulary."""
    how = rule(name)
    if how.always_beyond:
        assert how.beyond is not None
        return vocabulary.read_cut([text.lower() for text in texts] if lower else list(texts), how.beyond)
    return vocabulary.read(list(texts), how.kernel, lower, how.beyond, how.prepare)


def is_word(token: str) -> bool:
    """Return whether a token counts in the variants without punctuation."""
    return token not in PUNCTUATION


LETTERS = string.ascii_letters.encode()
NO_LETTERS = bytes(byte for byte in range(256) if byte not in LETTERS)
SPACED = bytes(byte if chr(byte).isalnum() else ord(" ") for byte in range(128)) + b" " * 128


def latin(texts: Sequence[str]) -> bool:
    """Return whether at least half of the letters are Latin; texts without letters count as Latin."""
    together = "".join(texts)
    if together.isascii():
        return True
    plain = together.encode("ascii", "ignore")
    if len(together) - len(plain) <= len(
        plain.translate(None, NO_LETTERS)
    ):  # if all others were letters of another script
        return True
    letters = _pattern(r"\p{L}").findall(together)
    return 2 * len(_pattern(r"\p{Latin}").findall("".join(letters))) >= len(letters)


def dropped_share(texts: Sequence[str]) -> float:
    """Return the share of words with a letter that the rule of `rouge_score` would remove."""
    beyond = [text for text in texts if not text.isascii()]
    if not beyond:
        return 0.0
    words = [word for text in beyond for word in unicode_words(text)]
    plain = " ".join(text for text in texts if text.isascii()).encode().translate(SPACED).split()
    return sum(not word.isascii() for word in words) / max(1, len(words) + len(plain))
