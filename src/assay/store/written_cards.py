"""`cards.json` of a results folder: what the authors of systems and datasets wrote of them, beside what is measured."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.errors import AssayError, first_line
from assay.records.documents import read_json

CARDS = "cards.json"
Sections = list[tuple[str, str]]
"""Headings and what stands below them."""
WrittenCards = dict[tuple[str, str], Sections]
"""By kind (system, dataset) and name."""


class _File(msgspec.Struct):
    systems: dict[str, Sections] = {}
    datasets: dict[str, Sections] = {}


def written_cards(file: Path) -> WrittenCards:
    """All of them; none where there is no such file."""
    if not file.is_file():
        return {}
    try:
        found = msgspec.convert(read_json(file), _File)
    except msgspec.ValidationError as error:
        raise AssayError(f"{file}: no card can be read ({first_line(error)})") from None
    datasets = {("dataset", name): said for name, said in found.datasets.items()}
    return datasets | {("system", name): said for name, said in found.systems.items()}
