"""Other numbers in the input, and in the references where it is clear which they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import ClassVar

import msgspec

from assay.challenges.perturbation import Perturbation
from assay.challenges.surface import with_values
from assay.records.types import Example
from assay.text.cardinals import Cardinal, cardinals, varied

COUNTED = re.compile(
    r"number|total|count|population|staff|student|employee|member|size|length|height|width|depth|elevation|altitude|area|"
    r"capacity|seat|runway|cost|price|mass|weight|speed|distance|temperature|score|points",
    re.IGNORECASE,
)
"""Predicates and slots of which four digits are a number; of all others they are a year."""


@dataclass(frozen=True)
class Numbers(Perturbation):
    """Each cardinal gives way to a random one of the same format, from 0 to the next power of ten (54: 0 to 100).

    A reference says the new number where it says the old one exactly once; the tag `references_updated` counts the
    references that could follow, and `numbers` says which became which.
    """

    years: bool = False
    """Change what may be a year, too."""

    name: ClassVar = "numbers"
    about: ClassVar = "cardinal numbers are others of the same format; references follow where that is clear"
    changes: ClassVar = "cardinals in the values of triples, slots, acts, concepts and cells, or in the source"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def change(self, example: Example, draw: Random) -> Example | None:
        new: dict[str, str] = {}

        def vary(of: str, text: str) -> str:
            found = cardinals(text, years=self.years or bool(COUNTED.search(of)), language=example.language)
            for each in found:
                if each.text not in new:
                    new[each.text] = varied(each, draw)
            return _replaced(text, [(each, new[each.text]) for each in found])

        made = with_values(example, vary)
        if made.source and new:
            found = [each for each in cardinals(made.source, years=True, language=example.language) if each.text in new]
            made = msgspec.structs.replace(
                made, source=_replaced(made.source, [(each, new[each.text]) for each in found])
            )
        elif made.source:
            made = msgspec.structs.replace(made, source=vary("", made.source))
        if not new:
            return None
        texts = [_followed(text, new, example.language) for text in made.references]
        count = sum(text is not None for text in texts)
        tags = {"numbers": "; ".join(f"{old} -> {number}" for old, number in new.items())}
        if texts:
            tags["references_updated"] = (
                "all" if count == len(texts) else f"{count} of {len(texts)}" if count else "none"
            )
        references = tuple(text or old for text, old in zip(texts, made.references, strict=True))
        return msgspec.structs.replace(made, references=references, tags={**made.tags, **tags})


def _replaced(text: str, pairs: list[tuple[Cardinal, str]]) -> str:
    for each, new in sorted(pairs, reverse=True):
        text = text[: each.start] + new + text[each.end :]
    return text


def _followed(reference: str, new: dict[str, str], language: str | None) -> str | None:
    """The reference with the new numbers; None unless it has each old one once."""
    known = cardinals(reference, years=True, units=True, language=language)
    pairs = []
    for old, number in new.items():
        (before,), (after,) = cardinals(old, years=True), cardinals(number, years=True)
        there = [each for each in known if each.value == before.value]
        if len(there) != 1:
            return None
        pairs.append((there[0], _as_written(there[0], after.value)))
    return _replaced(reference, pairs)


def _as_written(old: Cardinal, value: Decimal) -> str:
    """A value in the format of a reference, with decimals of its own where it cannot be said without."""
    plain = value.normalize()
    exponent = plain.as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    if decimals <= old.decimals:
        return old.written(value)
    return format(plain, ",f" if "," in old.text else "f")
