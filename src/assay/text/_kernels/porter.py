# cython: wraparound=True
"""Porter's stemmer: his own program, which ROUGE-1.5.5 uses, and with the extensions of NLTK, which `rouge_score` uses.

The extensions: a list of irregular forms, short words in -ies/-ied keep their e, -y after a consonant always
becomes -i, -alli is tried twice, the suffix -fulli, -logi after short stems, and a short -e stays after two letters.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from assay.text._kernels import _pure_python as cython


COMPILED = cython.compiled

IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

# (suffix, replacement) in the order in which they are tried; the first suffix that fits decides.
STEP_2 = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
)
EXTENDED_2 = (*STEP_2, ("fulli", "ful"))
STEP_3 = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent",
    "ion", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a lower-case word."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _plural(word)
    word = _past(word, True)
    if word.endswith("y") and len(word) > 2 and _consonant(word, len(word) - 2):
        word = word[:-1] + "i"
    word = _derivation(word)
    word = _replace(word, STEP_3)
    word = _residue(word)
    return _final(word, True)


def porters_stem(word: str) -> str:
    """The stem of a lower-case word by Porter's own program."""
    if len(word) <= 2:
        return word
    word = word[:-2] if word.endswith("ies") else _plural(word)
    word = _past(word, False)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace(word, (("logi", "log"),)) if word.endswith("logi") else _replace(word, STEP_2)
    word = _replace(word, STEP_3)
    word = _residue(word)
    return _final(word, False)


def _consonant(word: str, i: cython.Py_ssize_t) -> cython.bint:
    letter = word[i]
    if letter in "aeiou":
        return False
    if letter == "y":
        return i == 0 or not _consonant(word, i - 1)
    return True


def _measure(word: str) -> int:
    """How many times a vowel is followed by a consonant."""
    count: cython.int = 0
    vowel: cython.bint = False
    for i in range(len(word)):
        if _consonant(word, i):
            if vowel:
                count += 1
            vowel = False
        else:
            vowel = True
    return count


def _has_vowel(word: str) -> cython.bint:
    for i in range(len(word)):
        if not _consonant(word, i):
            return True
    return False


def _closed(word: str, extended: cython.bint) -> cython.bint:
    """Ends consonant-vowel-consonant, the last not w, x or y; or, extended, is just vowel-consonant."""
    n = len(word)
    if n == 2 and extended:
        return not _consonant(word, 0) and _consonant(word, 1)
    return (
        n > 2
        and _consonant(word, n - 1)
        and not _consonant(word, n - 2)
        and _consonant(word, n - 3)
        and word[n - 1] not in "wxy"
    )


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past(word: str, extended: cython.bint) -> str:
    if extended and word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    if word.endswith("ed") and _has_vowel(word[:-2]):
        word = word[:-2]
    elif word.endswith("ing") and _has_vowel(word[:-3]):
        word = word[:-3]
    else:
        return word
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    n = len(word)
    if n >= 2 and word[n - 1] == word[n - 2] and _consonant(word, n - 1):
        return word if word[n - 1] in "lsz" else word[:-1]
    if _measure(word) == 1 and _closed(word, extended):
        return word + "e"
    return word


def _derivation(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _derivation(word[:-2])
    replaced = _replace(word, EXTENDED_2)
    if replaced != word or not word.endswith("logi"):
        return replaced
    return word[:-1] if _measure(word[:-3]) > 0 else word


def _replace(word: str, rules: tuple) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            base = word[: len(word) - len(suffix)]
            return base + replacement if _measure(base) > 0 else word
    return word


def _residue(word: str) -> str:
    for suffix in STEP_4:
        if word.endswith(suffix):
            base = word[: len(word) - len(suffix)]
            if _measure(base) > 1 and (suffix != "ion" or base.endswith(("s", "t"))):
                return base
            return word
    return word


def _final(word: str, extended: cython.bint) -> str:
    if word.endswith("e"):
        base = word[:-1]
        m = _measure(base)
        if m > 1 or (m == 1 and not _closed(base, extended)):
            word = base
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word
