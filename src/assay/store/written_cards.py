"""`cards.json` of a results folder: cards that authors wrote about systems and datasets."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.errors import AssayError, first_line
from assay.records.documents import read_json

CARDS = "cards.json"
Sections = list[tuple[str, str]]
"""Headings and their texts."""
WrittenCards = dict[tuple[str, str], Sections]
"""By kind (system, dataset) and name."""


class _File(msgspec.Struct):
    systems: dict[str, Sections] = {}
    datasets: dict[str, Sections] = {}


def written_cards(file: Path) -> WrittenCards:
    """Read all cards; none if there is no such file."""
    if not file.is_file():
        return {}
    try:
        cards = msgspec.convert(read_json(file), _File)
    except msgspec.ValidationError as error:
        raise AssayError(f"{file}: not a file of cards ({first_line(error)})") from None
    datasets = {("dataset", name): texts for name, texts in cards.datasets.items()}
    return datasets | {("system", name): texts for name, texts in cards.systems.items()}
