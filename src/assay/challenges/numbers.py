"""Replace numbers of the input, and of the references where the match is unambiguous."""

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
"""Predicates and slots whose four-digit values are numbers; elsewhere they are years."""


@dataclass(frozen=True)
class Numbers(Perturbation):
    """Replace each cardinal by a random one of the same format, from 0 to the next power of ten (54: 0 to 100).

    A reference is updated if it has the old number exactly once; the tag `references_updated` counts the updated
    references, and `numbers` lists old and new numbers.
    """

    years: bool = False
    """Also change numbers that may be years."""

    name: ClassVar = "numbers"
    about: ClassVar = "cardinal numbers are replaced in the same format; references follow where unambiguous"
    changes: ClassVar = "cardinals in the values of triples, slots, acts, concepts and cells, or in the source"
    citation: ClassVar = "Gehrmann et al. 2021, The GEM Benchmark"

    def change(self, example: Example, draw: Random) -> Example | None:
        new: dict[str, str] = {}

        def vary(of: str, text: str) -> str:
            numbers = cardinals(text, years=self.years or bool(COUNTED.search(of)), language=example.language)
            for each in numbers:
                if each.text not in new:
                    new[each.text] = varied(each, draw)
            return _replaced(text, [(each, new[each.text]) for each in numbers])

        made = with_values(example, vary)
        if made.source and new:
            numbers = cardinals(made.source, years=True, language=example.language)
            made = msgspec.structs.replace(
                made, source=_replaced(made.source, [(each, new[each.text]) for each in numbers if each.text in new])
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
    """Return the reference with the new numbers; None unless each old one occurs once."""
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
    """Format a value like a reference number, with extra decimals if required."""
    plain = value.normalize()
    exponent = plain.as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    if decimals <= old.decimals:
        return old.written(value)
    return format(plain, ",f" if "," in old.text else "f")
