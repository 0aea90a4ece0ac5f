"""Figures: the same data give the same bytes, no text becomes markup, one palette for files and pages."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay.errors import AssayError, UsageError
from assay.show import figures
from assay.show.canvas import FORMATS, PALETTE, ink, label, need_drawable, save, save_as

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ODD = ('<script>alert("1")</script>', "$\\frac{1}$", "_hidden", "a & b", "\x1b[31mred\n", "]]>", "x" * 500, "$", "汉")


def scatter(name: str) -> Figure:
    line = np.array([0.0, 1.0, 2.0])
    return figures.scatter({name: (line, line), "b": (line, -line)}, x=name, y=name, title=name, together=name)


def intervals(name: str) -> Figure:
    return figures.intervals([name, "b"], [(1.0, 0.5, 2.0), (None, None, None)], texts=[name, name], x=name)


def heat_map(name: str) -> Figure:
    values = [[0.1, np.nan], [0.9, 1.0]]
    texts = [[name, ""], [".9", "1"]]
    return figures.heat_map([name, "b"], [name, "c"], values, texts, scale=name, framed=[(0, 1)], x=name, title=name)


def curves(name: str) -> Figure:
    return figures.curves({name: ([1, 10], [0, 1])}, points={name: ([10], [1])}, level=0.8, x=name, y=name, log=True)


DRAWN: dict[str, Callable[[str], Figure]] = {
    "scatter": scatter,
    "stacked": lambda name: figures.stacked(["a", name], {name: [1, 2], "other": [3, 4]}, y=name),
    "bars": lambda name: figures.bars(["a", name], {name: [1, -2], "other": [0, 4]}, y=name),
    "heat map": heat_map,
    "intervals": intervals,
    "curves": curves,
}


def texts(figure: Figure) -> tuple[list[str], list[str]]:
    """Elements and texts of the figure as its file has it."""
    with TemporaryDirectory() as made:
        root = ElementTree.parse(save_as(figure, Path(made), "drawn", "svg")).getroot()  # our own drawing
    found = ["".join(each.itertext()) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    return sorted({each.tag.rpartition("}")[2] for each in root.iter()}), found


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("kind", DRAWN)
def test_texts_stay_texts(kind: str, odd: str) -> None:
    tags, shown = texts(DRAWN[kind](odd))
    assert tags == texts(DRAWN[kind]("name"))[0]
    expected = re.sub(r"[\x1b\n]", " ", odd) if len(odd) < 80 else "x" * 79 + "…"
    assert expected.strip() in [text.strip() for text in shown]


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_data_give_the_same_bytes(form: str, tmp_path: Path) -> None:
    once, again = (save_as(scatter("a"), tmp_path / side, "A figure: 1", form) for side in ("x", "y"))
    assert once.name == f"a-figure-1.{form}"
    assert once.read_bytes() == again.read_bytes()


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"x\.gif: unknown figure format; use \.png, \.svg, \.pdf"):
        need_drawable(tmp_path / "x.gif")
    figure = curves("a")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(AssayError, match=r"pip install 'assay-eval\[plots\]'"):
        curves("a")
    with pytest.raises(AssayError, match=r"assay-eval\[plots\]"):
        save(figure, tmp_path / "x.png")
    assert not (tmp_path / "x.png").exists()


def test_more_things_than_colours() -> None:
    assert len({ink(place) for place in range(4 * len(PALETTE))}) == 4 * len(PALETTE)
    assert ink(0).dash == "-"
    assert ink(len(PALETTE)).colour == PALETTE[0]
    assert ink(len(PALETTE)).hatch


def test_pages_have_the_same_palette() -> None:
    folder = Path(__file__).parents[2] / "web/src"
    source = (folder / "colours.ts").read_text(encoding="utf-8")
    listed = re.search(r"HUES = \[(.*?)\]", source, flags=re.DOTALL)
    assert listed is not None
    assert tuple(re.findall(r"#\w{6}", listed[1])) == PALETTE
    written = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert [written.count(hue) for hue in PALETTE] == [1] * len(PALETTE)


def test_labels_are_not_endless() -> None:
    assert label("x" * 80) == "x" * 80
    assert label("x" * 81) == "x" * 79 + "…"
    assert label("$a$") == r"\$a\$"


def test_constant_and_single_groups_have_no_line_of_their_own() -> None:
    same = np.ones(3)
    constant = figures.scatter({"": (same, same)}, x="m", y="h", together="all texts")
    assert constant.axes[0].get_legend() is None
    single = figures.scatter({"": (np.arange(3.0), same)}, x="m", y="h", together="all texts")
    assert len(single.axes[0].lines) == 1
