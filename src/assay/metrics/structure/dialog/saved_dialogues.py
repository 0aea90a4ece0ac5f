"""Format of `assay analyze dialog --save`: scores and every dialogue turn by turn, for the explorer."""

from __future__ import annotations

from pathlib import Path

import msgspec

from assay.errors import AssayError
from assay.records.files import read_bytes, write_text

FILE = "dialogues.json"


class SavedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn."""

    response: str
    state: dict[str, dict[str, str]]
    domains: list[str]
    offered: dict[str, list[str]] = {}
    """New offers, for domains whose offer changes at this turn."""
    provided: dict[str, list[str]] = {}


class SavedDialogue(msgspec.Struct, frozen=True, kw_only=True):
    """One dialogue."""

    turns: list[SavedTurn]
    match: dict[str, bool] | None = None
    """Whether the offer satisfies the goal, by domain; None without a goal."""
    success: dict[str, bool] | None = None
    offered: dict[str, list[str]] = {}
    """Offers at the end of the dialogue."""


class SavedRate(msgspec.Struct, frozen=True, kw_only=True):
    """A rate in percent with its confidence interval."""

    value: float
    low: float
    high: float
    n: int


class SavedSystem(msgspec.Struct, frozen=True, kw_only=True):
    """Scores and dialogues of one system."""

    name: str
    turns: int
    bleu: dict[str, float]
    rates: dict[str, dict[str, SavedRate]]
    """`inform` and `success` in percent, in total (`total`) and by domain."""
    richness: dict[str, float]
    setup: dict[str, str]
    notes: list[str]
    dialogues: dict[str, SavedDialogue]


class SavedGoal(msgspec.Struct, frozen=True, kw_only=True):
    """The goal of one domain."""

    informable: dict[str, str]
    requestable: list[str]
    fitting: list[str]
    """Ids of the venues that satisfy the goal."""


class SavedDialogues(msgspec.Struct, frozen=True, kw_only=True):
    """Content of the file."""

    systems: list[SavedSystem]
    goals: dict[str, dict[str, SavedGoal]]
    names: dict[str, dict[str, str]]
    """Names of venues by domain and id."""
    references: dict[str, dict[str, list[str]]]
    """References by style and dialogue."""
    warnings: list[str]


def save_dialogues(saved: SavedDialogues, folder: Path) -> Path:
    """Write the file into a folder and return its path."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AssayError(f"{folder}: cannot be created ({error.strerror}). Give another folder.") from None
    write_text(folder / FILE, msgspec.json.encode(saved).decode() + "\n")
    return folder / FILE


def read_dialogues(path: Path) -> SavedDialogues:
    """Read a saved file."""
    try:
        return msgspec.json.decode(read_bytes(path), type=SavedDialogues)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AssayError(
            f"{path}: not a file of dialogues ({error}). Write it again with `assay analyze dialog --save`."
        ) from None
