"""Normalisation of slots and values of dialogue states and goals: times, names, types of food.

Errors of the released evaluator ("12 pm" became 24:00, "ten o'clock p.m." 10:00) are corrected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

RENAMED = {"arriveby": "arrive", "leaveat": "leave"}
DONT_CARE = frozenset(
    [
        "",
        "dontcare",
        "dont care",
        "don't care",
        "do nt care",
        "do not care",
        "doesn't care",
        "does not care",
        "not mentioned",
        "none",
        "any",
        "dontcare|",
    ]
)
NAMES = {
    "the botanical gardens at cambridge university": "cambridge university botanic gardens",
    "cambridge botanic gardens": "cambridge university botanic gardens",
    "botanic gardens": "cambridge university botanic gardens",
    "nando's": "nandos",
    "nando's city centre": "nandos city centre",
    "rosa's": "rosas bed and breakfast",
    "rosa's bed and breakfast": "rosas bed and breakfast",
    "alpha milton": "alpha-milton guest house",
    "alpha milton guest house": "alpha-milton guest house",
    "el shaddai guesthouse": "el shaddai",
    "the university arms": "university arms hotel",
    "pizza hut fenditton": "pizza hut fen ditton",
    "the golden curry": "golden curry",
    "the curry garden": "curry garden",
    "the nirala": "the nirala",
}
FOOD = {
    "portugese": "portuguese", "english": "british", "sea food": "seafood", "modern american": "north american",
    "american": "north american", "asian": "asian oriental", "mediteranean": "mediterranean", "barbecue": "barbeque",
    "vegetarian food": "vegetarian", "steak house": "steakhouse", "japanese or asian": "asian oriental",
}  # fmt: skip
TYPES = {
    "guest house": "guesthouse", "guest houses": "guesthouse", "swimming pool": "swimmingpool",
    "night club": "nightclub", "concert hall": "concerthall", "multiple sports": "mutliple sports",
    "sports": "mutliple sports", "museums": "museum", "hotels": "hotel", "colleges": "college",
}  # fmt: skip
"""Spelling of the databases, misspellings included."""
HOURS = {
    "noon": "12:00", "lunch": "12:00", "midday": "12:00", "midnight": "00:00", "afternoon": "13:00", "morning": "08:00",
    "evening": "18:00",
}  # fmt: skip
NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
CLOCK = re.compile(r"(?P<hour>\d{1,2})(?:[:.h ]?(?P<minute>[0-5]\d))?(?!\d)")
LATER = re.compile(r"\bp\.?\s?m\b|\bevening\b|\btonight\b|\bafternoon\b|(?<=\d)pm\b")
EARLIER = re.compile(r"\ba\.?\s?m\b|(?<=\d)am\b")


def slot_name(slot: str) -> str:
    """Return the normalised name of a slot."""
    name = slot.lower().replace(" ", "")
    return RENAMED.get(name, name)


def time_of(text: str) -> str:
    """Return a time as `HH:MM`; a text without a time is 00:00."""
    plain = text.lower().strip()
    for place, word in enumerate(NUMBERS, 1):
        plain = re.sub(rf"\b{word}\b", str(place), plain)
    clock = CLOCK.search(plain)
    if not clock or int(clock["hour"]) > 24:
        return next((hour for word, hour in HOURS.items() if re.search(rf"\b{word}\b", plain)), "00:00")
    hour, minute = int(clock["hour"]), int(clock["minute"] or 0)
    if LATER.search(plain) and hour < 12:
        hour += 12
    elif EARLIER.search(plain) and hour == 12:
        hour = 0
    return f"{hour % 24:02}:{minute:02}"


def value_of(slot: str, value: Any) -> str:
    """Return a value in the spelling of the databases; of several values, as in MultiWOZ 2.2, the first."""
    if isinstance(value, list | tuple):
        value = value[0] if value else ""
    plain = " ".join(str(value).lower().replace("&", " and ").replace(" '", "'").replace(" n't", "n't").split())
    if is_open(plain):
        return ""
    if slot in ("arrive", "leave", "booktime", "time"):
        return time_of(plain)
    if slot == "name":
        return NAMES.get(plain, plain)
    if slot == "food":
        return FOOD.get(plain, plain)
    if slot == "type":
        return TYPES.get(plain, plain)
    if slot in ("parking", "internet"):
        return "yes" if plain == "free" else plain
    return plain


def is_open(value: str) -> bool:
    """Return whether a value is no constraint (`dontcare`, `not mentioned`)."""
    return value in DONT_CARE


def normalise_state(state: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return the normalised constraints by domain, without open values."""
    constraints: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        named = {slot_name(slot): value for slot, value in slots.items()}
        constraints[domain.lower()] = {slot: plain for slot, value in named.items() if (plain := value_of(slot, value))}
    return constraints
