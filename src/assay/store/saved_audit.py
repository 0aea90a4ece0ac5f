"""Saved audits in a results folder: one verdict per metric, shown on its card in the explorer."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import read_bytes

FILE = "audit.json"


class TrustCard(msgspec.Struct, frozen=True, kw_only=True):
    """Audit verdict about one metric."""

    metric: str
    label: str
    line: str
    noticed: list[str]
    missed: list[str]
    raised_by: list[str]
    flattered_by: list[str]
    flips: int
    signature: str = ""
    unclear: list[str] = []


class SavedAudit(msgspec.Struct, frozen=True, kw_only=True):
    cards: list[TrustCard]
    systems: list[str]
    n: int
    repeats: int
    strength: int
    seed: int

    def words(self, name: str, signatures: Collection[str] = ()) -> str:
        """Return the verdict about a metric, by its name or label, and its basis; empty if there is none. A variant
        with one of the given signatures is preferred; another variant is marked as such."""
        same = [card for card in self.cards if card.signature in signatures and _plain(card.metric) == _plain(name)]
        named = [card for card in self.cards if name in (card.metric, card.label)]
        if not (same or named):
            return ""
        known = (same or named)[0]
        other = f"Computed with another signature ({known.signature}): " if signatures and not same else ""
        systems = f"{len(self.systems)} system{'s' if len(self.systems) != 1 else ''}"
        on = f"{systems}, {self.n} items, {self.strength} % of the outputs changed, {self.repeats} repeats"
        return f"{other}{known.line} ({on})."


def _plain(name: str) -> str:
    """Return a name without its variant: `sari.add` of `sari:xu2016.add`."""
    return re.sub(r":[^.]*", "", name)


def read_audit(path: Path) -> SavedAudit:
    try:
        return msgspec.json.decode(read_bytes(path), type=SavedAudit)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AssayError(f"{path}: not an audit ({error}). Write it again with `assay metric audit --save`.") from None
