"""Make the font of the pages: Inter's Latin letters, figures and signs, weights 400 to 700.

    pip install fonttools brotli
    npm pack inter-ui@4.1.1 && tar xzf inter-ui-4.1.1.tgz
    python tools/make_font.py package/variable/InterVariable.woff2

It writes src/assay/explorer/templates/inter.woff2; its licence (SIL Open Font License 1.1) is in NOTICE.
"""

from __future__ import annotations

import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src/assay/explorer/templates/inter.woff2"
LARGEST = 40_000
"""Bytes of the font; every report contains it."""
RANGES = ((0x20, 0x7E), (0xA0, 0x17F), (0x218, 0x21B))
"""ASCII, Latin-1, Latin Extended-A, and the commas of Romanian."""
SIGNS = "ẞ–—‘’‚“”„†‡•…‰′″‹›€™−×±≤≥≈≠∞√∑αβγδεηθκλμνπρστφχψωΔΣ←↑→↓↔✓✗○●▲▼▶◀◆■□½¼¾²³₀₁₂₃\u2009\u202f\u2010\u2011"
FEATURES = ["ccmp", "kern", "locl", "mark", "mkmk", "tnum"]


def make_font(source: Path, target: Path) -> int:
    """Write the subset and return its size in bytes."""
    from fontTools import subset
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    options = subset.Options(layout_features=FEATURES, hinting=False, flavor="woff2")
    font = TTFont(source, recalcTimestamp=False)
    cut = subset.Subsetter(options)
    cut.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)], text=SIGNS)
    cut.subset(font)
    instancer.instantiateVariableFont(font, {"opsz": 14, "wght": (400, 700)}, inplace=True)
    subset.save_font(font, str(target), options)
    return target.stat().st_size


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    size = make_font(Path(arguments[0]), TARGET)
    print(f"{TARGET.name}: {size:,} bytes")
    if size > LARGEST:
        raise SystemExit(f"{TARGET.name} is larger than {LARGEST:,} bytes. Remove ranges, signs or features.")


if __name__ == "__main__":
    main(sys.argv[1:])
