"""Figures as Vega-Lite specifications: JSON with the data inside, drawn by any program that knows the format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.show.canvas import NEUTRAL, PALETTE, file_stem
from assay.show.multiples import Panel

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
VERDICTS = {"best": PALETTE[0], "tied": PALETTE[0], "behind": NEUTRAL, "": PALETTE[0]}


def multiples_spec(systems: Sequence[str], panels: Sequence[Panel]) -> dict[str, Any]:
    """Return small multiples: systems as rows, one panel a metric, right is always better."""
    return {"$schema": SCHEMA, "hconcat": [_panel(systems, panel, place) for place, panel in enumerate(panels)]}


def _panel(systems: Sequence[str], panel: Panel, place: int) -> dict[str, Any]:
    rows = [
        {"system": system, "value": value, "low": low, "high": high, "text": text, "verdict": verdict}
        for system, (value, low, high), text, verdict in zip(
            systems, panel.values, panel.texts, panel.verdicts, strict=True
        )
    ]
    x = {
        "field": "low",
        "type": "quantitative",
        "title": None,
        "scale": {"zero": False, "reverse": panel.lower},
    }
    colour = {
        "field": "verdict",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": list(VERDICTS), "range": list(VERDICTS.values())},
    }
    tip = [{"field": name} for name in ("system", "text", "low", "high", "verdict")]
    hollow = {"condition": {"test": "datum.verdict === 'tied'", "value": "white"}, **colour}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "rule", "strokeWidth": 2.5}, "encoding": {"x": x, "x2": {"field": "high"}, "color": colour}},
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"x": x | {"field": "value"}, "fill": hollow, "stroke": colour, "tooltip": tip},
        },
    ]
    if panel.level is not None:
        layers.insert(0, {"mark": {"type": "rule", "strokeDash": [3, 3]}, "encoding": {"x": {"datum": panel.level}}})
    names = {"title": None, "labels": place == 0, "domain": False, "ticks": False}
    return {
        "title": {"text": panel.name, **({"subtitle": "lower is better, axis flipped"} if panel.lower else {})},
        "width": 170,
        "height": {"step": 26},
        "data": {"values": rows},
        "encoding": {"y": {"field": "system", "type": "nominal", "sort": list(systems), "axis": names}},
        "layer": layers,
    }


def save_spec(spec: dict[str, Any], folder: Path, name: str) -> Path:
    """Write a specification into a folder; an error leaves an existing file unchanged."""
    from assay.records.files import json_bytes, replacing

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file_stem(name)}.vl.json"
    with replacing(path, "wb") as stream:
        stream.write(json_bytes(spec))
    return path
