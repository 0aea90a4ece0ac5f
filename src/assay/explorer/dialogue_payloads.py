"""Dialogues as the pages read them: a list with verdicts, and one of them turn by turn."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class DialogueEntry(Struct, frozen=True, kw_only=True):
    """A dialogue in the list."""

    id: str
    turns: int
    domains: list[str]
    verdicts: dict[str, Literal["success", "inform", "neither"]]
    """By system; those that nobody judged are left out."""


class DialogueSystem(Struct, frozen=True, kw_only=True):
    """A system, and how it was judged."""

    name: str
    setup: list[tuple[str, str]]


class DialogueSet(Struct, frozen=True, kw_only=True):
    """All dialogues of a folder."""

    name: str
    systems: list[DialogueSystem]
    dialogues: list[DialogueEntry]


class Venue(Struct, frozen=True, kw_only=True):
    """Something offered."""

    id: str
    name: str
    fits: bool


class Offer(Struct, frozen=True, kw_only=True):
    """What stands offered in one domain; the first of many, those that do not fit the goal before others."""

    domain: str
    total: int
    fitting: int
    venues: list[Venue]
    new: bool


class StateSlot(Struct, frozen=True, kw_only=True):
    """What a system understood, and whether it did so only now."""

    domain: str
    slot: str
    value: str
    new: bool


class TracedTurn(Struct, frozen=True, kw_only=True):
    """One answer of a system, and what stands after it."""

    response: str
    state: list[StateSlot]
    domains: list[str]
    offers: list[Offer]
    provided: list[tuple[str, list[str]]]


class TracedSystem(Struct, frozen=True, kw_only=True):
    """What one system made of a dialogue."""

    system: str
    verdict: Literal["success", "inform", "neither"] | None
    match: dict[str, bool]
    """By domain of the goal, whether the offer fits."""
    untold: dict[str, list[str]]
    """By domain of the goal, what was asked for and never given."""
    turns: list[TracedTurn]
    final: list[Offer]
    """What is offered at the end, where that is not what the last turn left."""


class GoalShown(Struct, frozen=True, kw_only=True):
    """What the user wants in one domain."""

    domain: str
    wanted: list[tuple[str, str]]
    asked: list[str]
    fitting: int


class DialoguePage(Struct, frozen=True, kw_only=True):
    """One dialogue, turn by turn, of all systems that took part in it."""

    name: str
    id: str
    goals: list[GoalShown]
    references: dict[str, list[str]]
    systems: list[TracedSystem]
