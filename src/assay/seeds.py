"""Reproducible random number generators."""

from __future__ import annotations

import random


def rng_for(*parts: object) -> random.Random:
    """Return a random number generator seeded by these parts, such as a seed and an item's id.

    What it draws depends on the parts alone, never on the order in which items are processed.
    """
    return random.Random("\0".join(map(str, parts)))
