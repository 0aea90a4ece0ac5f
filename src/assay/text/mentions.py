"""Numbers, dates and names in an English text, by rules, in a normalised form for comparison."""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.text.cardinals import read_words
from assay.text.english import STOP
from assay.text.sentences import split_sentences

UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
VALUES = {word: i for i, word in enumerate(UNITS)} | {word: 10 * i for i, word in enumerate(TENS, 2)}
ORDINALS = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
ORDINALS |= {f"{word}th": i for i, word in enumerate(UNITS) if i not in ORDINALS.values()}
SCALES = {"hundred": 100, "thousand": 1000, "k": 1000, "million": 10**6, "m": 10**6, "billion": 10**9, "bn": 10**9}
MONTHS = "january february march april may june july august september october november december".split()
MONTH = {name: i for i, name in enumerate(MONTHS, 1)} | {name[:3]: i for i, name in enumerate(MONTHS, 1)} | {"sept": 9}
DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’.-](?=[^\W\d_])[^\W\d_]+)*")
INNER = frozenset("of the de la le van von der den di da al bin el for".split())
"""Lower-case words that can be part of a name."""
UNSAID = frozenset({"one", "first", "second", "may", "march", "sun", "mar", "sat"})
"""Ambiguous words that are a date or number only next to another sign of one."""
UNSURE = {"one": 1, "first": 1, "second": 2}
BEFORE_A_MONTH = ("in", "last", "next", "since", "until", "early", "late")
INITIALS = re.compile(r"\b[^\W\d_](?:\.[^\W\d_]\b)+")
PRONOUNS = frozenset("i he she it they we you this that these those there".split())


class Mentions(NamedTuple):
    """The mentions of a text by kind, in the order of the text, without repetitions."""

    entities: tuple[str, ...]
    numbers: tuple[str, ...]
    dates: tuple[str, ...]
    perhaps: tuple[str, ...] = ()
    """Numbers that one, first or second may mean."""

    def support(self, number_or_date: str) -> bool:
        """Return whether a mention is in this text. Numbers match inside and outside of dates: `1200` looks like a year
        and `1,200` does not, `3 March` has a day and `the 3rd of March` a number."""
        value = number_or_date.removeprefix("day ").removeprefix("year ")
        alike = (number_or_date, value, f"day {value}", f"year {value}")
        return any(one in known for one in alike for known in (self.numbers, self.dates, self.perhaps))


def mentions(text: str) -> Mentions:
    """Return the mentions of a text: digits and number words, dates, weekdays, and runs of capitalised words."""
    entities, numbers, dates = dict[str, None](), dict[str, None](), dict[str, None]()
    perhaps = dict[str, None]()
    sentences = [[match[0] for match in WORD.finditer(one)] for one in split_sentences(text, "multilingual", "en")]
    inner = {word for words in sentences for word in words[1:] if word[0].isupper()}
    for words in sentences:
        dated = _dates(words, dates)
        numbered = _numbers(words, dated, numbers)
        for name in _names(words, dated | numbered, inner):
            entities[name] = None
        perhaps |= {str(UNSURE[low]): None for word in words if (low := word.lower()) in UNSURE}
    return Mentions(tuple(entities), tuple(numbers), tuple(dates), tuple(perhaps))


def name_text(text: str) -> str:
    """Return a text in lower case, in which names are searched: U.S. is us."""
    return INITIALS.sub(lambda match: match[0].replace(".", ""), text.lower())


def _dates(words: list[str], spellings: dict[str, None]) -> set[int]:
    """Return months, weekdays, years and days next to a month, and the indices of their words."""
    used: set[int] = set()
    low = [word.lower() for word in words]
    for i, word in enumerate(low):
        neighbours = [j for j in (i - 1, i + 1) if 0 <= j < len(words) and re.fullmatch(r"\d{1,2}", low[j])]
        sure = word not in UNSAID or neighbours or (i > 0 and low[i - 1] in BEFORE_A_MONTH)
        if word in MONTH and words[i][0].isupper() and sure:
            spellings[f"month {MONTH[word]}"] = None
            used.add(i)
            for j in neighbours[:1]:
                if 1 <= int(low[j]) <= 31:
                    spellings[f"day {int(low[j])}"] = None
                    used.add(j)
        elif word in DAYS:
            spellings[word] = None
            used.add(i)
        elif re.fullmatch(r"1[0-9]{3}|20[0-9]{2}", word):
            spellings[f"year {word}"] = None
            used.add(i)
    return used


def _numbers(words: list[str], taken: set[int], spellings: dict[str, None]) -> set[int]:
    """Return numbers in digits or words with their scale, and the indices of their words."""
    used: set[int] = set()
    i = 0
    low = [word.lower() for word in words]
    while i < len(words):
        begin, value = i, None
        if i not in taken and low[i][0].isdecimal():  # not superscript digits
            value = float(low[i].replace(",", "")) if low[i].count(".") < 2 else None
            i += 1
        elif low[i] in ORDINALS and low[i] not in UNSAID:
            value = float(ORDINALS[low[i]])
            i += 1
        elif all(part in VALUES for part in low[i].split("-")):
            end = _written(low, i)
            if low[i] not in UNSAID or end > i + 1 or (end < len(words) and low[end] in SCALES):
                number = read_words(" ".join(low[i:end]))
                value = None if number is None else float(number)
            i = end
        else:
            i += 1
        while value is not None and i < len(words) and low[i] in SCALES:
            value *= SCALES[low[i]]
            i += 1
        if value is not None:
            spellings[f"{value:.10g}"] = None
            used.update(range(begin, i))
    return used


def _written(low: list[str], begin: int) -> int:
    """Return the end of the number in words that starts here: `two hundred and fifty`, `twenty five`."""
    end = begin + 1
    for i in range(end, len(low)):
        if low[i] == "and" and low[i - 1] in SCALES:
            continue
        if read_words(" ".join(low[begin : i + 1])) is None:
            break
        end = i + 1
    return end


def _names(words: list[str], taken: set[int], inner: set[str]) -> list[str]:
    """Return runs of capitalised words, with lower-case words inside. The first word of a sentence is part of a name if
    it is capitalised elsewhere, too, or if another capitalised word follows it."""
    names: list[str] = []
    run: list[str] = []

    def close() -> None:
        while run and run[-1].lower() in INNER:
            run.pop()
        if run:
            names.append(name_text(" ".join(word.removesuffix("'s").removesuffix("’s") for word in run)))
        run.clear()

    for i, word in enumerate(words):
        follows = i + 1 < len(words) and words[i + 1][0].isupper() and i + 1 not in taken
        capital = word[0].isupper() and i not in taken and word.lower() not in PRONOUNS
        begins = follows and word.lower() not in STOP
        named = capital and (i > 0 or word in inner or begins or (word.isupper() and len(word) > 1))
        if named or (run and word in INNER and follows):
            run.append(word)
        else:
            close()
    close()
    return names
