"""Dataset cards for `assay data list` and `assay data show`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from assay.cli.shared.display import print_group, print_options, print_tables
from assay.datasets import Dataset
from assay.show.numbers import count
from assay.show.tables import Column, Table
from assay.specs_help import options_of


def home(found: Dataset) -> Path:
    """Where fetched files are kept."""
    root = os.environ.get("ASSAY_DATASETS") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay"
    return Path(root) / found.name


def describe(found: Dataset, folder: Path | None = None) -> dict[str, Any]:
    """A card as data; `folder` holds the files, where it is not the cache."""
    card = {field.name: getattr(found.card, field.name) for field in dataclasses.fields(found.card)}
    card = {name: dict(value) if isinstance(value, Mapping) else value for name, value in card.items()}
    options = {field.name: field.default for field in dataclasses.fields(found)}
    here = folder is not None or home(found).is_dir()
    return card | {"options": options, "available": here, "why_not": None if here else f"not in {home(found)}"}


def measure(found: Dataset, folder: Path, split: str | None) -> dict[str, Any]:
    from assay.datasets.statistics import Measure

    by_split: dict[str, Measure] = {}
    for example in found.read(folder, split):
        by_split.setdefault(example.split or "unknown", Measure()).add(example)
    return {
        name: {
            "statistics": [dataclasses.asdict(statistic) for statistic in measure.statistics],
            "counts": {tag: dict(sorted(counts.items(), key=_by_number)) for tag, counts in measure.tags.items()},
        }
        for name, measure in by_split.items()
    }


def _by_number(item: tuple[str, int]) -> tuple[bool, int, str]:
    """Numbers in their order, then words by how often they occur."""
    return (not item[0].isdigit(), int(item[0]) if item[0].isdigit() else -item[1], item[0])


def print_card(found: Dataset, folder: Path | None) -> None:
    card = found.card
    click.echo(f"{found.name}: {card.title}")
    sizes = ", ".join(f"{split} {count:,}" for split, count in card.sizes.items())
    rows = [
        ("task", card.task), ("goal", card.goal), ("languages", ", ".join(card.languages)), ("sizes", sizes),
        ("references", card.references), ("input", card.input_type),
        ("suite", card.suite or "none: no text is generated"), ("licence", card.licence),
        ("access", card.access), ("source", card.source), ("files", card.files),
        *(("GEM", text) for text in card.modifications), *(("note", text) for text in card.notes),
        ("cite", card.citation), ("here", str(folder) if folder else f"no: not in {home(found)}"),
    ]  # fmt: skip
    for heading, text in rows:
        click.echo(click.wrap_text(text, 100, f"  {heading:<11} ", " " * 14))
    print_options(options_of(type(found)))


def print_measured(measured: dict[str, Any], found: Dataset) -> None:
    if not measured:
        click.echo(f"  measured    nothing: give --path, or assay datasets fetch {found.name}")
    for split, values in measured.items():
        rows = [
            [each["name"], f"{each['value']:,.2f}", f"over {count(each['n'])} {each['over']}"]
            for each in values["statistics"]
        ]
        print_tables(Table([Column("measured", "left"), Column(split), Column("", "left", fold=True)], rows))
        for tag, counts in values["counts"].items():
            shown = [f"{value} {count(n)}" for value, n in list(counts.items())[:20]]
            print_group(tag, [*shown, *(["…"] if len(counts) > 20 else [])])
