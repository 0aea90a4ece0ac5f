"""Write the same numbers in another format: grouped or not, in words or in digits."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import ClassVar, Literal

from assay.challenges.perturbation import Perturbation
from assay.challenges.surface import On, with_texts
from assay.records.types import Example
from assay.text.cardinals import Cardinal, cardinals, spell
from assay.text.english import is_english

WORDS_TO = 12
"""Largest number written in words by default."""


@dataclass(frozen=True)
class NumberFormat(Perturbation):
    """Values and references do not change. Years, dates and parts of other tokens are not changed, nor are texts in
    a language other than English, where 1,250 may mean 1.25."""

    to: Literal["other", "grouped", "plain", "words", "digits"] = "other"
    """`other` writes 1250 for 1,250, 1,250 for 1250, 12 for twelve and twelve for 12; others convert to one format."""
    on: On = "both"
    """Texts to change: the source, the values of the input, or both."""

    name: ClassVar = "number-format"
    about: ClassVar = "numbers keep their value and are written in another way"
    changes: ClassVar = "English numbers in the source and in the values of triples, slots, acts, concepts and cells"

    def change(self, example: Example, draw: Random) -> Example | None:
        if not is_english(example.language):
            return None
        return with_texts(example, lambda of, text: self._written(text), self.on)

    def _written(self, text: str) -> str:
        for each in reversed(cardinals(text)):
            text = text[: each.start] + self._other(each) + text[each.end :]
        return text

    def _other(self, number: Cardinal) -> str:
        spelled, whole = number.text[0].isalpha(), number.value == int(number.value) and not number.decimals
        if spelled and self.to in ("other", "digits"):
            return str(number.value)
        if not spelled and "," in number.text and self.to in ("other", "plain"):
            return number.text.replace(",", "")
        if not spelled and abs(number.value) >= 1000 and self.to in ("other", "grouped"):
            return format(Decimal(number.text.replace(",", "").replace("−", "-")), ",")
        small = 0 <= number.value <= (WORDS_TO if self.to == "other" else 10**12 - 1)
        if not spelled and whole and small and self.to in ("other", "words"):
            return spell(int(number.value))
        return number.text
