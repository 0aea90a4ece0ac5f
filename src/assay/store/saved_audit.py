"""What an audit leaves in a results folder: a verdict a number, which the explorer shows on the number's card."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import read_bytes

FILE = "audit.json"


class TrustCard(msgspec.Struct, frozen=True, kw_only=True):
    """How far one number may be trusted, as far as an audit showed it."""

    metric: str
    label: str
    line: str
    noticed: list[str]
    missed: list[str]
    raised_by: list[str]
    flattered_by: list[str]
    flips: int
    signature: str = ""


class SavedAudit(msgspec.Struct, frozen=True, kw_only=True):
    cards: list[TrustCard]
    systems: list[str]
    n: int
    repeats: int
    strength: int
    seed: int

    def words(self, name: str, signatures: Collection[str] = ()) -> str:
        """What it says of a number, by its name or as it is printed, and on what that rests; nothing where it knows
        none of that name. Of the number's variants the one with a signature that is asked about counts; another is
        said to be another."""
        same = [card for card in self.cards if card.signature in signatures and _plain(card.metric) == _plain(name)]
        named = [card for card in self.cards if name in (card.metric, card.label)]
        if not (same or named):
            return ""
        known = (same or named)[0]
        other = f"Computed in another way than here ({known.signature}): " if signatures and not same else ""
        systems = f"{len(self.systems)} system{'s' if len(self.systems) != 1 else ''}"
        on = f"{systems}, {self.n} items, {self.strength} % of the outputs changed, {self.repeats} repeats"
        return f"{other}{known.line} ({on})."


def _plain(name: str) -> str:
    """Without the variant: `sari.add` of `sari:xu2016.add`."""
    return re.sub(r":[^.]*", "", name)


def read_audit(path: Path) -> SavedAudit:
    try:
        return msgspec.json.decode(read_bytes(path), type=SavedAudit)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AssayError(f"{path}: no audit ({error}); write it anew with assay metric audit --save") from None
