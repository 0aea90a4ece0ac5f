"""Common style of figures: palette, blank figure, labels, and file formats.

matplotlib is loaded only when a figure is drawn: pip install 'assay-eval[plots]'.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from assay.errors import AssayError, UsageError
from assay.extras import not_installed
from assay.show.escape import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b38600", "#56b4e9", "#8f7ae5")
NEUTRAL = "#7f7f7f"
"""Colours of Okabe and Ito, safe for colour-blind readers; the orange is darker for contrast on white."""
DASHES = ("-", "--", ":", "-.")
HATCHES = ("", "////", "....", "xxxx")
FORMATS = ("png", "svg", "pdf")
VEGA = "vega"
"""Name of Vega-Lite JSON on the command line; its files end in .vl.json."""
LONGEST = 80
"""Largest number of characters of a label."""
STYLE: Any = {
    "svg.hashsalt": "assay",  # reproducible output
    "svg.fonttype": "none",  # texts can be searched and copied
    "hatch.linewidth": 0.6,
}


class Ink(NamedTuple):
    """Style of one of several series; after the last colour, lines are dashed and bars hatched."""

    colour: str
    dash: str
    hatch: str


def ink(position: int) -> Ink:
    turn = position // len(PALETTE)
    return Ink(PALETTE[position % len(PALETTE)], DASHES[turn % len(DASHES)], HATCHES[turn % len(HATCHES)])


def need_matplotlib() -> None:
    """Raise an error with the install command if matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise AssayError(not_installed(["matplotlib"], "plots")) from None


def need_drawable(path: Path) -> None:
    """Check the suffix of a figure file, and that matplotlib is installed."""
    if path.suffix.removeprefix(".").lower() not in FORMATS:
        raise UsageError(f"{path}: unknown figure format; use .{', .'.join(FORMATS)}")
    need_matplotlib()


def blank(
    width: float = 6.4, height: float = 4.0, layout: Literal["constrained"] | None = "constrained"
) -> tuple[Figure, Any]:
    """Return a figure with one pair of axes, without frame at the top and on the right."""
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150, layout=layout)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def label(text: object) -> str:
    """Return a label of at most 80 characters, with dollar signs escaped, which matplotlib reads as mathematics."""
    shown = plain(text)
    return (shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…").replace("$", r"\$")


def legend(axes: Any, handles: Sequence[Any], names: Sequence[str], **where: Any) -> None:
    """Add a legend, by default on the right. Names are set last, because matplotlib hides those with a leading _."""
    default = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    drawn = axes.legend(handles, ["name"] * len(handles), frameon=False, fontsize=8, **(where or default))
    for text, name in zip(drawn.get_texts(), names, strict=True):
        text.set_text(label(name))


def save(figure: Figure, path: Path) -> Path:
    """Write a figure in the format of the suffix; an error leaves an existing file unchanged."""
    from assay.records.files import replacing

    need_drawable(path)
    with replacing(path, "wb") as stream:
        stream.write(_drawn(figure, path.suffix.removeprefix(".").lower()))
    return path


def save_as(figure: Figure, folder: Path, name: str, form: str) -> Path:
    """Write a figure into a folder; the name is made safe for a file name."""
    folder.mkdir(parents=True, exist_ok=True)
    return save(figure, folder / f"{file_stem(name)}.{form}")


def file_stem(name: str) -> str:
    """Return a name that is safe for a file."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()


def _drawn(figure: Figure, form: str) -> bytes:
    import matplotlib

    undated: dict[str, dict[str, Any]] = {
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
        "pdf": {"CreationDate": None},
    }
    stream = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(stream, format=form, metadata=undated.get(form))
    return stream.getvalue()
