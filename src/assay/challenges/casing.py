"""Change letter case: lower case, capitals, title case or swapped case."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal

from assay.challenges.perturbation import Perturbation
from assay.challenges.surface import On, with_texts
from assay.records.types import Example


@dataclass(frozen=True)
class Casing(Perturbation):
    """References do not change."""

    to: Literal["lower", "upper", "title", "swap"] = "lower"
    """Lower case, upper case, title case, or each letter in the opposite case."""
    on: On = "source"
    """Texts to change: the source, the values of the input, or both."""

    name: ClassVar = "casing"
    about: ClassVar = "all words are in lower case, or in another case"
    changes: ClassVar = "the source; with on=input the values of triples, slots, acts, concepts and cells"

    def change(self, example: Example, draw: Random) -> Example | None:
        return with_texts(example, lambda of, text: self._cased(text), self.on)

    def _cased(self, text: str) -> str:
        if self.to == "title":
            return "".join(part.capitalize() if part.strip() else part for part in _runs(text))
        return {"lower": text.lower(), "upper": text.upper(), "swap": text.swapcase()}[self.to]


def _runs(text: str) -> list[str]:
    """Return words and the white space between them."""
    import re

    return re.split(r"(\s+)", text)
