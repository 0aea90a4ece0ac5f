"""Inform and Success: whether what a system offers fits the user's goal, and whether it gave what was asked for."""

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
ASKED = {
    "phone": "PHONE", "address": "ADDRESS", "postcode": "POST", "post": "POST", "reference": "REFERENCE",
    "ref": "REFERENCE", "id": "TRAINID", "trainid": "TRAINID",
}  # fmt: skip
"""How goals call what may be requested. What else they ask for (a price, an area) is never counted, by anybody."""
OFFERS = {"train": "TRAINID"}


@dataclass(frozen=True)
class Setup:
    """The choices by which papers differ; numbers under different ones are not comparable."""

    venues: Venues = "subset"
    """All that was offered must fit the goal, some of it, one drawn at random, or the first of the database."""
    updates: Updates = "name_id"
    """When the offer changes: where a name or train is mentioned, at a reference number too, or once at the end."""
    reduced_search: bool = False
    """A state that names a venue is searched by that name alone."""
    domains: DomainSource = "predicted"
    """Where the active domain comes from; predicted ones are estimated from changes of the state where missing."""
    seed: int = 0
    """Of the draw of `sampling`."""

    def __post_init__(self) -> None:
        for name, kind in (("venues", Venues), ("updates", Updates), ("domains", DomainSource)):
            if getattr(self, name) not in get_args(kind):
                raise UsageError(f"setup {name}={getattr(self, name)}: one of {', '.join(get_args(kind))}")

    def plain(self) -> dict[str, Any]:
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
"""Ours, and how systems were evaluated in their own papers."""


@dataclass(frozen=True)
class Turn:
    response: str
    """Normalised."""
    named: frozenset[str] = frozenset()
    """Domains that slots of the response name themselves (`[hotel_name]`)."""
    state: State | None = None
    domains: Sequence[str] | None = None


@dataclass(frozen=True)
class Goal:
    """By domain: what is wanted, and what has to be answered."""

    informable: State
    requestable: Mapping[str, frozenset[str]]

    @property
    def domains(self) -> tuple[str, ...]:
        return tuple(self.informable)


@dataclass
class TurnTrace:
    response: str
    state: State
    domains: list[str]
    offered: dict[str, list[str]]
    provided: dict[str, list[str]]
    updated: list[str]


@dataclass
class Judged:
    """One dialogue: every goal domain by itself, and the whole."""

    match: dict[str, bool]
    success: dict[str, bool]
    trace: list[TurnTrace] = field(default_factory=list)
    offered: dict[str, list[str]] = field(default_factory=dict)
    """What stands offered when the dialogue is over."""
    wanted: dict[str, list[str]] = field(default_factory=dict)
    """What fits the goal."""

    @property
    def informed(self) -> bool:
        return all(self.match.values())

    @property
    def succeeded(self) -> bool:
        return self.informed and all(self.success.values())


def judge(
    turns: Sequence[Turn],
    goal: Goal,
    databases: Databases,
    booked: Sequence[Sequence[str]],
    setup: Setup,
    gold: Sequence[Turn] | None = None,
    name: str = "",
) -> Judged:
    """`booked`: by turn, the domains that are booked in the corpus; `gold`: states and domains of the corpus."""
    offered: dict[str, frozenset[str]] = {domain: frozenset() for domain in goal.domains}
    provided: dict[str, set[str]] = {domain: set() for domain in goal.domains}
    trace: list[TurnTrace] = []
    states = [_state(turn, gold, place) for place, turn in enumerate(turns)]
    active = _domains(turns, states, setup, gold)
    for place, (turn, state, domains) in enumerate(zip(turns, states, active, strict=True)):
        said = slots_in(turn.response)
        updated = []
        for domain in (domain for domain in goal.domains if domain in domains):
            if setup.updates != "end" and _offers(domain, said, setup):
                venues = _search(databases, domain, state, setup)
                if not offered[domain] or not offered[domain] <= venues:
                    offered[domain] = venues
                    updated.append(domain)
            booked_now = place < len(booked) and domain in booked[place]
            provided[domain] |= {slot for slot in REQUESTABLE if slot in said and (slot != "REFERENCE" or booked_now)}
        given = {domain: sorted(slots) for domain, slots in provided.items()}
        trace.append(TurnTrace(turn.response, state, list(domains), _listed(offered), given, updated))
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
        domain: _granted(domain, goal, offered[domain])
        or _fits(databases.ordered(domain, offered[domain]), wanted[domain], setup, f"{name} {domain}")
        for domain in goal.domains
    }
    success = {domain: goal.requestable.get(domain, frozenset()) <= provided[domain] for domain in goal.domains}
    return Judged(match, success, trace, _listed(offered), _listed(wanted))


def _listed(venues: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    return {domain: sorted(ids) for domain, ids in venues.items()}


def _state(turn: Turn, gold: Sequence[Turn] | None, place: int) -> State:
    if turn.state is not None:
        return turn.state
    return (gold[place].state or {}) if gold is not None and place < len(gold) else {}


def _offers(domain: str, said: set[str], setup: Setup) -> bool:
    return OFFERS.get(domain, "NAME") in said or (setup.updates == "name_id_ref" and "REFERENCE" in said)


def _search(databases: Databases, domain: str, state: State, setup: Setup) -> frozenset[str]:
    constraints = state.get(domain)
    if constraints is None:
        return frozenset()
    named = next((slot for slot in ("name", "trainid", "id") if slot in constraints), None)
    if setup.reduced_search and named:
        constraints = {named: constraints[named]}
    return databases.query(domain, constraints)


def _granted(domain: str, goal: Goal, offered: frozenset[str]) -> bool:
    """Nothing has to be offered: the user named the venue, there is no database, or nobody asked for a train."""
    if "name" in goal.informable[domain] or domain in NO_DATABASE:
        return True
    return domain == "train" and not offered and "TRAINID" not in goal.requestable.get(domain, frozenset())


def _fits(offered: Sequence[str], wanted: frozenset[str], setup: Setup, key: str) -> bool:
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
    """The active domains of every turn, from where the setup takes them; what is missing there is estimated."""
    guessed = estimate_domains(states)
    found: list[list[str]] = []
    for place, turn in enumerate(turns):
        given: Sequence[str] | None = None
        if setup.domains == "predicted":
            given = turn.domains or None
        elif setup.domains == "gold" and gold is not None and place < len(gold):
            given = gold[place].domains
        elif setup.domains == "slot_names":
            given = sorted(turn.named) or (found[-1] if found and found[-1] else None)
        found.append(list(guessed[place] if given is None else given))
    return found


def estimate_domains(states: Sequence[State]) -> list[list[str]]:
    """From what changed in the state: the domain stays while nothing does, and moves to what was filled most."""
    found: list[list[str]] = []
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
        found.append([current] if current else [])
    return found
