"""The small multiples outside the pages: terminal, notebooks, Vega-Lite."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import assay
from assay.show.html_multiples import html_multiples
from assay.show.multiples import Panel
from assay.show.text_multiples import text_multiples
from assay.show.vega import multiples_spec, save_spec

SYSTEMS = ["first", "second", "<b>third & last</b>"]
PANELS = [
    Panel("bleu", [(40.0, 38.0, 42.0), (39.0, 37.0, 41.0), (20.0, 18.0, 22.0)], ["40.0", "39.0", "20.0"],
          ["best", "tied", "behind"]),
    Panel("ter", [(50.0, 48.0, 52.0), (80.0, 78.0, 82.0), (None, None, None)], ["50.0", "80.0", ""],
          ["best", "behind", ""], lower=True),
]  # fmt: skip


@pytest.mark.parametrize("width", [40, 80, 200])
def test_right_is_better_in_the_terminal(width: int) -> None:
    lines = text_multiples(SYSTEMS, PANELS, width)
    joined = "\n".join(lines)
    assert joined.count("●") == 3  # two best, and the key
    assert re.search(r"ter (\(lower is better(, flipped)?\)|↓)", joined)  # never cut within the note
    ter = [line for line in lines if "50.0" in line or "80.0" in line]
    best, behind = (next(line for line in ter if number in line) for number in ("50.0", "80.0"))
    assert best.rindex("●") > behind.rindex("∙")
    assert all(len(line) <= max(width, 60) for line in lines)


def test_a_notebook_gets_the_drawing_and_the_table() -> None:
    drawing = ElementTree.fromstring(html_multiples(SYSTEMS, PANELS))
    circles = [each for each in drawing.iter() if each.tag.endswith("circle")]
    assert len(circles) == 5  # a missing value has no dot
    assert sum(each.get("fill") == "Canvas" for each in circles) == 1
    texts = [each.text for each in drawing.iter() if each.tag.endswith("text")]
    assert "<b>third & last</b>" in texts  # as text, not as markup
    outputs = {"<i>a</i>": ["the cat sat", "a dog"], "b": ["the cat", "dogs ran"]}
    results = assay.score_all(outputs, [["the cat sat"], ["a dog ran"]], metrics="rouge1,ter", ci=20)
    compared, tabled = assay.compare(*results.values()), assay.table(results)
    for html in (results["b"]._repr_html_(), compared._repr_html_(), tabled._repr_html_()):
        assert html.startswith("<svg")
        assert "<table" in html
        assert "<i>" not in html


def test_vega_lite_has_the_same_numbers(tmp_path: Path) -> None:
    path = save_spec(multiples_spec(SYSTEMS, PANELS), tmp_path, "scores of a/b")
    assert path.name == "scores-of-a-b.vl.json"
    spec = json.loads(path.read_text(encoding="utf-8"))
    assert "vega-lite" in spec["$schema"]
    bleu, ter = spec["hconcat"]
    assert [row["value"] for row in bleu["data"]["values"]] == [40.0, 39.0, 20.0]
    assert bleu["layer"][0]["encoding"]["x"]["scale"]["reverse"] is False
    assert ter["layer"][0]["encoding"]["x"]["scale"]["reverse"] is True
    results = list(assay.score_all({"a": ["x y"] * 6, "b": ["x z"] * 6}, [["x y"]] * 6, metrics="rouge1").values())
    (difference,) = assay.compare(*results).to_vega()["hconcat"]
    assert difference["layer"][0]["encoding"]["x"] == {"datum": 0.0}
    assert results[0].to_vega()["hconcat"][0]["data"]["values"][0]["system"] == "a"
