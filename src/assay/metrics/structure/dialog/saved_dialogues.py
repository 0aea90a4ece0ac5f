"""What `assay analyze dialog --save` leaves in a folder: numbers and every dialogue turn by turn, for the explorer."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import read_bytes, write_text

FILE = "dialogues.json"


class SavedTurn(msgspec.Struct, frozen=True, kw_only=True):
    response: str
    state: dict[str, dict[str, str]]
    domains: list[str]
    offered: dict[str, list[str]] = {}
    """What is offered from here on, of domains whose offer changes at this turn."""
    provided: dict[str, list[str]] = {}


class SavedDialogue(msgspec.Struct, frozen=True, kw_only=True):
    turns: list[SavedTurn]
    match: dict[str, bool] | None = None
    """By domain of the goal, whether what was offered fits it; None where nobody judged."""
    success: dict[str, bool] | None = None
    offered: dict[str, list[str]] = {}
    """When all is over."""


class SavedRate(msgspec.Struct, frozen=True, kw_only=True):
    value: float
    low: float
    high: float
    n: int


class SavedSystem(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    turns: int
    bleu: dict[str, float]
    rates: dict[str, dict[str, SavedRate]]
    """`inform` and `success`, each in all (`total`) and by domain, in percent."""
    richness: dict[str, float]
    setup: dict[str, str]
    notes: list[str]
    dialogues: dict[str, SavedDialogue]


class SavedGoal(msgspec.Struct, frozen=True, kw_only=True):
    informable: dict[str, str]
    requestable: list[str]
    fitting: list[str]
    """The ids of all that fits it."""


class SavedDialogues(msgspec.Struct, frozen=True, kw_only=True):
    systems: list[SavedSystem]
    goals: dict[str, dict[str, SavedGoal]]
    names: dict[str, dict[str, str]]
    """By domain and id, what a venue is called."""
    references: dict[str, dict[str, list[str]]]
    """By style and dialogue, what people said."""
    warnings: list[str]


def save_dialogues(saved: SavedDialogues, folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssayError(f"{folder}: no folder can be made there ({error.strerror}); name another") from None
    write_text(folder / FILE, msgspec.json.encode(saved).decode() + "\n")
    return folder / FILE


def read_dialogues(path: Path) -> SavedDialogues:
    try:
        return msgspec.json.decode(read_bytes(path), type=SavedDialogues)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AssayError(f"{path}: no dialogues ({error}); write it anew with assay analyze dialog --save") from None
