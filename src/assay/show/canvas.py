"""A blank figure in the house style, and writing it to a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart by colour-blind readers too
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000", "#999999")
FORMATS = ("png", "svg", "pdf")


def blank(width: float = 6.4, height: float = 4.0) -> tuple[Figure, Any]:
    """A figure with one pair of axes, without a frame on top and right."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise AssayError("figures need matplotlib; install it with pip install 'assay[plots]'") from None
    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def colour(position: int) -> str:
    return COLOURS[position % len(COLOURS)]


def save(figure: Figure, folder: Path, name: str, form: str) -> Path:
    """Write a figure; the name is made safe for a file. Dates are left out, so the same data give the same bytes."""
    if form not in FORMATS:
        raise AssayError(f"no figure format '{form}'; choose from {', '.join(FORMATS)}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-').lower()}.{form}"
    import matplotlib

    undated: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with matplotlib.rc_context({"svg.hashsalt": "assay"}):
        figure.savefig(path, metadata=undated.get(form))
    return path


def stacked(axes: Any, names: Sequence[str], parts: Mapping[str, Sequence[float]], label: str) -> None:
    """Bars of stacked parts, one bar per name."""
    base = [0.0] * len(names)
    for position, (part, heights) in enumerate(parts.items()):
        axes.bar(range(len(names)), heights, bottom=base, label=part, color=colour(position), width=0.7)
        base = [low + height for low, height in zip(base, heights, strict=True)]
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.set_ylabel(label)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
