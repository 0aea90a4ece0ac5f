"""Antonyms of WordNet, if its files are installed."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from pathlib import Path

KINDS = ("adj", "adv", "noun", "verb")
OPPOSITE, ALIKE = "!", "&"
"""WordNet's marks for antonyms and for similar adjectives."""
Synset = tuple[str, str]


@lru_cache(maxsize=1)
def antonyms(folder: Path) -> dict[str, frozenset[str]]:
    """Return the antonyms of each word, direct ones and those of similar adjectives (`simple`, similar to `easy`, for
    `difficult`)."""
    words: dict[Synset, list[str]] = {}
    opposite: dict[Synset, set[Synset]] = defaultdict(set)
    near: dict[Synset, set[Synset]] = defaultdict(set)
    for kind in KINDS:
        for line in (folder / f"data.{kind}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue  # lines of the licence
            fields = line.split(" | ")[0].split()
            number = int(fields[3], 16)
            here = (kind, fields[0])
            words[here] = [word.lower().partition("(")[0] for word in fields[4 : 4 + 2 * number : 2]]
            pointers = fields[5 + 2 * number :]
            for mark, offset, letter in zip(pointers[::4], pointers[1::4], pointers[2::4], strict=False):
                there = ({"n": "noun", "v": "verb", "r": "adv"}.get(letter, "adj"), offset)
                if mark == OPPOSITE:
                    opposite[here].add(there)
                elif mark == ALIKE:
                    near[here].add(there)
    opposites: dict[str, set[str]] = defaultdict(set)
    for here, names in words.items():
        around = {here, *near[here]} if here[0] == "adj" else {here}
        facing = {there for one in around for there in opposite[one]}
        wide = facing | {other for there in facing if there[0] == "adj" for other in near[there]}
        for name in names:
            opposites[name] |= {word for there in wide for word in words.get(there, ())} - {name}
    return {word: frozenset(others) for word, others in opposites.items() if others}
