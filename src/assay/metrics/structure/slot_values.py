"""Values that an input requires, and those that an output expresses, omits, adds or repeats."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assay.metrics.structure.slot_forms import GENERIC, NEGATION, REACH, Forms, Key, named
from assay.records.inputs import kind_of, read_input
from assay.records.kinds import Acts, Slots, Triples
from assay.records.types import Example
from assay.text.english import STOP
from assay.text.phrases import plain_words

KINDS = ("slots", "triples", "acts")
UNEXPRESSED = frozenset(("", "dontcare", "dont care", "true", "false", "none", "yes", "no", "yes or no", "none given"))
"""Values without a surface form of their own, unless a form is known."""
DATE = re.compile(r"(-?\d{4})-(\d{2})-(\d{2})")
MONTHS = "january february march april may june july august september october november december".split()
BRACKETS = re.compile(r"\([^()]*\)|\[[A-Z]+\]|\"|@\w+$|\^\^\S+$")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
HEADS = frozenset("people music language languages company state cuisine".split())
"""Head nouns that are often omitted: Turkish people, Rock music."""
ALIASES = {
    "united states": ("usa", "american", "americans", "america"),
    "united kingdom": ("british", "britain"),
}
"""Countries whose adjectives have another stem."""
CAPITALISED = re.compile(r"(?<!^)\b[^\W\d_a-z]\w*")
UNCOUNTED = ("eattype", "food")
"""Slots whose values are often repeated, which is no error."""
ORDINALS = {
    str(number): word
    for number, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)
}
LONG = 8
"""Number of words from which on 70 % of the words of a value suffice."""


class SlotValue(NamedTuple):
    """A value, and its slot, role or relation."""

    slot: str
    value: str


class SlotComparison(NamedTuple):
    """Required values that an output expresses or omits, and values that it adds or repeats."""

    expressed: list[SlotValue]
    missing: list[SlotValue]
    added: list[SlotValue]
    """Values that are not in the input: of slots with known forms, and numbers."""
    repeated: list[SlotValue]
    """Values that occur more than once."""


def has_values(example: Example) -> bool:
    return bool(example.input) and kind_of(example) in KINDS


def required_values(example: Example, forms: Forms) -> list[SlotValue]:
    """Return the distinct values of a meaning representation, entities of triples, or values of dialogue acts."""
    if not has_values(example):
        return []
    values = list(dict.fromkeys(_values_of(example, kind_of(example))))
    return [value for value in values if _has_words(value, forms)]


def _values_of(example: Example, kind: str) -> Iterator[SlotValue]:
    if kind == "slots":
        for slot, value in read_input(example, Slots).slots:
            for one in str(value).split(" or ") if value is not None else ():
                yield SlotValue(slot, one)
    elif kind == "triples":
        triples = read_input(example, Triples).triples
        objects = {triple.object for triple in triples}
        for triple in triples:
            if triple.subject not in objects and not triple.subject.startswith("[") and triple.predicate != "[TITLE]":
                yield SlotValue("subject", triple.subject)
            if not triple.predicate.startswith("["):
                yield SlotValue(triple.predicate, triple.object)
    else:
        for act in read_input(example, Acts).acts:
            if act.slot and act.slot != "intent":
                yield from (SlotValue(act.slot, value) for value in act.values)


def _has_words(required: SlotValue, forms: Forms) -> bool:
    """Return whether the value has words or known forms."""
    normal = _key(required)[1]
    if _key(required) in forms.groups:
        return True
    return (
        normal not in UNEXPRESSED
        and not normal.replace(" ", "").startswith("dontcare")
        and bool(_value_words(required.value))
    )


@lru_cache(maxsize=1 << 14)
def _key(value: SlotValue) -> Key:
    return named(value.slot), named(value.value)


def compare_values(example: Example, output: str, forms: Forms) -> SlotComparison:
    """Compare the values in an output with those that its example requires."""
    english = (example.language or "en").split("-")[0].lower() == "en"
    required = required_values(example, forms)
    words = plain_words(output, english)
    listed: list[SlotValue] = []
    open_values: list[SlotValue] = []
    for each in required:
        (listed if _key(each) in forms.groups else open_values).append(each)
    expressed, missing, repeated = _open_values(open_values, words, english)
    mentions = _mentions(forms, _without(open_values, words)) if listed else {}
    for each in listed:
        (name, _), group = _key(each), forms.groups[_key(each)]
        count = mentions.get(name, []).count(group)
        is_expressed = (
            count
            or "" in mentions.get(name, [])
            or (forms.names is not None and not _open_values([each], words, english)[1])
        )
        (expressed if is_expressed else missing).append(each)
        repeated += [each] * (count > 1 and name not in UNCOUNTED)
    wanted = {(_key(each)[0], forms.groups[_key(each)]) for each in listed}
    added = [
        SlotValue(name, group)
        for name, groups in mentions.items()
        for group in dict.fromkeys(groups)
        if group and (name, group) not in wanted and (name, group) not in GENERIC
        if _is_meant((name, group), output, required, forms)
    ]
    return SlotComparison(
        expressed, missing, added + ([] if listed else _numbers_added(example, required, words)), repeated
    )


def _is_meant(key: Key, output: str, required: Sequence[SlotValue], forms: Forms) -> bool:
    """Return whether a matched form means its value.

    A form that is always capitalised must be so in the output, and must not be part of another required value (such as
    the street of an address).
    """
    if forms.names is None:
        return True
    if any({*plain_words(key[1])} <= {*plain_words(each.value)} for each in required):
        return False
    first = forms.names.get(key)
    return first is None or any(
        word in first for capitalised in CAPITALISED.findall(output) for word in plain_words(capitalised)
    )


def _mentions(forms: Forms, words: Sequence[str]) -> dict[str, list[str]]:
    """Return the values that are expressed, by slot; a negation may change a value, for all its mentions."""
    mentions: dict[str, list[str]] = {}
    for start, _, (name, group) in forms.phrases.find(words):
        turned = forms.turned.get((name, group))
        if turned and NEGATION & {*words[max(0, start - REACH) : start]}:
            group = turned
        mentions.setdefault(name, []).append(group)
    for (name, group), other in forms.turned.items():
        if other in mentions.get(name, []):
            mentions[name] = [each for each in mentions[name] if each != group]
    return mentions


@lru_cache(maxsize=1 << 14)
def _value_words(value: str) -> tuple[str, ...]:
    return plain_words(BRACKETS.sub(" ", value).replace("_", " ")) or plain_words(value)


@lru_cache(maxsize=1 << 14)
def _split_value(value: str) -> tuple[str, ...]:
    """Return the words of a value that is written as one word: `UniversityOfX`, `A.B.`."""
    return plain_words(CAMEL.sub(" ", value).replace(".", " ").replace("_", " "))


def _open_values(
    required: Sequence[SlotValue], words: Sequence[str], english: bool
) -> tuple[list[SlotValue], list[SlotValue], list[SlotValue]]:
    """Return values without known forms that are expressed, missing and repeated."""
    expressed, missing, repeated = [], [], []
    known = set(words)
    for each in required:
        value = _value_words(each.value)
        count = len(_places(value, words))
        if count or _places(_split_value(each.value), words) or _is_expressed(each.value, value, known, english):
            expressed.append(each)
            if count > 1 and len({*value} - STOP) > 1:
                repeated.append(each)
        else:
            missing.append(each)
    return expressed, missing, repeated


def _places(value: Sequence[str], words: Sequence[str]) -> list[int]:
    size, first = len(value), value[0]
    if first not in words:
        return []
    whole = tuple(value)
    return [i for i in range(len(words) - size + 1) if words[i] == first and tuple(words[i : i + size]) == whole]


def _is_expressed(original: str, value: Sequence[str], known: Collection[str], english: bool) -> bool:
    """Return whether a value occurs in another form: a reformatted date, reordered or inflected words, an acronym."""
    if date := DATE.search(original):
        year, month, day = date[1].lstrip("0-"), int(date[2]), str(int(date[3]))
        days = {day, f"{day}st", f"{day}nd", f"{day}rd", f"{day}th", date[3]}
        months = {MONTHS[month - 1], MONTHS[month - 1][:3], date[2], str(month)} if 1 <= month <= 12 else {""}
        if (month, day) == (1, "1") and year in known:
            return True  # often means the year only
        return year in known and bool(days & {*known}) and (not english or bool(months & {*known}))
    content = [word for word in value if word not in STOP] or list(value)
    if len(content) > 1 and "".join(word[0] for word in content) in known:
        return True
    if not {*known}.isdisjoint(ALIASES.get(" ".join(content), ())):
        return True
    content = [word for word in content if word not in HEADS and (len(word) > 1 or word.isdigit())] or content
    hits = sum(word in known or _inflected(word, known) for word in content)
    return hits == len(content) if len(content) < LONG else hits >= 0.7 * len(content)


def _inflected(word: str, known: Collection[str]) -> bool:
    """Return whether a word with the same stem occurs: Italy and Italian, Karlín and Karlíně."""
    if word[:1].isdigit():
        if ORDINALS.get(word) in known or any(f"{word}{ending}" in known for ending in ("st", "nd", "rd", "th")):
            return True
        return "." in word and any(other[:1].isdigit() and _rounds(word, other) for other in known)
    if len(word) < 4:
        return False
    return any(
        len(other) >= 4 and other[:3] == word[:3] and other.startswith(word[: max(3, min(len(word), len(other)) - 2)])
        for other in known
    )


def _rounds(exact: str, rounded: str) -> bool:
    """Return whether a number is another one rounded to fewer decimals."""
    try:
        digits = len(rounded.partition(".")[2])
        return digits < len(exact.partition(".")[2]) and abs(float(rounded) - float(exact)) <= 0.5 * 10**-digits
    except ValueError:
        return False


def _without(required: Sequence[SlotValue], words: Sequence[str]) -> list[str]:
    """Return the words of an output without those of names, which may contain values (Raja Indian Cuisine)."""
    left = list(words)
    for each in required:
        value = _value_words(each.value)
        for start in _places(value, words):
            left[start : start + len(value)] = [""] * len(value)
    return left


def _numbers_added(example: Example, required: Sequence[SlotValue], words: Sequence[str]) -> list[SlotValue]:
    """Return numbers of two or more digits that are neither in the input nor in a reference."""
    numbers = {word for word in words if word[:1].isdigit() and len(word.strip("0.")) >= 2}
    if not numbers:
        return []
    texts = [each.value for each in required] + [str(example.input), example.source or "", *example.references]
    known = {part for text in texts for word in plain_words(text) for part in (word, word.lstrip("0"))}
    return [SlotValue("number", word) for word in sorted(numbers) if word not in known and not _derived(word, known)]


def _derived(word: str, known: Collection[str]) -> bool:
    """Return whether a number derives from a known one: with an ordinal ending, or rounded."""
    digits = re.match(r"\d+(?:\.\d+)?", word)
    bare = digits[0] if digits else word
    return bare in known or any(bare in other or _rounds(other, bare) for other in known if other[:1].isdigit())
