"""How many tokens were left to draw from at each step of sampling: numbers, and curves for a sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

KEY = "set_sizes"
"""Under which every answer keeps the sizes of its steps."""
MARKS = (1, 10, 100, 1_000, 10_000)
WIDTH, HEIGHT, EDGE = 640, 340, 48
HUES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999")


def set_sizes(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Of all answers, also of those that were there before."""
    return [size for row in rows for size in row.get(KEY, ())]


def set_statistics(sizes: Sequence[int]) -> dict[str, Any]:
    """Quantiles over all steps, and the share of steps with at most so many tokens; `single` left no choice."""
    ordered = sorted(sizes)

    def quantile(share: float) -> float:
        return float(ordered[min(len(ordered) - 1, int(share * len(ordered)))])

    return {
        "steps": len(ordered),
        "mean": sum(ordered) / len(ordered),
        "median": quantile(0.5),
        "p90": quantile(0.9),
        "max": float(ordered[-1]),
        "single": sum(size == 1 for size in ordered) / len(ordered),
        "at_most": {str(mark): sum(size <= mark for size in ordered) / len(ordered) for mark in MARKS},
    }


def told(statistics: Mapping[str, Any]) -> list[str]:
    """The same in words, for people."""
    sizes = [f"{name} {statistics[name]:,.1f}".removesuffix(".0") for name in ("mean", "median", "p90", "max")]
    shares = [f"at most {int(mark):,}: {100 * share:.0f} %" for mark, share in statistics["at_most"].items()]
    return [f"{statistics['steps']:,} steps", *sizes, *shares]


def set_curves(settings: Mapping[str, Sequence[int]]) -> str:
    """SVG: for every setting the share of steps with at most so many tokens, sizes on a logarithmic scale."""
    top = max((max(sizes) for sizes in settings.values() if sizes), default=1)
    decades = max(1, math.ceil(math.log10(max(2, top))))

    def place(size: float, share: float) -> str:
        x = EDGE + (WIDTH - 3 * EDGE) * math.log10(size) / decades
        return f"{x:.1f},{HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * share:.1f}"

    drawn = []
    for number, (name, sizes) in enumerate(settings.items()):
        ordered, hue = sorted(sizes), HUES[number % len(HUES)]
        steps = [(size, (i + 1) / len(ordered)) for i, size in enumerate(ordered)]
        last = dict(steps)  # of equal sizes the highest share
        line, before = [], 0.0
        for size, share in last.items():
            line += [place(size, before), place(size, share)]
            before = share
        drawn.append(f'<polyline points="{" ".join(line)}" fill="none" stroke="{hue}" stroke-width="1.5"/>')
        x, y = WIDTH - 2 * EDGE + 6, EDGE + 16 * number
        drawn.append(f'<text x="{x}" y="{y}" fill="{hue}">{escape(name)}</text>')
    for decade in range(decades + 1):
        across = place(10**decade, 0).partition(",")[0]
        drawn.append(f'<text x="{across}" y="{HEIGHT - EDGE + 16}" text-anchor="middle">{10**decade:,}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="{EDGE}" y="{EDGE - 14}">share of steps with at most so many tokens to draw from</text>'
        f'<path d="M{EDGE},{EDGE}V{HEIGHT - EDGE}H{WIDTH - 2 * EDGE}" fill="none" stroke="#888"/>'
        f"{''.join(drawn)}</svg>\n"
    )
