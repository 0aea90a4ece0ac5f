"""Saved dialogues in the explorer: their scores as runs, and every dialogue turn by turn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from assay.errors import AssayError
from assay.explorer.dialogue_payloads import (
    DialogueEntry,
    DialoguePage,
    DialogueSet,
    DialogueSystem,
    GoalShown,
    Offer,
    StateSlot,
    TracedSystem,
    TracedTurn,
    Venue,
)
from assay.metrics.engine.base import Part
from assay.metrics.structure.dialog.saved_dialogues import SavedDialogue, SavedDialogues, SavedGoal, SavedSystem
from assay.records.types import Score
from assay.specs import did_you_mean
from assay.store.foreign.known import axis_of
from assay.store.scored_runs import Axis, ScoredRun, finite

MOST_VENUES = 12
RICHNESS = {
    "num_unigrams": "vocab-1", "num_bigrams": "vocab-2", "num_trigrams": "vocab-3", "entropy": "entropy-1",
    "cond_entropy": "cond_entropy-2", "msttr": "msttr", "avg_lengths": "mean_length",
}  # fmt: skip
RATES = {
    "inform": "percentage of dialogues in which the system's offer matches the goal",
    "success": "percentage of dialogues with a matching offer in which all requested slots were provided",
}
Goals = Mapping[str, SavedGoal]
Verdict = Literal["success", "inform", "neither"]


def runs_of(name: str, saved: SavedDialogues) -> tuple[list[Axis], list[ScoredRun]]:
    """Return the scores of each system on all dialogues and by domain; the signature names the setup."""
    styles = list(dict.fromkeys(style for system in saved.systems for style in system.bleu))
    axes = [
        Axis(Part(f"bleu.{style}", digits=1, bounds=(0.0, 100.0)), "lexical", f"BLEU, references in the style {style}")
        for style in styles
    ]
    axes += [Axis(Part(rate, digits=1, bounds=(0.0, 100.0)), "other", about) for rate, about in RATES.items()]
    axes += [axis_of(ours) for ours in RICHNESS.values()]
    runs = []
    for system in saved.systems:
        signature = "|".join(["multiwoz", *(f"{key}:{value}" for key, value in system.setup.items())])
        scores = {
            f"bleu.{style}": Score(value=value, signature="bleu|multiwoz") for style, value in system.bleu.items()
        }
        richness = {ours: system.richness.get(theirs) for theirs, ours in RICHNESS.items()}
        scores |= {
            ours: Score(value=value, signature="multiwoz") for ours, value in richness.items() if value is not None
        }
        domains = list(dict.fromkeys(domain for rates in system.rates.values() for domain in rates))
        by = {
            domain: {
                rate: Score(value=score.value, low=score.low, high=score.high, signature=signature)
                for rate, rates in system.rates.items()
                if (score := rates.get(domain)) is not None
            }
            for domain in domains
        }
        whole = scores | by.pop("total", {})
        runs.append(ScoredRun(system.name, name, task="dialogue", n=len(system.dialogues), scores=_sound(whole)))
        for domain, of_domain in by.items():
            n = next(rates[domain].n for rates in system.rates.values() if domain in rates)
            run = ScoredRun(
                system.name, name, f"domain={domain}", "subset", "dialogue", n=n, parent="", scores=_sound(of_domain)
            )
            runs.append(run)
    return axes, runs


def _sound(scores: Mapping[str, Score]) -> dict[str, Score]:
    return {name: finite(score) for name, score in scores.items()}


def notes_of(saved: SavedDialogues) -> list[str]:
    return [*saved.warnings, *(f"{system.name}: {note}" for system in saved.systems for note in system.notes)]


def dialogue_set(name: str, saved: SavedDialogues) -> DialogueSet:
    ids = dict.fromkeys(id for system in saved.systems for id in system.dialogues)
    return DialogueSet(
        name=name,
        systems=[DialogueSystem(name=one.name, setup=list(one.setup.items())) for one in saved.systems],
        dialogues=[_entry(id, saved) for id in sorted(ids)],
    )


def _entry(id: str, saved: SavedDialogues) -> DialogueEntry:
    predicted = {system.name: system.dialogues[id] for system in saved.systems if id in system.dialogues}
    judged = {system: verdict for system, one in predicted.items() if (verdict := _verdict(one)) is not None}
    return DialogueEntry(
        id=id,
        turns=max(len(one.turns) for one in predicted.values()),
        domains=list(saved.goals.get(id, {})),
        verdicts=judged,
    )


def _verdict(one: SavedDialogue) -> Verdict | None:
    if one.match is None or one.success is None:
        return None
    if not all(one.match.values()):
        return "neither"
    return "success" if all(one.success.values()) else "inform"


def dialogue_page(name: str, saved: SavedDialogues, id: str) -> DialoguePage:
    """Return one dialogue of all systems, with offers that do not match the goal."""
    predicted = [system for system in saved.systems if id in system.dialogues]
    if not predicted:
        known = sorted({known for system in saved.systems for known in system.dialogues})
        raise AssayError(f"no dialogue {id} in {name}{did_you_mean(id, known)} ({len(known):,} dialogues)")
    goals = saved.goals.get(id, {})
    return DialoguePage(
        name=name,
        id=id,
        goals=[
            GoalShown(domain=d, wanted=list(g.informable.items()), requested=g.requestable, fitting=len(g.fitting))
            for d, g in goals.items()
        ],
        references={style: texts[id] for style, texts in saved.references.items() if id in texts},
        systems=[_traced(system, id, goals, saved.names) for system in predicted],
    )


def _traced(system: SavedSystem, id: str, goals: Goals, names: Mapping[str, Mapping[str, str]]) -> TracedSystem:
    dialogue = system.dialogues[id]
    current: dict[str, Sequence[str]] = {}
    before: set[tuple[str, str, str]] = set()
    turns = []
    for turn in dialogue.turns:
        slots = [(d, slot, value) for d, of in turn.state.items() for slot, value in of.items()]
        current |= turn.offered
        turns.append(
            TracedTurn(
                response=turn.response,
                state=[StateSlot(domain=d, slot=s, value=v, new=(d, s, v) not in before) for d, s, v in slots],
                domains=turn.domains,
                offers=_offers(current, goals, names, turn.offered),
                provided=list(turn.provided.items()),
            )
        )
        before = set(slots)
    provided = dialogue.turns[-1].provided if dialogue.turns else {}
    last = {domain: list(ids) for domain, ids in current.items()}
    changed = {domain: ids for domain, ids in dialogue.offered.items() if ids != last.get(domain, [])}
    return TracedSystem(
        system=system.name,
        verdict=_verdict(dialogue),
        match=dialogue.match or {},
        missing={
            d: sorted(set(goals[d].requestable) - set(provided.get(d, ()))) for d in dialogue.match or {} if d in goals
        },
        turns=turns,
        final=_offers(changed, goals, names, changed),
    )


def _offers(
    current: Mapping[str, Sequence[str]], goals: Goals, names: Mapping[str, Mapping[str, str]], new: Collection[str]
) -> list[Offer]:
    offers = []
    for domain, ids in current.items():
        fitting = set(goals[domain].fitting) if domain in goals else set()
        labels = names.get(domain, {})
        venues = [Venue(id=id, name=labels.get(id, ""), fits=id in fitting) for id in ids]
        venues.sort(key=lambda venue: venue.fits)
        hits = sum(venue.fits for venue in venues)
        if ids or domain in new:
            offer = Offer(
                domain=domain, total=len(ids), fitting=hits, venues=venues[:MOST_VENUES], new=domain in new
            )  # fmt: skip
            offers.append(offer)
    return offers
