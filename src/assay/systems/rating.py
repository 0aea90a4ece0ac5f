"""The rating in a judge's answer, where there is one and no other way to read it."""

from __future__ import annotations

import re

N = r"((?:(?<!\w)-)?(?:\d+(?:\.\d+)?|(?<![\w.])\.\d+))"
NUMBER = re.compile(N)
"""Whatever has digits, also inside words (4th): what it means is not guessed."""
RATING = re.compile(rf"\b(?:rating|score)(?:\s+(?:is|of))?\s*[:=]?\s*{N}(?!\w)", re.IGNORECASE)
ALONE = re.compile(rf"\s*:?\s*{N}\s*\.?\s*")
COUNTED = "zero|one|two|three|four|five|six|seven|eight|nine|ten"
UNCLEAR = re.compile(rf"\d\s*(?:[/%+]|(?:out\s+)?of\b|(?:[-,]|to\b|or\b|and\b)\s*(?:{COUNTED})\b)", re.IGNORECASE)
"""A number that is no plain rating: 3/10 and 3 of ten, 3 or four, 3+, 3 %."""
LETTERS = {ord("*"): "", ord("`"): "", ord("–"): "-", ord("—"): "-", ord("−"): "-"}


def read_rating(answer: str, low: float, high: float) -> float | None:
    """The one rating in an answer; None if there is none, if there are several, or if it is off the scale.

    The scale may be said beside it (`Rating (1-5): 4`), or its end (`4/5`, `4 out of 5`). Any other number may be
    another rating, or the end of another scale: the answer is then left unread.
    """
    plain = _without_scale(answer.translate(LETTERS), low, high)
    alone = ALONE.fullmatch(plain)
    ratings = {float(number) for number in ([alone[1]] if alone else RATING.findall(plain))}
    if len(ratings) != 1 or ratings != {float(number) for number in NUMBER.findall(plain)} or UNCLEAR.search(plain):
        return None
    (value,) = ratings
    return value if low <= value <= high else None


def _without_scale(text: str, low: float, high: float) -> str:
    """The text where it does not speak of the scale that was asked for."""
    first, last = (rf"{re.escape(f'{end:g}')}(?:\.0+)?(?!\.?\d)" for end in (low, high))
    both = rf"{first}\s*(?:-|to)\s*{last}"
    of = r"/|out\s+of\b|of\b"
    said = [
        rf"\([^()\d]*{both}\s*\)",  # Rating (1-5): 4
        rf"(?:on\s+)?(?:an?\s+|the\s+)?\bscale\s+(?:of\s+|from\s+)?{both}",  # 4 on a scale of 1 to 5
        rf"(?:(?<=rating)|(?<=score))\s+{both}(?=\s*:)",  # Rating 1-5: 4
        rf"(?<=\d)\s*(?:{of})\s*{last}(?!\s*(?:{of}))",  # 4/5
    ]
    if high == 100:
        said.append(r"(?<=\d)\s*%")
    return re.sub("|".join(said), "", text, flags=re.IGNORECASE)
