"""The venues and trains of MultiWOZ's Cambridge: which of them fit what was asked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.extras import missing_extra
from assay.metrics.structure.dialog.values import slot_name, time_of, value_of
from assay.metrics.structure.dialog.venues import VenueNames
from assay.records.documents import read_json

DOMAINS = ("restaurant", "hotel", "attraction", "train")
NO_DATABASE = ("taxi", "police", "hospital")
FUZZY = {
    "restaurant": ("name", "food"), "hotel": ("name",), "attraction": ("name",), "train": ("departure", "destination")
}  # fmt: skip
ALIKE = 90
"""How alike (0 to 100, of the better matching stretch) names have to be."""
IDS = {"train": "trainid"}


@dataclass
class Databases:
    """Rows by domain; questions are answered once."""

    rows: Mapping[str, list[dict[str, str]]]
    answers: dict[tuple[str, frozenset[tuple[str, str]]], frozenset[str]] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    """What a mention of a venue stands for, by domain and mention."""

    def query(self, domain: str, constraints: Mapping[str, str]) -> frozenset[str]:
        """The ids of what fits; constraints on slots that a database does not have (a booking's day) do not count."""
        key = domain, frozenset(constraints.items())
        if key not in self.answers:
            rows = self.rows.get(domain, [])
            name = IDS.get(domain, "id")
            wanted = self._known(domain, constraints)
            self.answers[key] = frozenset(row[name] for row in rows if _fits(domain, row, wanted))
        return self.answers[key]

    def ordered(self, domain: str, ids: Collection[str]) -> list[str]:
        """As the database has them: the first is what a system that shows one row would show."""
        name = IDS.get(domain, "id")
        return list(dict.fromkeys(row[name] for row in self.rows.get(domain, []) if row[name] in ids))

    def _known(self, domain: str, constraints: Mapping[str, str]) -> Mapping[str, str]:
        """A name that is like none of the database, by the name that it stands for, where there is one."""
        said = constraints.get("name")
        if said is None or domain not in FUZZY or "name" not in FUZZY[domain]:
            return constraints
        key = domain, said
        if key not in self.names:
            rows = [row for row in self.rows.get(domain, []) if "name" in row]
            near = any(_holds(domain, "name", row["name"], said) for row in rows)
            self.names[key] = said if near else VenueNames([row["name"] for row in rows]).meant(said) or said
        return {**constraints, "name": self.names[key]}


def read_databases(folder: Path) -> Databases:
    if why := missing_extra("dialog"):
        raise AssayError(f"dialog: {why}")
    rows: dict[str, list[dict[str, str]]] = {}
    for domain in DOMAINS:
        path = folder / f"{domain}_db.json"
        if not path.is_file():
            raise AssayError(f"{path}: not found; the folder holds {', '.join(f'{each}_db.json' for each in DOMAINS)}")
        given = read_json(path)
        if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
            raise AssayError(f"{path}: not a list of rows")
        rows[domain] = [_row(row) for row in given]
        missing = next((i for i, row in enumerate(rows[domain], 1) if IDS.get(domain, "id") not in row), None)
        if missing:
            raise AssayError(f"{path} row {missing}: no {IDS.get(domain, 'id')}")
    return Databases(rows)


def _row(row: Mapping[str, Any]) -> dict[str, str]:
    named = {slot_name(slot): value for slot, value in row.items() if isinstance(value, str | int | float)}
    ids = set(IDS.values()) | {"id"}
    return {slot: str(value) if slot in ids else value_of(slot, value) for slot, value in named.items()}


def _fits(domain: str, row: Mapping[str, str], constraints: Mapping[str, str]) -> bool:
    return all(_holds(domain, slot, row[slot], value) for slot, value in constraints.items() if slot in row)


def _holds(domain: str, slot: str, have: str, want: str) -> bool:
    if have == "?" or have == want:
        return True
    if slot == "arrive":
        return _minutes(have) <= _minutes(want)
    if slot == "leave":
        return _minutes(have) >= _minutes(want)
    return slot in FUZZY[domain] and alike(have, want) >= ALIKE


@cache
def _minutes(text: str) -> int:
    hours, minutes = time_of(text).split(":")
    return 60 * int(hours) + int(minutes)


def alike(one: str, other: str) -> float:
    """From 0 to 100: how well the shorter text matches a stretch of the longer."""
    from rapidfuzz.fuzz import partial_ratio

    return partial_ratio(one, other)
