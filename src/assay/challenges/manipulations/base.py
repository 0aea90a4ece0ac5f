"""Manipulations of texts, and sets of texts manipulated at any strength.

A manipulation never makes a text better. What it does to one text depends on the seed, the repeat and the text's key,
not on the strength: at 20 % the texts changed at 10 % are changed in the same way, and as many more. Scores of
the texts and their changed versions therefore give the scores at every strength.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple

from assay.seeds import rng_for
from assay.text.english import is_english

Effect = Literal["worse", "no better"]
CORE = re.compile(r"\w(?:.*\w)?", re.DOTALL)


@dataclass(frozen=True)
class Passage:
    """A text with its context."""

    text: str
    source: str | None = None
    others: Sequence[str] = ()
    """Texts of all items; may include this one."""
    language: str | None = None


Change = Callable[[Passage, Random], "str | None"]


class Manipulation(NamedTuple):
    """One rule-based change of a text."""

    name: str
    about: str
    effect: Effect
    """Effect on quality: `worse`, or `no better` if some tasks tolerate it."""
    apply: Change
    """Returns the changed text; None if there is nothing to change."""
    needs: tuple[Literal["source", "others"], ...] = ()
    english: bool = False
    """Whether its rules are for English only; other languages are not changed."""

    def change(self, passage: Passage, draw: Random) -> str | None:
        """Return the changed text; None if nothing can be changed."""
        if self.english and not is_english(passage.language):
            return None
        if ("source" in self.needs and not passage.source) or ("others" in self.needs and not passage.others):
            return None
        changed = self.apply(passage, draw)
        return None if changed is None or changed == passage.text else changed


class Manipulated(NamedTuple):
    """Texts with their changed versions, and the order of replacement."""

    texts: Sequence[str]
    changed: Sequence[str | None]
    """Changed version of each text; None if there is none."""
    order: Sequence[int]

    def chosen(self, strength: float) -> list[int]:
        """Return the positions to change at a strength from 0 to 1, rounded and sorted."""
        return sorted(self.order[: math.floor(strength * len(self.order) + 0.5)])

    def at(self, strength: float) -> list[str]:
        """Return the texts with this share changed; texts that cannot be changed stay."""
        chosen = set(self.chosen(strength))
        pairs = enumerate(zip(self.texts, self.changed, strict=True))
        return [twin if i in chosen and twin is not None else text for i, (text, twin) in pairs]

    def unchanged(self, strength: float = 1.0) -> int:
        """Return the number of selected texts that could not be changed."""
        return sum(self.changed[i] is None for i in self.chosen(strength))


def manipulate(
    manipulation: Manipulation,
    texts: Sequence[str],
    *,
    sources: Sequence[str | None] | None = None,
    languages: Sequence[str | None] | None = None,
    keys: Sequence[str] | None = None,
    seed: int = 0,
    repeat: int = 0,
) -> Manipulated:
    """Change every text. `keys` (ids) seed the random choices of each text (default: positions)."""
    names = keys if keys is not None else [str(i) for i in range(len(texts))]
    changed = []
    for i, (text, key) in enumerate(zip(texts, names, strict=True)):
        passage = Passage(text, sources[i] if sources else None, texts, languages[i] if languages else None)
        changed.append(manipulation.change(passage, rng_for(seed, manipulation.name, repeat, key)))
    order = list(range(len(texts)))
    rng_for(seed, "order", repeat).shuffle(order)
    return Manipulated(texts, changed, order)


def pieces(text: str) -> list[str]:
    """Return words at even positions and white space at odd ones; joined they are the stripped text."""
    return re.split(r"(\s+)", text.strip()) if text.strip() else []


def exchange(word: str, new: str) -> str:
    """Replace a word; keep attached punctuation."""
    core = CORE.search(word)
    return word[: core.start()] + new + word[core.end() :] if core else new


def wordy(parts: Sequence[str]) -> list[int]:
    """Return the positions of words with a letter."""
    return [i for i in range(0, len(parts), 2) if any(letter.isalpha() for letter in parts[i])]
