"""Dataset cards for `assay data list` and `assay data show`."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

import click

from assay.cli.shared.display import print_group, print_options, print_tables
from assay.datasets import Dataset
from assay.records.documents import JSONObject
from assay.show.numbers import count
from assay.show.tables import Column, Table
from assay.specs_help import options_of
from assay.text.integers import is_integer


def home(reader: Dataset) -> Path:
    """Return the folder of downloaded files."""
    root = os.environ.get("ASSAY_DATASETS") or Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay"
    return Path(root) / reader.name


def describe(reader: Dataset, folder: Path | None = None) -> JSONObject:
    """Return a dataset's card as data; `folder` has its files, if it is not the cache."""
    card = {field.name: getattr(reader.card, field.name) for field in dataclasses.fields(reader.card)}
    card = {name: dict(value) if isinstance(value, Mapping) else value for name, value in card.items()}
    options = {field.name: field.default for field in dataclasses.fields(reader)}
    here = folder is not None or home(reader).is_dir()
    return card | {"options": options, "available": here, "why_not": None if here else f"not in {home(reader)}"}


def measure(reader: Dataset, folder: Path, split: str | None) -> JSONObject:
    from assay.datasets.statistics import Measure

    by_split: dict[str, Measure] = {}
    for example in reader.read(folder, split):
        by_split.setdefault(example.split or "unknown", Measure()).add(example)
    return {
        name: {
            "statistics": [dataclasses.asdict(statistic) for statistic in measure.statistics],
            "counts": {tag: dict(sorted(counts.items(), key=_by_number)) for tag, counts in measure.tags.items()},
        }
        for name, measure in by_split.items()
    }


def _by_number(item: tuple[str, int]) -> tuple[bool, int, str]:
    """Sort numbers by value, then words by frequency."""
    return (not is_integer(item[0]), int(item[0]) if is_integer(item[0]) else -item[1], item[0])


def print_card(reader: Dataset, folder: Path | None) -> None:
    card = reader.card
    click.echo(f"{reader.name}: {card.title}")
    sizes = ", ".join(f"{split} {count:,}" for split, count in card.sizes.items())
    rows = [
        ("task", card.task), ("goal", card.goal), ("languages", ", ".join(card.languages)), ("sizes", sizes),
        ("references", card.references), ("input", card.input_type),
        ("suite", card.suite or "none: no text is generated"), ("licence", card.licence),
        ("access", card.access), ("source", card.source), ("files", card.files),
        *(("GEM", text) for text in card.modifications), *(("note", text) for text in card.notes),
        ("cite", card.citation), ("here", str(folder) if folder else f"no: not in {home(reader)}"),
    ]  # fmt: skip
    for heading, text in rows:
        click.echo(click.wrap_text(text, 100, f"  {heading:<11} ", " " * 14))
    print_options(options_of(type(reader)))


def print_measured(measured: JSONObject, reader: Dataset) -> None:
    if not measured:
        click.echo(f"  measured    nothing; pass --path, or run assay data fetch {reader.name}")
    for split, values in measured.items():
        rows = [
            [each["name"], f"{each['value']:,.2f}", f"over {count(each['n'])} {each['over']}"]
            for each in values["statistics"]
        ]
        print_tables(Table([Column("measured", "left"), Column(split), Column("", "left", fold=True)], rows))
        for tag, counts in values["counts"].items():
            shown = [f"{value} {count(n)}" for value, n in list(counts.items())[:20]]
            print_group(tag, [*shown, *(["…"] if len(counts) > 20 else [])])
