"""The loss curve of a training run as a picture that opens anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

WIDTH, HEIGHT, EDGE = 640, 320, 48


def loss_curve(rows: Sequence[dict[str, Any]]) -> str:
    """SVG: the loss of every step as a thin line, the validation loss of every epoch as points."""
    steps = [(row["step"], row["loss"]) for row in rows if "epoch" not in row]
    epochs = [(row["step"], row["loss"]) for row in rows if "epoch" in row and "loss" in row]
    top = max((value for _, value in [*steps, *epochs]), default=1.0) or 1.0
    last = max((step for step, _ in steps), default=1) or 1

    def place(step: float, value: float) -> str:
        x = EDGE + (WIDTH - 2 * EDGE) * step / last
        y = HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * value / top
        return f"{x:.1f},{y:.1f}"

    line = " ".join(place(*one) for one in steps)
    dashed = " ".join(place(*one) for one in epochs)
    points = "".join(
        f'<circle cx="{x}" cy="{y}" r="3" fill="#b33"><title>step {step}: {value:.4f}</title></circle>'
        for step, value in epochs
        for x, y in [place(step, value).split(",")]
    )
    texts = [(EDGE, EDGE - 12, f"loss (highest {top:.2f})"), (WIDTH - 2 * EDGE, HEIGHT - 14, f"step {last}")]
    labels = "".join(f'<text x="{x}" y="{y}">{text}</text>' for x, y, text in texts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="#fff"/>{labels}'
        f'<path d="M{EDGE},{EDGE}V{HEIGHT - EDGE}H{WIDTH - EDGE}" fill="none" stroke="#888"/>'
        f'<polyline points="{line}" fill="none" stroke="#36c" stroke-width="1"/>'
        f'<polyline points="{dashed}" fill="none" stroke="#b33" stroke-dasharray="4 3"/>{points}'
        f'<text x="{WIDTH - 3 * EDGE}" y="{EDGE}" fill="#36c">training</text>'
        f'<text x="{WIDTH - 3 * EDGE}" y="{EDGE + 16}" fill="#b33">validation</text></svg>\n'
    )
