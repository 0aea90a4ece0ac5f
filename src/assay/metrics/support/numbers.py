"""What the numbers of a sentence count: the noun before each of them, or directly after it."""

from __future__ import annotations

from bisect import bisect_left

from assay.metrics.support.claims import Sentence
from assay.text.quantities import Quantity

LINKS = frozenset("of to is was were are at".split())
"""Words between a noun and the number that it has."""


def exchanged_number(claim: Sentence, best: Sentence, number: Quantity) -> Quantity | None:
    """Return the number that the evidence has of what a claim counts, where the claim has that of something else:
    `a profit of 3 million` for `a loss of 3 million, after a profit of 1 million`."""
    return _exchanged_before(claim, best, number) or _exchanged_after(claim, best, number)


def _exchanged_before(claim: Sentence, best: Sentence, number: Quantity) -> Quantity | None:
    what = _counted(claim, number)
    if what is None or any(other.agrees(number) and _counted(best, other) == what for other in best.numbers):
        return None
    elsewhere = [other for other in best.numbers if other.agrees(number) and _counted(best, other) is not None]
    rivals = [other for other in best.numbers if not other.agrees(number) and _counted(best, other) == what]
    rivals = [other for other in rivals if not (other.unit and number.unit) or other.unit == number.unit]
    return rivals[0] if elsewhere and rivals else None


def _exchanged_after(claim: Sentence, best: Sentence, number: Quantity) -> Quantity | None:
    """Return the number of the evidence before the noun that a claim has after another one: `51 goals in 285 games`."""
    what = _noun_after(claim, number)
    if what is None:
        return None
    elsewhere, rival = False, None
    for other in best.numbers:
        noun = _noun_after(best, other)
        if other.agrees(number):
            if noun is None or noun == what:
                return None
            elsewhere = True
        elif noun == what:
            rival = rival or other
    return rival if elsewhere else None


def _noun_after(sentence: Sentence, number: Quantity) -> str | None:
    """Return the word directly after a number without a unit."""
    place = bisect_left(sentence.tokens, number.end, key=lambda token: token.start)
    if number.unit or place == len(sentence.tokens):
        return None
    after = sentence.tokens[place]
    return after.form if after.content and not sentence.text[number.end : after.start].strip() else None


def _counted(sentence: Sentence, number: Quantity) -> str | None:
    """Return the noun before a number, with nothing or `of`, `to`, `is` or `was` between them."""
    before = [token for token in sentence.tokens if token.start < number.start][-2:]
    if before and before[-1].text.lower() in LINKS:
        before.pop()
    return before[-1].form if before and before[-1].content else None
