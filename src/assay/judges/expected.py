"""Expected ratings from token probabilities: the mean of the scale under the distribution of the answer's token."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.judges.form import JudgeForm

LEAST = 0.5
"""Least probability of all levels together; below it the token was not a rating."""
Tokens = Sequence[tuple[str, Sequence[tuple[str, float]]]]


def level_probabilities(form: JudgeForm, name: str, value: float, tokens: Tokens) -> dict[str, float] | None:
    """Return the probability of each level at the token of the value, or None without a distribution.

    The token is the last one whose text is the rating: `"score": 4` at the end, or `4` alone. A rating of several
    tokens (10, 4.5) has no distribution over single tokens.
    """
    if form.kind != "rating":
        return None
    levels = list(form.criterion(name).levels)
    if any(len(level) != 1 for level in levels):
        return None
    low, high = form.criterion(name).scale
    known = levels if len(levels) > 2 else [f"{number:g}" for number in range(int(low), int(high) + 1)]
    shown = f"{value:g}"
    place = _place(tokens, name, shown)
    if place is None:
        return None
    mass = dict.fromkeys(known, 0.0)
    for token, logprob in tokens[place][1]:
        if (digit := token.strip().strip('"')) in mass:
            mass[digit] += math.exp(min(0.0, logprob))
    total = sum(mass.values())
    if total < LEAST:
        return None
    return {level: share / total for level, share in mass.items()}


def _place(tokens: Tokens, name: str, shown: str) -> int | None:
    """Return the position of the rating: after the criterion's key if that occurs, else the only such token."""
    places = [i for i, (token, _) in enumerate(tokens) if token.strip().strip('"') == shown]
    if not places:
        return None
    text, keyed = "", None
    for i, (token, _) in enumerate(tokens):
        if i in places and text.rstrip('" ').endswith((f'{name}":', '"score":', '"rating":', "Rating:", "Score:")):
            keyed = i
        text = (text + token)[-200:]
    return keyed if keyed is not None else places[0] if len(places) == 1 else None


def expected_rating(probabilities: dict[str, float]) -> float:
    """Return the mean level under the probabilities."""
    return sum(float(level) * share for level, share in probabilities.items())
