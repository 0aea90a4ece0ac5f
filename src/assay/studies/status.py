"""How a study stands: what is done, what it has cost, who should be looked at, and what a pilot says about its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import mean, median
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.meta.agreement import agree
from assay.records import Judgement
from assay.studies.judgements import hashed, study_judgements
from assay.studies.quality import ledger, too_fast, trap_score
from assay.studies.study import Study

WANTED_ERROR = 0.5
"""Of an item's mean, in points: what a pilot sizes a study for."""


@dataclass(frozen=True)
class Suspicion:
    """From when on somebody is worth a look; a person decides, nobody is blocked by it."""

    agreement: float = 0.2
    """So far below the others' mean agreement."""
    an_hour: float = 60.0
    """Tasks an hour."""
    fewest: int = 5
    """Tasks before anything is said."""


def progress(study: Study) -> dict[str, Any]:
    """Counts, and what has been earned so far."""
    done = [each for each in study.assignments.values() if each.done and each.pilot == study.pilot]
    wanted = sum(study.needed(task) for task in study.available()) + sum(
        map(study.counts_for, study.assignments.values())
    )
    people = study.design.people
    pay = None
    if people.pay is not None:
        pay = len(done) * people.pay
    elif people.pay_per_hour is not None:
        pay = sum(each.seconds or 0.0 for each in done) / 3600 * people.pay_per_hour
    bonuses = sum(ledger(study).values())
    seconds = [each.seconds for each in done if each.seconds is not None]
    return {
        "pilot": study.pilot,
        "tasks": len(study.available()),
        "places": wanted,
        "done": len(done),
        "open": len(study.at_work()),
        "people": len(study.people),
        "blocked": sum(bool(person.blocked) for person in study.people.values()),
        "median_seconds": median(seconds) if seconds else None,
        "pay": pay,
        "bonuses": bonuses,
        "cost": None if pay is None else (pay + bonuses) * (1 + people.fee),
        "finished": study.finished,
    }


def flags(study: Study, when: Suspicion | None = None) -> dict[str, list[str]]:
    """By person: what speaks for looking at their work. Names are as exports have them."""
    limit = when or Suspicion()
    distance = _agreement_with_others(list(study_judgements(study)))
    usual = mean(distance.values()) if distance else 0.0
    found: dict[str, list[str]] = {}
    for name, person in study.people.items():
        done = [study.assignments[each] for each in person.assignments if study.assignments[each].done]
        why = [f"blocked: {person.blocked}"] if person.blocked else []
        texts = sum(len(study.tasks[each.task].texts) for each in done)
        seconds = sum(each.seconds or 0.0 for each in done)
        if done and all(each.seconds is not None for each in done) and too_fast(study.design.quality, seconds, texts):
            why.append(f"fast: {seconds:.0f} s for {texts} texts")
        failed = sum(check.check == "attention" and check.right < check.of for check in person.checks)
        why += [f"attention: {failed} failed"] if failed else []
        score = trap_score(person)
        why += [f"traps: {score:.0%} right"] if score is not None and score < 1 else []
        if len(done) >= limit.fewest:
            # Sheets come in all at once: when they came says nothing about how long they took.
            timed = [each for each in done if each.seconds is not None]
            span = max((each.finished or 0.0 for each in timed), default=0.0) - min(
                (e.given for e in timed), default=0.0
            )
            if span > 0 and len(timed) / span * 3600 > limit.an_hour:
                why.append(f"volume: {len(timed)} tasks in {span / 60:.1f} minutes")
            own = distance.get(hashed(study, name))
            if own is not None and usual - own > limit.agreement:
                why.append(f"agreement: {own:.2f}, others {usual:.2f}")
        if why:
            found[hashed(study, name)] = why
    return found


def _agreement_with_others(judgements: Sequence[Judgement]) -> dict[str, float]:
    """By annotator: the share of other people's answers to the same question about the same text that are equal."""
    texts: dict[tuple[str, str, str, str], list[Judgement]] = {}
    for judgement in judgements:
        texts.setdefault((judgement.id, judgement.system, judgement.unit, judgement.criterion), []).append(judgement)
    shares: dict[str, list[float]] = {}
    for given in texts.values():
        for own in given:
            others = [each.value == own.value for each in given if each.annotator != own.annotator]
            if others:
                shares.setdefault(own.annotator, []).append(mean(others))
    return {name: mean(values) for name, values in shares.items()}


def live_agreement(study: Study, samples: int = 200) -> dict[str, dict[str, Any]]:
    """By criterion: Krippendorff's alpha so far, with its interval, or why there is none."""
    judgements = list(study_judgements(study))
    found: dict[str, dict[str, Any]] = {}
    for criterion in dict.fromkeys(judgement.criterion for judgement in judgements):
        rows = [judgement for judgement in judgements if judgement.criterion == criterion]
        numeric = all(isinstance(judgement.value, int | float) for judgement in rows)
        try:
            (made,) = agree(rows, criterion, samples)
            found[criterion] = made.coefficients.get("alpha-ordinal" if numeric else "alpha-nominal", {})
        except AssayError as why:
            found[criterion] = {"value": None, "why": str(why)}
    return found


def pilot_report(study: Study) -> list[dict[str, Any]]:
    """By criterion of the pilot: how far people are apart on the same text, how long it takes, and how many people an
    item needs for its mean to be known to half a point."""
    judgements = [each for each in study_judgements(study, pilot=True) if isinstance(each.value, int | float)]
    rows = []
    for criterion in dict.fromkeys(judgement.criterion for judgement in judgements):
        texts: dict[tuple[str, str, str], list[float]] = {}
        for judgement in judgements:
            if judgement.criterion == criterion:
                texts.setdefault((judgement.id, judgement.system, judgement.unit), []).append(float(judgement.value))
        spread = [float(np.var(values, ddof=1)) for values in texts.values() if len(values) > 1]
        sd = float(np.sqrt(np.mean(spread))) if spread else None
        seconds = [each.seconds for each in judgements if each.criterion == criterion and each.seconds is not None]
        rows.append(
            {
                "criterion": criterion,
                "texts": len(texts),
                "sd": sd,
                "median_seconds": median(seconds) if seconds else None,
                "people_needed": None if sd is None else max(1, ceil(round((sd / WANTED_ERROR) ** 2, 6))),
            }
        )
    return rows
