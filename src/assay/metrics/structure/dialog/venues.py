"""Which venue a name means that no name of a database contains: aliases follow from the databases themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.metrics.structure.dialog.values import NUMBERS

SAME = 90
"""How alike (0 to 100, of the whole) two names written without spaces and endings have to be."""
SAME_WORD = 85
COMMON = 3
"""In how many names of a domain a word has to stand to tell nothing (restaurant, guest, house, college)."""
SMALL = frozenset("the a an of at and in by on".split())
ABBREVIATED = {"st": "saint", "b": "bed", "centre": "center", **{word: str(i) for i, word in enumerate(NUMBERS, 1)}}


@dataclass(frozen=True)
class VenueNames:
    """The names of one domain, as the databases write them."""

    names: Sequence[str]

    def meant(self, mention: str) -> str | None:
        """The one name that a mention stands for; None where there is none, or more than one."""
        said = words_of(mention)
        if not said:
            return None
        whole = "".join(said)
        return _only(name for name, words in self._words.items() if _alike(whole, "".join(words)) >= SAME) or _only(
            name for name, words in self._words.items() if self._told(said, words)
        )

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        return {name: words_of(name) for name in self.names}

    @cached_property
    def _telling(self) -> Counter[str]:
        """In how many names each word stands."""
        return Counter(word for words in self._words.values() for word in set(words))

    def _told(self, said: Sequence[str], words: Sequence[str]) -> bool:
        """Every word of a mention stands in the name, but for kinds of venue, and two or more tell it from others."""
        if len(set(said)) < len(said) or len(said) > len(words) + 1:  # a system that stumbled has named nothing
            return False
        found = {word: next((one for one in words if _alike(word, one) >= SAME_WORD), None) for word in said}
        if any(one is None and self._telling[word] < COMMON for word, one in found.items()):
            return False
        telling = {one for one in found.values() if one is not None and self._telling[one] < COMMON}
        return bool(telling) and len({one for one in found.values() if one}) > 1


def words_of(name: str) -> list[str]:
    """Without small words, apostrophes and a plural's s; numbers in digits."""
    plain = re.sub(r"[^\w\s]", " ", re.sub(r"\s?['’]\s?s?\b", "", name.lower()))
    kept = (ABBREVIATED.get(word, word) for word in plain.split() if word not in SMALL)
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in kept]


def _only(names: Iterable[str]) -> str | None:
    found = list(dict.fromkeys(names))
    return found[0] if len(found) == 1 else None


def _alike(one: str, other: str) -> float:
    from rapidfuzz.fuzz import ratio

    return ratio(one, other)
