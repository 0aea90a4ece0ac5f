"""The loss curve of a training run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.show.canvas import save
from assay.show.figures import curves

CURVE = "losses.svg"


def draw_losses(rows: Sequence[dict[str, Any]], folder: Path, say: Callable[[str], None]) -> None:
    """The loss of every step as a line, the validation loss of every epoch as points; a training needs no picture,
    so where nothing can be drawn this is only said."""
    steps = [row for row in rows if "epoch" not in row]
    epochs = [row for row in rows if "epoch" in row and "loss" in row]
    lines = {
        name: ([row["step"] for row in found], [row["loss"] for row in found])
        for name, found in (("training", steps), ("validation", epochs))
    }
    try:
        save(curves(lines, points={"validation": lines["validation"]}, x="step", y="loss"), folder / CURVE)
    except AssayError as why:
        say(f"! no {CURVE}: {why}")
