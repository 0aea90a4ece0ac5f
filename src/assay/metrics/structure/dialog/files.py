"""Files of dialogues: predictions in the unified format, references, goals, what was booked; each checked by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import AssayError
from assay.metrics.structure.dialog.responses import SLOT, normalise, unknown_slots
from assay.metrics.structure.dialog.success import ASKED, Goal, Turn
from assay.metrics.structure.dialog.values import normalise_state
from assay.records.documents import read_json

NAMED = re.compile(r"^(restaurant|hotel|attraction|train|taxi|hospital|police)[_ ]")


@dataclass(frozen=True)
class Predictions:
    system: str
    dialogues: Mapping[str, Sequence[Turn]]
    notes: tuple[str, ...]
    has_states: bool
    has_domains: bool

    @property
    def turns(self) -> int:
        return sum(map(len, self.dialogues.values()))


def dialogue_id(key: str) -> str:
    return key.lower().removesuffix(".json")


def read_predictions(path: Path) -> Predictions:
    """What a system said: `{dialogue: [{response, state?, active_domains?}]}`."""
    dialogues: dict[str, list[Turn]] = {}
    strange: dict[str, int] = {}
    without_state = without_domains = 0
    for id, turns in _dialogues(path):
        read = []
        for place, turn in enumerate(turns, 1):
            where = f"{path}: dialogue {id} turn {place}"
            if not isinstance(turn, dict) or not isinstance(turn.get("response"), str):
                raise AssayError(f'{where}: no text under "response"')
            for slot in unknown_slots(turn["response"]):
                strange[slot] = strange.get(slot, 0) + 1
            state, domains = _state(turn, where), turn.get("active_domains")
            without_state += state is None
            without_domains += not domains
            named = {found[1] for slot in SLOT.finditer(turn["response"].lower()) if (found := NAMED.match(slot[1]))}
            read.append(Turn(normalise(turn["response"]), frozenset(named), state, _texts(domains, where)))
        dialogues[id] = read
    total = sum(map(len, dialogues.values()))
    notes = [f"{count} slots [{slot}] are unknown and were left out" for slot, count in sorted(strange.items())]
    if 0 < without_state < total:
        notes.append(f"{without_state:,} of {total:,} turns have no state")
    return Predictions(path.stem, dialogues, tuple(notes), without_state < total, without_domains < total)


def _dialogues(path: Path) -> list[tuple[str, list[Any]]]:
    given = read_json(path, unique=True)
    if not isinstance(given, dict) or not given:
        raise AssayError(f"{path}: not an object from dialogue to turns")
    bad = next((key for key, turns in given.items() if not isinstance(turns, list)), None)
    if bad is not None:
        raise AssayError(f"{path}: dialogue {bad} is no list of turns")
    found = [(dialogue_id(key), turns) for key, turns in given.items()]
    if len({id for id, _ in found}) < len(found):
        raise AssayError(f"{path}: a dialogue stands twice (ids are compared without case and .json); keep one")
    return found


def _state(turn: Mapping[str, Any], where: str) -> dict[str, dict[str, str]] | None:
    state = turn.get("state")
    if state is None:
        return None
    if not isinstance(state, dict) or not all(isinstance(slots, dict) for slots in state.values()):
        raise AssayError(f"{where}: state is no object from domain to slots")
    return normalise_state(state)


def _texts(value: Any, where: str) -> list[str] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise AssayError(f"{where}: active_domains is no list of names")
    return [each.lower() for each in value]


def read_references(path: Path) -> dict[str, list[str]]:
    """What people said, in one style of delexicalisation: `{dialogue: [text]}`, or predictions of the corpus."""
    found = {}
    for id, turns in _dialogues(path):
        texts = [turn.get("response") if isinstance(turn, dict) else turn for turn in turns]
        if not all(isinstance(text, str) for text in texts):
            raise AssayError(f"{path}: dialogue {id} has a turn that is no text")
        found[id] = [normalise(str(text)) for text in texts]
    return found


def read_booked(path: Path) -> dict[str, list[list[str]]]:
    """By dialogue and turn, the domains that are booked."""
    return {
        id: [list(map(str, turn)) if isinstance(turn, list) else [] for turn in turns] for id, turns in _dialogues(path)
    }


def read_goals(path: Path) -> dict[str, Goal]:
    """`{dialogue: {domain: {"informable": {slot: value}, "requestable": [slot]}}}`."""
    given = read_json(path, unique=True)
    if not isinstance(given, dict) or not given:
        raise AssayError(f"{path}: not an object from dialogue to goals")
    goals = {}
    for key, domains in given.items():
        where = f"{path}: goal of {key}"
        if not isinstance(domains, dict) or not domains:
            raise AssayError(f"{where}: not an object from domain to what is wanted")
        informable, requestable = {}, {}
        for domain, wanted in domains.items():
            if not isinstance(wanted, dict) or not isinstance(wanted.get("informable", {}), dict):
                raise AssayError(f'{where}, {domain}: needs "informable" (slots) and "requestable" (a list)')
            asked = wanted.get("requestable", [])
            if not isinstance(asked, list) or not all(isinstance(slot, str) for slot in asked):
                raise AssayError(f"{where}, {domain}: requestable is no list of slots")
            informable[domain.lower()] = wanted.get("informable", {})
            slots = (slot.lower().replace(" ", "") for slot in asked)
            requestable[domain.lower()] = frozenset(ASKED[slot] for slot in slots if slot in ASKED)
        goals[dialogue_id(key)] = Goal(normalise_state(informable), requestable)
    return goals
