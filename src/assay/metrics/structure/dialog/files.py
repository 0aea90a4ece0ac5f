"""Readers of dialogue files: predictions in the unified format, references, goals and bookings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.metrics.structure.dialog.responses import SLOT, normalise, unknown_slots
from assay.metrics.structure.dialog.success import REQUESTABLE_SLOTS, Goal, Turn
from assay.metrics.structure.dialog.values import normalise_state
from assay.records.documents import read_json

NAMED = re.compile(r"^(restaurant|hotel|attraction|train|taxi|hospital|police)[_ ]")


@dataclass(frozen=True)
class Predictions:
    """Dialogues of one system."""

    system: str
    dialogues: Mapping[str, Sequence[Turn]]
    notes: tuple[str, ...]
    has_states: bool
    has_domains: bool

    @property
    def turns(self) -> int:
        return sum(map(len, self.dialogues.values()))


def dialogue_id(key: str) -> str:
    """Return the id in lower case without `.json`."""
    return key.lower().removesuffix(".json")


def read_predictions(path: Path) -> Predictions:
    """Read the predictions of a system: `{dialogue: [{response, state?, active_domains?}]}`."""
    dialogues: dict[str, list[Turn]] = {}
    unknown: dict[str, int] = {}
    without_state = without_domains = 0
    for id, turns in _dialogues(path):
        read = []
        for place, turn in enumerate(turns, 1):
            where = f"{path}: dialogue {id} turn {place}"
            if not isinstance(turn, dict) or not isinstance(turn.get("response"), str):
                raise AssayError(f'{where}: "response" must be a text')
            for slot in unknown_slots(turn["response"]):
                unknown[slot] = unknown.get(slot, 0) + 1
            state, domains = _state(turn, where), turn.get("active_domains")
            without_state += state is None
            without_domains += not domains
            domains_named = {
                match[1] for slot in SLOT.finditer(turn["response"].lower()) if (match := NAMED.match(slot[1]))
            }
            read.append(Turn(normalise(turn["response"]), frozenset(domains_named), state, _texts(domains, where)))
        dialogues[id] = read
    total = sum(map(len, dialogues.values()))
    notes = [f"{count} slots [{slot}] are unknown and are left out" for slot, count in sorted(unknown.items())]
    if 0 < without_state < total:
        notes.append(f"{without_state:,} of {total:,} turns have no state")
    return Predictions(path.stem, dialogues, tuple(notes), without_state < total, without_domains < total)


def _dialogues(path: Path) -> list[tuple[str, list[Any]]]:
    content = read_json(path, unique=True)
    if not isinstance(content, dict) or not content:
        raise AssayError(f"{path}: expected an object from dialogue id to turns")
    bad = next((key for key, turns in content.items() if not isinstance(turns, list)), None)
    if bad is not None:
        raise AssayError(f"{path}: dialogue {bad}: expected a list of turns")
    dialogues = [(dialogue_id(key), turns) for key, turns in content.items()]
    if len({id for id, _ in dialogues}) < len(dialogues):
        raise AssayError(f"{path}: a dialogue appears twice (ids are compared without case and .json). Keep one.")
    return dialogues


def _state(turn: Mapping[str, Any], where: str) -> dict[str, dict[str, str]] | None:
    state = turn.get("state")
    if state is None:
        return None
    if not isinstance(state, dict) or not all(isinstance(slots, dict) for slots in state.values()):
        raise AssayError(f"{where}: state must be an object from domain to slots")
    return normalise_state(state)


def _texts(value: Any, where: str) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise AssayError(f"{where}: active_domains must be a list of names")
    return [each.lower() for each in value]


def read_references(path: Path) -> dict[str, list[str]]:
    """Read references in one style of delexicalisation: `{dialogue: [text]}`, or in the format of predictions."""
    references = {}
    for id, turns in _dialogues(path):
        texts = [turn.get("response") if isinstance(turn, dict) else turn for turn in turns]
        if not all(isinstance(text, str) for text in texts):
            raise AssayError(f"{path}: dialogue {id}: every turn must be a text")
        references[id] = [normalise(str(text)) for text in texts]
    return references


def read_booked(path: Path) -> dict[str, list[list[str]]]:
    """Read the booked domains by dialogue and turn."""
    return {
        id: [list(map(str, turn)) if isinstance(turn, list) else [] for turn in turns] for id, turns in _dialogues(path)
    }


def read_goals(path: Path) -> dict[str, Goal]:
    """Read goals: `{dialogue: {domain: {"informable": {slot: value}, "requestable": [slot]}}}`."""
    content = read_json(path, unique=True)
    if not isinstance(content, dict) or not content:
        raise AssayError(f"{path}: expected an object from dialogue id to goals")
    goals = {}
    for key, domains in content.items():
        where = f"{path}: goal of {key}"
        if not isinstance(domains, dict) or not domains:
            raise AssayError(f"{where}: expected an object from domain to constraints")
        informable, requestable = {}, {}
        for domain, wanted in domains.items():
            if not isinstance(wanted, dict) or not isinstance(wanted.get("informable", {}), dict):
                raise AssayError(f'{where}, {domain}: needs "informable" (slots) and "requestable" (a list)')
            requested = wanted.get("requestable", [])
            if not isinstance(requested, list) or not all(isinstance(slot, str) for slot in requested):
                raise AssayError(f"{where}, {domain}: requestable must be a list of slots")
            informable[domain.lower()] = wanted.get("informable", {})
            slots = (slot.lower().replace(" ", "") for slot in requested)
            requestable[domain.lower()] = frozenset(
                REQUESTABLE_SLOTS[slot] for slot in slots if slot in REQUESTABLE_SLOTS
            )
        goals[dialogue_id(key)] = Goal(normalise_state(informable), requestable)
    return goals
