"""Venue names that match no database entry, resolved by aliases derived from the databases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.metrics.structure.dialog.values import NUMBERS

SAME = 90
"""Minimum ratio (0 to 100) of two equal names without spaces and endings."""
SAME_WORD = 85
COMMON = 3
"""Number of names of a domain with a word from which on the word is uninformative (restaurant, guest, house)."""
SMALL = frozenset("the a an of at and in by on".split())
ABBREVIATED = {"st": "saint", "b": "bed", "centre": "center", **{word: str(i) for i, word in enumerate(NUMBERS, 1)}}


@dataclass(frozen=True)
class VenueNames:
    """The venue names of one domain."""

    names: Sequence[str]

    def meant(self, mention: str) -> str | None:
        """Return the name that a mention refers to; None if there is none or more than one."""
        mentioned = words_of(mention)
        if not mentioned:
            return None
        whole = "".join(mentioned)
        return _unique(name for name, words in self._words.items() if _alike(whole, "".join(words)) >= SAME) or _unique(
            name for name, words in self._words.items() if self._refers_to(mentioned, words)
        )

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        return {name: words_of(name) for name in self.names}

    @cached_property
    def _frequency(self) -> Counter[str]:
        """Number of names with each word."""
        return Counter(word for words in self._words.values() for word in set(words))

    def _refers_to(self, mention: Sequence[str], words: Sequence[str]) -> bool:
        """Return whether the name has every informative word of a mention, and at least two words match."""
        if len(set(mention)) < len(mention) or len(mention) > len(words) + 1:  # repeated words: a degenerate output
            return False
        matches = {word: next((one for one in words if _alike(word, one) >= SAME_WORD), None) for word in mention}
        if any(one is None and self._frequency[word] < COMMON for word, one in matches.items()):
            return False
        informative = {one for one in matches.values() if one is not None and self._frequency[one] < COMMON}
        return bool(informative) and len({one for one in matches.values() if one}) > 1


def words_of(name: str) -> list[str]:
    """Return the words of a name without function words, apostrophes and plural endings; numbers as digits."""
    plain = re.sub(r"[^\w\s]", " ", re.sub(r"\s?['’]\s?s?\b", "", name.lower()))
    kept = (ABBREVIATED.get(word, word) for word in plain.split() if word not in SMALL)
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in kept]


def _unique(names: Iterable[str]) -> str | None:
    distinct = list(dict.fromkeys(names))
    return distinct[0] if len(distinct) == 1 else None


def _alike(one: str, other: str) -> float:
    from rapidfuzz.fuzz import ratio

    return ratio(one, other)
