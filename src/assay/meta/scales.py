"""Response scales as designs and papers write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

MISSING = ("", "n/a", "na", "none", "not available", "no", "not specified", "unclear")
POINTS = re.compile(
    r"(?<!\d)(\d{1,9})\s?-?\s?point|(?:likert )?scale of (\d{1,9})|likert\s{0,3}\(?(\d{1,9})\)?", re.IGNORECASE
)
"""Repetitions are bounded, so that a search takes linear time."""
WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
MOST_POINTS = 101
RANGE = re.compile(r"\[?\s*(-?\d{1,9})\s*(?:\.\.+|…|;|-|–|to)\s*(-?\d{1,9})\s*\]?")


@dataclass(frozen=True)
class Scale:
    """A response scale: numbers in order, or labels."""

    values: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        return len(self.values) or len(self.labels)

    @property
    def symmetric(self) -> bool:
        """Whether the scale has as many steps below zero as above."""
        return bool(self.values) and self.values[0] < 0 and self.values[0] == -self.values[-1]

    @property
    def name(self) -> str:
        """Name in tables: `1..5`, `-3..3`, or the labels."""
        if not self.values:
            return ", ".join(self.labels)
        whole = self.values == tuple(range(self.values[0], self.values[-1] + 1))
        return f"{self.values[0]}..{self.values[-1]}" if whole else ", ".join(map(str, self.values))


def parse_scale(text: str) -> Scale | None:
    """Return the scale that a text describes, or None if it describes none.

    Reads `[1..5]`, `[1;6]`, `[-2;-1;0;1;2]`, `Likert scale of 6`, `5-point`, `binary`, and lists of labels.
    """
    plain = text.strip()
    if plain.lower() in MISSING:
        return None
    if plain.strip("[]").lower() in ("binary", "0, 1", "0,1", "yes/no", "yes, no"):
        return Scale((0, 1))
    if (match := RANGE.fullmatch(plain)) and 0 < int(match[2]) - int(match[1]) < MOST_POINTS:
        return Scale(tuple(range(int(match[1]), int(match[2]) + 1)))
    inside = plain.strip("[]")
    if RANGE.fullmatch(inside):
        return None
    parts = [part.strip(" '\"") for part in re.split(r"[,;/]", inside)]
    if len(parts) > 1 and all(re.fullmatch(r"-?\d{1,9}", part) for part in parts):
        return Scale(tuple(sorted({int(part) for part in parts})))
    if (match := POINTS.search(plain)) and (points := int(next(filter(None, match.groups())))) <= MOST_POINTS:
        return Scale(tuple(range(1, points + 1)))
    if len(parts) > 1 and all(parts):
        return Scale(labels=tuple(part.lower() for part in parts))
    return None


def stated_points(text: str) -> int | None:
    """Return the number of points that a text states, as in `on a 5-point scale` or `a five-point scale`."""
    digits = re.sub("|".join(WORDS), lambda word: str(WORDS[word[0].lower()]), text, flags=re.IGNORECASE)
    match = re.search(r"(?<!\d)(\d{1,9})\s?-\s?point|(?<!\d)(\d{1,9})\s{1,3}point\b", digits, re.IGNORECASE)
    return int(next(filter(None, match.groups()))) if match else None
