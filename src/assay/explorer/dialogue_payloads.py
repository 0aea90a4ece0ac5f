"""Payloads of the dialogues page: a list with verdicts, and one dialogue turn by turn."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class DialogueEntry(Struct, frozen=True, kw_only=True):
    """A dialogue in the list."""

    id: str
    turns: int
    domains: list[str]
    verdicts: dict[str, Literal["success", "inform", "neither"]]
    """By system, without systems that have no verdict."""


class DialogueSystem(Struct, frozen=True, kw_only=True):
    """A system and its evaluation setup."""

    name: str
    setup: list[tuple[str, str]]


class DialogueSet(Struct, frozen=True, kw_only=True):
    """All dialogues of a folder."""

    name: str
    systems: list[DialogueSystem]
    dialogues: list[DialogueEntry]


class Venue(Struct, frozen=True, kw_only=True):
    """One offered entity."""

    id: str
    name: str
    fits: bool


class Offer(Struct, frozen=True, kw_only=True):
    """Offers in one domain: the first entities, those that do not match the goal before others."""

    domain: str
    total: int
    fitting: int
    venues: list[Venue]
    new: bool


class StateSlot(Struct, frozen=True, kw_only=True):
    """One slot of the belief state, and whether it is new in this turn."""

    domain: str
    slot: str
    value: str
    new: bool


class TracedTurn(Struct, frozen=True, kw_only=True):
    """One response of a system, and the state after it."""

    response: str
    state: list[StateSlot]
    domains: list[str]
    offers: list[Offer]
    provided: list[tuple[str, list[str]]]


class TracedSystem(Struct, frozen=True, kw_only=True):
    """One system's predictions for a dialogue."""

    system: str
    verdict: Literal["success", "inform", "neither"] | None
    match: dict[str, bool]
    """Whether the offer matches, by domain of the goal."""
    missing: dict[str, list[str]]
    """Requested slots that were never provided, by domain of the goal."""
    turns: list[TracedTurn]
    final: list[Offer]
    """Final offers, where they differ from those after the last turn."""


class GoalShown(Struct, frozen=True, kw_only=True):
    """The user goal in one domain."""

    domain: str
    wanted: list[tuple[str, str]]
    requested: list[str]
    fitting: int


class DialoguePage(Struct, frozen=True, kw_only=True):
    """One dialogue, turn by turn, of all systems that predicted it."""

    name: str
    id: str
    goals: list[GoalShown]
    references: dict[str, list[str]]
    systems: list[TracedSystem]
