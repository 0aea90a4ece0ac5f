"""What the numbers of a sentence count: the noun before each of them."""

from __future__ import annotations

from assay.metrics.support.claims import Sentence
from assay.text.quantities import Quantity

LINKS = frozenset("of to is was were are at".split())
"""Words between a noun and the number that it has."""


def exchanged_number(claim: Sentence, best: Sentence, number: Quantity) -> Quantity | None:
    """Return the number that the evidence has of what a claim counts, where the claim has that of something else:
    `a profit of 3 million` for `a loss of 3 million, after a profit of 1 million`."""
    what = _counted(claim, number)
    if what is None or any(other.agrees(number) and _counted(best, other) == what for other in best.numbers):
        return None
    elsewhere = [other for other in best.numbers if other.agrees(number) and _counted(best, other) is not None]
    rivals = [other for other in best.numbers if not other.agrees(number) and _counted(best, other) == what]
    rivals = [other for other in rivals if not (other.unit and number.unit) or other.unit == number.unit]
    return rivals[0] if elsewhere and rivals else None


def _counted(sentence: Sentence, number: Quantity) -> str | None:
    """Return the noun before a number, with nothing or `of`, `to`, `is` or `was` between them."""
    before = [token for token in sentence.tokens if token.start < number.start][-2:]
    if before and before[-1].text.lower() in LINKS:
        before.pop()
    return before[-1].form if before and before[-1].content else None
