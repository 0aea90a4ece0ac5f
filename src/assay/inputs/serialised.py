"""Parts of a serialised input, for a comparison without order."""

from __future__ import annotations

import re
from collections import Counter

SEPARATORS = re.compile(r"[,|()]|__sep__|__subj__|<SUB>")
"""Separators of the parts."""


def parts(line: str) -> Counter[str]:
    """Return the normalised parts of a serialised input, without order.

    >>> sorted(parts("inform(food='Thai', name=Alder)").elements())
    ['food=thai', 'inform', 'name=alder']
    """
    pieces = (piece.strip().strip(" '\"").casefold() for piece in SEPARATORS.split(line))
    return Counter(" ".join(piece.replace("'", "").split()) for piece in pieces if piece)
