"""The databases of MultiWOZ: venues and trains that satisfy the constraints of a dialogue state or goal."""

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
MIN_SIMILARITY = 90
"""Minimum partial ratio (0 to 100) of two names that match."""
IDS = {"train": "trainid"}


@dataclass
class Databases:
    """Rows by domain, with a cache of queries."""

    rows: Mapping[str, list[dict[str, str]]]
    answers: dict[tuple[str, frozenset[tuple[str, str]]], frozenset[str]] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    """Name of the venue that a mention refers to, by domain and mention."""

    def query(self, domain: str, constraints: Mapping[str, str]) -> frozenset[str]:
        """Return the ids of matching rows; constraints on slots that the database lacks (the day of a booking) are
        ignored."""
        key = domain, frozenset(constraints.items())
        if key not in self.answers:
            rows = self.rows.get(domain, [])
            name = IDS.get(domain, "id")
            wanted = self._known(domain, constraints)
            self.answers[key] = frozenset(row[name] for row in rows if _fits(domain, row, wanted))
        return self.answers[key]

    def ordered(self, domain: str, ids: Collection[str]) -> list[str]:
        """Return ids in database order: a system that shows one row would show the first."""
        name = IDS.get(domain, "id")
        return list(dict.fromkeys(row[name] for row in self.rows.get(domain, []) if row[name] in ids))

    def _known(self, domain: str, constraints: Mapping[str, str]) -> Mapping[str, str]:
        """Replace a name that matches no row by the venue name it refers to, if there is one."""
        mention = constraints.get("name")
        if mention is None or domain not in FUZZY or "name" not in FUZZY[domain]:
            return constraints
        key = domain, mention
        if key not in self.names:
            rows = [row for row in self.rows.get(domain, []) if "name" in row]
            near = any(_holds(domain, "name", row["name"], mention) for row in rows)
            self.names[key] = mention if near else VenueNames([row["name"] for row in rows]).meant(mention) or mention
        return {**constraints, "name": self.names[key]}


def read_databases(folder: Path) -> Databases:
    """Read the databases of all domains from a folder.

    Raises:
        AssayError: If rapidfuzz is not installed, or a file is missing or malformed.
    """
    if why := missing_extra("dialog"):
        raise AssayError(f"dialog: {why}")
    rows: dict[str, list[dict[str, str]]] = {}
    for domain in DOMAINS:
        path = folder / f"{domain}_db.json"
        if not path.is_file():
            raise AssayError(
                f"{path}: not found. The folder must contain {', '.join(f'{each}_db.json' for each in DOMAINS)}."
            )
        content = read_json(path)
        if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
            raise AssayError(f"{path}: expected a list of objects, one per row")
        rows[domain] = [_row(row) for row in content]
        missing = next((i for i, row in enumerate(rows[domain], 1) if IDS.get(domain, "id") not in row), None)
        if missing:
            raise AssayError(f"{path}: row {missing}: {IDS.get(domain, 'id')} is missing")
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
    return slot in FUZZY[domain] and partial_similarity(have, want) >= MIN_SIMILARITY


@cache
def _minutes(text: str) -> int:
    hours, minutes = time_of(text).split(":")
    return 60 * int(hours) + int(minutes)


def partial_similarity(one: str, other: str) -> float:
    """Return the partial ratio of two texts, from 0 to 100: the best match of the shorter in the longer."""
    from rapidfuzz.fuzz import partial_ratio

    return partial_ratio(one, other)
