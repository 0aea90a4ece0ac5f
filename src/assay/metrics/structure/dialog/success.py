"""Inform and Success: whether the offered venues satisfy the goal, and whether requested slots were provided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from assay.errors import UsageError
from assay.metrics.structure.dialog.databases import NO_DATABASE, Databases
from assay.metrics.structure.dialog.responses import slots_in
from assay.seeds import rng_for

State = Mapping[str, Mapping[str, str]]
Venues = Literal["subset", "intersection", "sampling", "first"]
Updates = Literal["name_id", "name_id_ref", "end"]
DomainSource = Literal["slot_names", "state_change", "predicted", "gold"]
REQUESTABLE = ("PHONE", "ADDRESS", "POST", "REFERENCE", "TRAINID")
REQUESTABLE_SLOTS = {
    "phone": "PHONE", "address": "ADDRESS", "postcode": "POST", "post": "POST", "reference": "REFERENCE",
    "ref": "REFERENCE", "id": "TRAINID", "trainid": "TRAINID",
}  # fmt: skip
"""Names of requestable slots in goals. Other requests (price, area) are not counted in any published evaluation."""
OFFERS = {"train": "TRAINID"}


@dataclass(frozen=True)
class Setup:
    """Evaluation choices in which papers differ; scores under different choices are not comparable."""

    venues: Venues = "subset"
    """Offered venues that must satisfy the goal: all, at least one, one at random, or the first of the database."""
    updates: Updates = "name_id"
    """Update of the offer: at mentions of a name or train, also at a reference number, or once at the end."""
    reduced_search: bool = False
    """Search by name only if the state names a venue."""
    domains: DomainSource = "predicted"
    """Source of the active domain; missing predictions are estimated from changes of the state."""
    seed: int = 0
    """Random seed of `sampling`."""

    def __post_init__(self) -> None:
        for name, kind in (("venues", Venues), ("updates", Updates), ("domains", DomainSource)):
            if getattr(self, name) not in get_args(kind):
                raise UsageError(f"setup {name}={getattr(self, name)}: give one of {', '.join(get_args(kind))}")

    def plain(self) -> dict[str, Any]:
        """Return the choices by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


OPTIMISTIC = Setup(venues="intersection", reduced_search=True, domains="gold")
_DAMD = Setup("intersection", "name_id", True, "state_change")
_SAMPLED = Setup("sampling", "name_id", False, "slot_names")
SETUPS = {
    "strict": Setup(),
    "optimistic": OPTIMISTIC,
    "damd": _DAMD, "mintl": _DAMD, "ubar": _DAMD, "labes": _DAMD,
    "augpt": Setup("first", "end", False, "predicted"),
    "marco": Setup("subset", "name_id", False, "slot_names"), "hdsa": Setup("subset", "name_id", False, "slot_names"),
    "dots": _SAMPLED, "hdno": _SAMPLED, "sfn": _SAMPLED, "lava": _SAMPLED,
    "uniconv": Setup("sampling", "name_id_ref", False, "slot_names"),
}  # fmt: skip
"""Setups of assay, and those of published systems."""


@dataclass(frozen=True)
class Turn:
    """One system turn."""

    response: str
    """Normalised response."""
    named: frozenset[str] = frozenset()
    """Domains in the slot names of the response (`[hotel_name]`)."""
    state: State | None = None
    domains: Sequence[str] | None = None


@dataclass(frozen=True)
class Goal:
    """The goal of a user: constraints and requested slots by domain."""

    informable: State
    requestable: Mapping[str, frozenset[str]]

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(self.informable)


@dataclass
class TurnTrace:
    """State of the evaluation after a turn."""

    response: str
    state: State
    domains: list[str]
    offered: dict[str, list[str]]
    provided: dict[str, list[str]]
    updated: list[str]


@dataclass
class DialogueResult:
    """Result of one dialogue, by domain of the goal and in total."""

    match: dict[str, bool]
    success: dict[str, bool]
    trace: list[TurnTrace] = field(default_factory=list)
    offered: dict[str, list[str]] = field(default_factory=dict)
    """Offered venues at the end of the dialogue."""
    wanted: dict[str, list[str]] = field(default_factory=dict)
    """Venues that satisfy the goal."""

    @property
    def informed(self) -> bool:
        return all(self.match.values())

    @property
    def succeeded(self) -> bool:
        return self.informed and all(self.success.values())


def evaluate_dialogue(
    turns: Sequence[Turn],
    goal: Goal,
    databases: Databases,
    booked: Sequence[Sequence[str]],
    setup: Setup,
    gold: Sequence[Turn] | None = None,
    name: str = "",
) -> DialogueResult:
    """Evaluate one dialogue.

    Args:
        turns: The turns of the system.
        goal: The goal of the user.
        databases: Venues and trains.
        booked: Domains that are booked in the corpus, by turn.
        setup: The evaluation choices.
        gold: States and domains of the corpus.
        name: Id of the dialogue, for the random seed of `sampling`.
    """
    offered: dict[str, frozenset[str]] = {domain: frozenset() for domain in goal.domains}
    provided: dict[str, set[str]] = {domain: set() for domain in goal.domains}
    trace: list[TurnTrace] = []
    states = [_state(turn, gold, index) for index, turn in enumerate(turns)]
    active = _domains(turns, states, setup, gold)
    for index, (turn, state, domains) in enumerate(zip(turns, states, active, strict=True)):
        slots_mentioned = slots_in(turn.response)
        updated = []
        for domain in (domain for domain in goal.domains if domain in domains):
            if setup.updates != "end" and _offers(domain, slots_mentioned, setup):
                venues = _search(databases, domain, state, setup)
                if not offered[domain] or not offered[domain] <= venues:
                    offered[domain] = venues
                    updated.append(domain)
            booked_now = index < len(booked) and domain in booked[index]
            provided[domain] |= {
                slot for slot in REQUESTABLE if slot in slots_mentioned and (slot != "REFERENCE" or booked_now)
            }
        provided_slots = {domain: sorted(slots) for domain, slots in provided.items()}
        trace.append(TurnTrace(turn.response, state, list(domains), _listed(offered), provided_slots, updated))
    if setup.updates == "end" and states:
        mentioned = {
            domain
            for turn, domains in zip(turns, active, strict=True)
            for domain in domains
            if _offers(domain, slots_in(turn.response), setup)
        }
        offered = {d: _search(databases, d, states[-1], setup) if d in mentioned else frozenset() for d in goal.domains}
    wanted = {domain: databases.query(domain, goal.informable[domain]) for domain in goal.domains}
    match = {
        domain: _needs_no_offer(domain, goal, offered[domain])
        or _satisfies(databases.ordered(domain, offered[domain]), wanted[domain], setup, f"{name} {domain}")
        for domain in goal.domains
    }
    success = {domain: goal.requestable.get(domain, frozenset()) <= provided[domain] for domain in goal.domains}
    return DialogueResult(match, success, trace, _listed(offered), _listed(wanted))


def _listed(venues: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    return {domain: sorted(ids) for domain, ids in venues.items()}


def _state(turn: Turn, gold: Sequence[Turn] | None, place: int) -> State:
    if turn.state is not None:
        return turn.state
    return (gold[place].state or {}) if gold is not None and place < len(gold) else {}


def _offers(domain: str, slots: set[str], setup: Setup) -> bool:
    return OFFERS.get(domain, "NAME") in slots or (setup.updates == "name_id_ref" and "REFERENCE" in slots)


def _search(databases: Databases, domain: str, state: State, setup: Setup) -> frozenset[str]:
    constraints = state.get(domain)
    if constraints is None:
        return frozenset()
    named = next((slot for slot in ("name", "trainid", "id") if slot in constraints), None)
    if setup.reduced_search and named:
        constraints = {named: constraints[named]}
    return databases.query(domain, constraints)


def _needs_no_offer(domain: str, goal: Goal, offered: frozenset[str]) -> bool:
    """Return whether no offer is needed: the goal names the venue, there is no database, or no train is requested."""
    if "name" in goal.informable[domain] or domain in NO_DATABASE:
        return True
    return domain == "train" and not offered and "TRAINID" not in goal.requestable.get(domain, frozenset())


def _satisfies(offered: Sequence[str], wanted: frozenset[str], setup: Setup, key: str) -> bool:
    if not offered:
        return False
    if setup.venues == "subset":
        return wanted.issuperset(offered)
    if setup.venues == "intersection":
        return not wanted.isdisjoint(offered)
    return (offered[0] if setup.venues == "first" else rng_for(setup.seed, key).choice(offered)) in wanted


def _domains(
    turns: Sequence[Turn], states: Sequence[State], setup: Setup, gold: Sequence[Turn] | None
) -> list[list[str]]:
    """Return the active domains of each turn, from the source of the setup or estimated."""
    guessed = estimate_domains(states)
    active: list[list[str]] = []
    for place, turn in enumerate(turns):
        domains: Sequence[str] | None = None
        if setup.domains == "predicted":
            domains = turn.domains or None
        elif setup.domains == "gold" and gold is not None and place < len(gold):
            domains = gold[place].domains
        elif setup.domains == "slot_names":
            domains = sorted(turn.named) or (active[-1] if active and active[-1] else None)
        active.append(list(guessed[place] if domains is None else domains))
    return active


def estimate_domains(states: Sequence[State]) -> list[list[str]]:
    """Return active domains estimated from state changes: the domain with most slots among those that changed."""
    active: list[list[str]] = []
    current: str | None = None
    before: State = {}
    last: list[str] = []
    for state in states:
        changed = [d for d, slots in state.items() if set(slots.items()) - set(before.get(d, {}).items())]
        if not changed:
            others = [domain for domain in last if domain != current]
            if len(last) > 1 and others:
                current, last = others[0], []
        elif current not in changed:
            current = max(changed, key=lambda domain: len(state[domain]))
        if changed:
            last = changed
        before = state
        active.append([current] if current else [])
    return active
