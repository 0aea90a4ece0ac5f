"""English words: function words, articles, singulars, stems and syllables, by rules and a list of exceptions."""

from __future__ import annotations

import re
import string
from functools import lru_cache
from importlib.resources import files
from unicodedata import normalize

from assay.text._kernels.porter import porters_stem
from assay.text._kernels.porter import stem as nltk_stem
from assay.text.wordnet import noun_lemma, wordnet_folder

FUNCTION_WORDS = """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
    it its itself they them their theirs themselves what which who whom this that these those am is are was were be
    been being have has had having do does did doing a an the and but if or because as until while of at by for with
    about against between into through during before after above below to from up down in out on off over under
    again further then once here there when where why how all any both each few more most other some such no nor not
    only own same so than too very s t can will just don should now
"""
STOP = frozenset(FUNCTION_WORDS.split())
PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")
VOWELS = re.compile(r"[aeiouyáéíóúàèìòùäëïöüâêîôû]+")


def without_articles(text: str) -> str:
    """Return a text in lower case without punctuation, articles and extra spaces, as answers are compared in SQuAD.
    Letters are composed, so that `é` is the same in both of its encodings."""
    return " ".join(ARTICLES.sub(" ", normalize("NFC", text).lower().translate(PUNCTUATION)).split())


def lemma(word: str) -> str:
    """Return the singular of an English noun by rule; capitalised words stay unchanged, as published."""
    if word[:1].isupper() or len(word) < 4 or word.endswith(("ss", "us", "is", "ics", "news")):
        return word
    for plural, single in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("men", "man")):
        if word.endswith(plural):
            return word.removesuffix(plural) + single
    return word.removesuffix("s")


def noun(word: str) -> str:
    """Return the base form of a noun: from WordNet if its files are installed, else by rule."""
    folder = wordnet_folder()
    return noun_lemma(word, folder) if folder else lemma(word)


def words(text: str, lemmas: bool, stops: bool = True) -> list[str]:
    """Return lower-cased words without punctuation; `lemmas` returns base forms, `stops` removes function words."""
    split = text.translate(PUNCTUATION).split()
    kept = [word for word in split if not stops or word.lower() not in STOP]
    return [(noun(word) if lemmas else word).lower() for word in kept]


_extended = lru_cache(maxsize=1 << 17)(nltk_stem)
_own = lru_cache(maxsize=1 << 17)(porters_stem)


def stem(word: str, extended: bool = True) -> str:
    """Return Porter's stem, in the variant of `rouge_score` or of the original program, as in ROUGE-1.5.5.

    Words of up to three letters and of other scripts stay unchanged.
    """
    if len(word) <= 3 or not word.isascii():
        return word
    return _extended(word) if extended else _own(word)


def stemmed_words(text: str) -> list[str]:
    """Return the words that ROUGE counts with its stemmer."""
    from assay.text.tokenize import ascii_words  # tokenizers are needed by few users of the word lists

    return [stem(word) for word in ascii_words(text)]


@lru_cache(maxsize=1)
def _exceptions() -> tuple[str, dict[str, int]]:
    """Return the name of the pronouncing dictionary, and the syllables of its words for which the rule is wrong."""
    head, *lines = files("assay.text").joinpath("syllables.txt").read_text(encoding="utf-8").splitlines()
    counts: dict[str, int] = {}
    for line in lines:
        if not line.startswith("#"):
            count, *words = line.split(" ")
            counts.update(dict.fromkeys(words, int(count)))
    return head.removeprefix("# "), counts


def dictionary() -> str:
    """Return name and version of the pronouncing dictionary, for signatures."""
    return f"{_exceptions()[0]}+rule"


def syllables(word: str) -> int:
    """Return the number of syllables: from the dictionary (first pronunciation), else by rule."""
    bare = word.lower().replace("’", "'")
    return _exceptions()[1].get(bare) or by_rule(bare)


@lru_cache(maxsize=1 << 16)
def by_rule(word: str) -> int:
    """Return the number of vowel groups, without a silent e at the end or in -es and -ed; at least one."""
    word = word.lower()
    groups = len(VOWELS.findall(word))
    if (re.search(r"[^aeiouyl]e$|[aeiouy]le$|[^aeiouytd]ed$|[^aeiouyscxzhg]es$", word)) and groups > 1:
        groups -= 1
    return max(groups, 1) if any(character.isalpha() for character in word) else 0


def is_english(language: str | None) -> bool:
    """Return whether a language is English or unknown."""
    return language is None or primary(language) == "en"


def primary(language: str) -> str:
    """Return the base of a language code: `pt` for `pt-BR`, `pt_br` and `PT`."""
    return language.replace("_", "-").partition("-")[0].strip().lower()
