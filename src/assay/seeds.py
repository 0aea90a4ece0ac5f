"""Chance that can be had again."""

from __future__ import annotations

import random


def chance(*parts: object) -> random.Random:
    """Randomness that depends on what is asked, never on what came before it."""
    return random.Random("\0".join(map(str, parts)))
