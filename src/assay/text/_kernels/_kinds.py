"""What kind of character each code point is, as far as the rules for cutting texts care."""

from __future__ import annotations

import numpy as np

LOWER, UPPER, DIGIT, SPACE, STOP, DASH, QUOTE, SYMBOL = (1 << bit for bit in range(8))
"""SYMBOL: ASCII marks except the apostrophe, the comma, the dash and the full stop. 0 is anything else."""

# Beyond ASCII only white space is told from the rest, as `str.split` does; none lies behind the ideographic space.
TABLE = np.array([SPACE if chr(code).isspace() else 0 for code in range(0x3001)], dtype=np.uint8)
TABLE[33:127] = SYMBOL
for _first, _last, _kind in (("a", "z", LOWER), ("A", "Z", UPPER), ("0", "9", DIGIT)):
    TABLE[ord(_first) : ord(_last) + 1] = _kind
for _marks, _kind in ((".,", STOP), ("-", DASH), ("'", QUOTE)):
    TABLE[[ord(_mark) for _mark in _marks]] = _kind
