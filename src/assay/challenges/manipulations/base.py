"""What a manipulation of a text is, and a set of texts manipulated at any strength.

A manipulation never makes a text better. What it does to one text depends on the seed, the repeat and the text's key,
not on the strength: at 20 % the same lines are changed in the same way as at 10 %, and as many again. So a metric that
has measured the texts and all their changed twins knows every strength between.
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
class Given:
    """A text, and what stands around it."""

    text: str
    source: str | None = None
    others: Sequence[str] = ()
    """The texts of all items, this one among them or not."""
    language: str | None = None


Change = Callable[[Given, Random], "str | None"]


class Manipulation(NamedTuple):
    """One way to change a text by rule."""

    name: str
    about: str
    effect: Effect
    """What it does to the quality: `worse` for sure, or `no better` where a task may not mind."""
    apply: Change
    """The changed text; None where there is nothing to change."""
    needs: tuple[Literal["source", "others"], ...] = ()
    english: bool = False
    """Whether its rules are those of English, so that other languages are left alone."""

    def change(self, given: Given, draw: Random) -> str | None:
        """The changed text; None where nothing can be changed or comes out otherwise."""
        if self.english and not is_english(given.language):
            return None
        if ("source" in self.needs and not given.source) or ("others" in self.needs and not given.others):
            return None
        changed = self.apply(given, draw)
        return None if changed is None or changed == given.text else changed


class Manipulated(NamedTuple):
    """Texts with their changed twins, and the order in which they are exchanged."""

    texts: Sequence[str]
    changed: Sequence[str | None]
    """The twin of each text; None where there is none."""
    order: Sequence[int]

    def chosen(self, strength: float) -> list[int]:
        """Places to be changed at a strength from 0 to 1: the nearest whole number of them, sorted."""
        return sorted(self.order[: math.floor(strength * len(self.order) + 0.5)])

    def at(self, strength: float) -> list[str]:
        """The texts of which this share is changed; what cannot be changed stays as it is."""
        chosen = set(self.chosen(strength))
        pairs = enumerate(zip(self.texts, self.changed, strict=True))
        return [twin if i in chosen and twin is not None else text for i, (text, twin) in pairs]

    def unchanged(self, strength: float = 1.0) -> int:
        """How many of the chosen texts could not be changed."""
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
    """Every text with its twin. `keys` (ids) say by what chance is drawn for each; else their places do."""
    names = keys if keys is not None else [str(i) for i in range(len(texts))]
    changed = []
    for i, (text, key) in enumerate(zip(texts, names, strict=True)):
        given = Given(text, sources[i] if sources else None, texts, languages[i] if languages else None)
        changed.append(manipulation.change(given, rng_for(seed, manipulation.name, repeat, key)))
    order = list(range(len(texts)))
    rng_for(seed, "order", repeat).shuffle(order)
    return Manipulated(texts, changed, order)


def pieces(text: str) -> list[str]:
    """Words at even places, the white space between them at odd ones; put together they are the text, stripped."""
    return re.split(r"(\s+)", text.strip()) if text.strip() else []


def exchange(word: str, new: str) -> str:
    """A word by another; the marks that cling to it stay."""
    core = CORE.search(word)
    return word[: core.start()] + new + word[core.end() :] if core else new


def wordy(parts: Sequence[str]) -> list[int]:
    """The places of words that have a letter."""
    return [i for i in range(0, len(parts), 2) if any(letter.isalpha() for letter in parts[i])]
