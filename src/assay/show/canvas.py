"""The house style of figures: one palette, a blank figure, texts that stay texts, and the ways out.

matplotlib is loaded only when something is drawn: pip install 'assay-eval[plots]'.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from assay.errors import AssayError, UsageError
from assay.show.escape import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b38600", "#56b4e9", "#7f7f7f")
"""Okabe and Ito's colours, told apart by colour-blind readers too; the orange is darker, to be seen on white."""
DASHES = ("-", "--", ":", "-.")
HATCHES = ("", "////", "....", "xxxx")
FORMATS = ("png", "svg", "pdf")
LONGEST = 80
"""Letters of a label."""
STYLE: Any = {
    "svg.hashsalt": "assay",  # the same data give the same bytes
    "svg.fonttype": "none",  # texts can be read, searched and copied
    "hatch.linewidth": 0.6,
}


class Ink(NamedTuple):
    """How one of several things is drawn: when the colours are used up, lines are dashed and bars hatched."""

    colour: str
    dash: str
    hatch: str


def ink(position: int) -> Ink:
    turn = position // len(PALETTE)
    return Ink(PALETTE[position % len(PALETTE)], DASHES[turn % len(DASHES)], HATCHES[turn % len(HATCHES)])


def need_matplotlib() -> None:
    """One line that says what to install, before anything is computed for a figure."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise AssayError("figures need matplotlib; install it with pip install 'assay-eval[plots]'") from None


def need_drawable(path: Path) -> None:
    """Refuse a file whose ending is no form of a figure, and any when nothing can be drawn here."""
    if path.suffix.removeprefix(".").lower() not in FORMATS:
        raise UsageError(f"{path}: the ending says the form of the figure; use .{', .'.join(FORMATS)}")
    need_matplotlib()


def blank(
    width: float = 6.4, height: float = 4.0, layout: Literal["constrained"] | None = "constrained"
) -> tuple[Figure, Any]:
    """A figure with one pair of axes, without a frame on top and right."""
    need_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150, layout=layout)
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def label(text: object) -> str:
    """A text as it is: matplotlib would take what stands between dollar signs for mathematics. Endless ones are cut."""
    shown = plain(text)
    return (shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…").replace("$", r"\$")


def legend(axes: Any, handles: Sequence[Any], names: Sequence[str], **where: Any) -> None:
    """A legend beside the axes; names are set afterwards, for those that begin with _ would be left out."""
    beside = {"loc": "upper left", "bbox_to_anchor": (1, 1)}
    drawn = axes.legend(handles, ["name"] * len(handles), frameon=False, fontsize=8, **(where or beside))
    for text, name in zip(drawn.get_texts(), names, strict=True):
        text.set_text(label(name))


def save(figure: Figure, path: Path) -> Path:
    """Write a figure in the form its ending says; a figure that cannot be finished replaces none."""
    from assay.records.files import replacing

    need_drawable(path)
    with replacing(path, "wb") as stream:
        stream.write(_drawn(figure, path.suffix.removeprefix(".").lower()))
    return path


def save_as(figure: Figure, folder: Path, name: str, form: str) -> Path:
    """Write a figure into a folder; the name is made safe for a file."""
    folder.mkdir(parents=True, exist_ok=True)
    return save(figure, folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-').lower()}.{form}")


def inline(figure: Figure) -> str:
    """A figure as an SVG element to stand inside a page: nothing around it, no background, texts as texts."""
    figure.patch.set_alpha(0)
    for axes in figure.axes:
        axes.patch.set_alpha(0)
    text = _drawn(figure, "svg").decode()
    styled = ' <defs>\n  <style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}</style>\n </defs>\n'
    return text[text.index("<svg") :].replace(styled, "", 1).strip()  # a style in a page holds for the whole page


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
