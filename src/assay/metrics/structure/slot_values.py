"""What an input asks to be said, value by value, and which of it an output says, leaves out, adds or repeats."""

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
UNSAID = frozenset(("", "dontcare", "dont care", "true", "false", "none", "yes", "no", "yes or no", "none given"))
"""Values that are not put into words of their own, unless a form says how."""
DATE = re.compile(r"(-?\d{4})-(\d{2})-(\d{2})")
MONTHS = "january february march april may june july august september october november december".split()
BRACKETS = re.compile(r"\([^()]*\)|\[[A-Z]+\]|\"|@\w+$|\^\^\S+$")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
HEADS = frozenset("people music language languages company state cuisine".split())
"""What is often left out after the word that matters: Turkish people, Rock music."""
ALIASES = {
    "united states": ("usa", "american", "americans", "america"),
    "united kingdom": ("british", "britain"),
}
"""Countries whose adjectives share no beginning with them."""
CAPITALISED = re.compile(r"(?<!^)\b[^\W\d_a-z]\w*")
UNCOUNTED = ("eattype", "food")
"""Slots whose values people say again and again."""
ORDINALS = {
    str(number): word
    for number, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), 1)
}
LONG = 8
"""Words of a value from which on most of them are enough."""


class SlotValue(NamedTuple):
    """A value that is to be said, and the slot, role or relation it fills."""

    slot: str
    value: str


class SlotComparison(NamedTuple):
    """What came of the values that were asked for."""

    expressed: list[SlotValue]
    missing: list[SlotValue]
    added: list[SlotValue]
    """Values nobody asked for: of slots whose values are all known, and numbers that stand nowhere in the input."""
    repeated: list[SlotValue]
    """Values that are said twice."""


def has_values(example: Example) -> bool:
    return bool(example.input) and kind_of(example) in KINDS


def required_values(example: Example, forms: Forms) -> list[SlotValue]:
    """The values of a meaning representation, the entities of triples, the values of dialog acts; each once."""
    if not has_values(example):
        return []
    found = list(dict.fromkeys(_asked(example, kind_of(example))))
    return [asked for asked in found if _has_words(asked, forms)]


def _asked(example: Example, kind: str) -> Iterator[SlotValue]:
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


def _has_words(asked: SlotValue, forms: Forms) -> bool:
    """Whether the value is something that can be looked for."""
    value = _key(asked)[1]
    if _key(asked) in forms.groups:
        return True
    return value not in UNSAID and not value.replace(" ", "").startswith("dontcare") and bool(_value_words(asked.value))


@lru_cache(maxsize=1 << 14)
def _key(asked: SlotValue) -> Key:
    return named(asked.slot), named(asked.value)


def compare_values(example: Example, output: str, forms: Forms) -> SlotComparison:
    """What an output says of the values its example asks for."""
    english = (example.language or "en").split("-")[0].lower() == "en"
    asked = required_values(example, forms)
    words = plain_words(output, english)
    listed: list[SlotValue] = []
    open_values: list[SlotValue] = []
    for each in asked:
        (listed if _key(each) in forms.groups else open_values).append(each)
    said, missing, repeated = _open_values(open_values, words, english)
    mentions = _mentions(forms, _without(open_values, words)) if listed else {}
    for each in listed:
        (name, _), group = _key(each), forms.groups[_key(each)]
        count = mentions.get(name, []).count(group)
        told = (
            count
            or "" in mentions.get(name, [])
            or (forms.names is not None and not _open_values([each], words, english)[1])
        )
        (said if told else missing).append(each)
        repeated += [each] * (count > 1 and name not in UNCOUNTED)
    wanted = {(_key(each)[0], forms.groups[_key(each)]) for each in listed}
    added = [
        SlotValue(name, group)
        for name, groups in mentions.items()
        for group in dict.fromkeys(groups)
        if group and (name, group) not in wanted and (name, group) not in GENERIC
        if _is_meant((name, group), output, asked, forms)
    ]
    return SlotComparison(said, missing, added + ([] if listed else _numbers_added(example, asked, words)), repeated)


def _is_meant(key: Key, output: str, asked: Sequence[SlotValue], forms: Forms) -> bool:
    """Whether a form stands for its value: what is always capitalised is so here, too, and it is no part of another
    value that was asked for (a street of an address)."""
    if forms.names is None:
        return True
    if any({*plain_words(key[1])} <= {*plain_words(each.value)} for each in asked):
        return False
    first = forms.names.get(key)
    return first is None or any(word in first for found in CAPITALISED.findall(output) for word in plain_words(found))


def _mentions(forms: Forms, words: Sequence[str]) -> dict[str, list[str]]:
    """The values that are said, by slot; a negation before one may turn it into another, and counts for all of them."""
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
def _parted(value: str) -> tuple[str, ...]:
    """The words of a value that is written as one: `UniversityOfX`, `A.B.`."""
    return plain_words(CAMEL.sub(" ", value).replace(".", " ").replace("_", " "))


def _open_values(
    asked: Sequence[SlotValue], words: Sequence[str], english: bool
) -> tuple[list[SlotValue], list[SlotValue], list[SlotValue]]:
    """Names, numbers and other values that are looked for as they stand: said, left out, said twice."""
    said, missing, repeated = [], [], []
    known = set(words)
    for each in asked:
        value = _value_words(each.value)
        count = len(_places(value, words))
        if count or _places(_parted(each.value), words) or _is_said(each.value, value, known, english):
            said.append(each)
            if count > 1 and len({*value} - STOP) > 1:
                repeated.append(each)
        else:
            missing.append(each)
    return said, missing, repeated


def _places(value: Sequence[str], words: Sequence[str]) -> list[int]:
    size, first = len(value), value[0]
    if first not in words:
        return []
    whole = tuple(value)
    return [i for i in range(len(words) - size + 1) if words[i] == first and tuple(words[i : i + size]) == whole]


def _is_said(original: str, value: Sequence[str], known: Collection[str], english: bool) -> bool:
    """A date in another form, the words of a value in another order or inflected, most words of a long one."""
    if date := DATE.search(original):
        year, month, day = date[1].lstrip("0-"), int(date[2]), str(int(date[3]))
        days = {day, f"{day}st", f"{day}nd", f"{day}rd", f"{day}th", date[3]}
        months = {MONTHS[month - 1], MONTHS[month - 1][:3], date[2], str(month)} if 1 <= month <= 12 else {""}
        if (month, day) == (1, "1") and year in known:
            return True  # often stands for the whole year
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
    """Whether a word with the same beginning is there: Italy and Italian, Karlín and Karlíně."""
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


def _rounds(exact: str, said: str) -> bool:
    """Whether a number is another one with fewer digits after the point."""
    try:
        digits = len(said.partition(".")[2])
        return digits < len(exact.partition(".")[2]) and abs(float(said) - float(exact)) <= 0.5 * 10**-digits
    except ValueError:
        return False


def _without(asked: Sequence[SlotValue], words: Sequence[str]) -> list[str]:
    """The words of an output without those of names: what is called Raja Indian Cuisine serves what it will."""
    left = list(words)
    for each in asked:
        value = _value_words(each.value)
        for start in _places(value, words):
            left[start : start + len(value)] = [""] * len(value)
    return left


def _numbers_added(example: Example, asked: Sequence[SlotValue], words: Sequence[str]) -> list[SlotValue]:
    """Numbers of two digits or more that stand neither in the input nor in a reference."""
    numbers = {word for word in words if word[:1].isdigit() and len(word.strip("0.")) >= 2}
    if not numbers:
        return []
    texts = [each.value for each in asked] + [str(example.input), example.source or "", *example.references]
    known = {part for text in texts for word in plain_words(text) for part in (word, word.lstrip("0"))}
    return [SlotValue("number", word) for word in sorted(numbers) if word not in known and not _derived(word, known)]


def _derived(word: str, known: Collection[str]) -> bool:
    """Whether a number may come of another: with its ordinal ending, or rounded."""
    digits = re.match(r"\d+(?:\.\d+)?", word)
    bare = digits[0] if digits else word
    return bare in known or any(bare in other or _rounds(other, bare) for other in known if other[:1].isdigit())
