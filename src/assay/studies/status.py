"""Status of a running study: progress, cost, flagged annotators, agreement so far, and the results of a pilot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from statistics import mean, median
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.meta.agreement import AgreementRequest, measure_agreement
from assay.records import Judgement
from assay.studies.judgements import hashed, study_judgements
from assay.studies.quality import bonuses_owed, too_fast, trap_score
from assay.studies.study import Study

WANTED_ERROR = 0.5
"""Standard error of an item's mean, in points of the scale, for which a pilot sizes a study."""


@dataclass(frozen=True)
class FlagLimits:
    """Limits from which an annotator is flagged for manual review; flags never block."""

    agreement: float = 0.2
    """Distance below the mean agreement of all annotators."""
    an_hour: float = 60.0
    """Tasks per hour."""
    fewest: int = 5
    """Minimum number of tasks for these two flags."""


def progress(study: Study) -> dict[str, Any]:
    """Return counts of tasks and annotators, and the cost so far."""
    done = [each for each in study.assignments.values() if each.done and each.pilot == study.pilot]
    required = sum(study.needed(task) for task in study.available()) + sum(
        map(study.counts, study.assignments.values())
    )
    people = study.design.people
    pay = None
    if people.pay is not None:
        pay = len(done) * people.pay
    elif people.pay_per_hour is not None:
        pay = sum(each.seconds or 0.0 for each in done) / 3600 * people.pay_per_hour
    bonuses = sum(bonuses_owed(study).values())
    seconds = [each.seconds for each in done if each.seconds is not None]
    return {
        "pilot": study.pilot,
        "tasks": len(study.available()),
        "places": required,
        "done": len(done),
        "open": len(study.open_assignments()),
        "people": len(study.annotators),
        "blocked": sum(bool(who.blocked) for who in study.annotators.values()),
        "median_seconds": median(seconds) if seconds else None,
        "pay": pay,
        "bonuses": bonuses,
        "cost": None if pay is None else (pay + bonuses) * (1 + people.fee),
        "finished": study.finished,
    }


def flags(study: Study, limits: FlagLimits | None = None) -> dict[str, list[str]]:
    """Return the reasons to review an annotator, by hashed name."""
    limit = limits or FlagLimits()
    agreement = _agreement_with_others(list(study_judgements(study)))
    usual = mean(agreement.values()) if agreement else 0.0
    flagged: dict[str, list[str]] = {}
    for name, who in study.annotators.items():
        done = [study.assignments[each] for each in who.assignments if study.assignments[each].done]
        why = [f"blocked: {who.blocked}"] if who.blocked else []
        texts = sum(len(study.tasks[each.task].texts) for each in done)
        seconds = sum(each.seconds or 0.0 for each in done)
        if done and all(each.seconds is not None for each in done) and too_fast(study.design.quality, seconds, texts):
            why.append(f"fast: {seconds:.0f} s for {texts} texts")
        failed = sum(check.check == "attention" and check.right < check.of for check in who.checks)
        why += [f"attention: {failed} failed"] if failed else []
        score = trap_score(who)
        why += [f"traps: {score:.0%} right"] if score is not None and score < 1 else []
        if len(done) >= limit.fewest:
            # Sheets are collected all at once, so only answers with a measured time tell the pace.
            timed = [each for each in done if each.seconds is not None]
            last = max((each.finished or 0.0 for each in timed), default=0.0)
            span = last - min((each.assigned for each in timed), default=0.0)
            if span > 0 and len(timed) / span * 3600 > limit.an_hour:
                why.append(f"volume: {len(timed)} tasks in {span / 60:.1f} minutes")
            own = agreement.get(hashed(study, name))
            if own is not None and usual - own > limit.agreement:
                why.append(f"agreement: {own:.2f}, others {usual:.2f}")
        if why:
            flagged[hashed(study, name)] = why
    return flagged


def _agreement_with_others(judgements: Sequence[Judgement]) -> dict[str, float]:
    """Return for each annotator the share of equal judgements of other annotators on the same text and criterion."""
    texts: dict[tuple[str, str, str, str], list[Judgement]] = {}
    for judgement in judgements:
        texts.setdefault((judgement.id, judgement.system, judgement.unit, judgement.criterion), []).append(judgement)
    shares: dict[str, list[float]] = {}
    for rows in texts.values():
        for own in rows:
            others = [each.value == own.value for each in rows if each.annotator != own.annotator]
            if others:
                shares.setdefault(own.annotator, []).append(mean(others))
    return {name: mean(values) for name, values in shares.items()}


def live_agreement(study: Study, samples: int = 200) -> dict[str, dict[str, Any]]:
    """Return Krippendorff's alpha so far for each criterion, with its interval, or the reason why there is none."""
    judgements = list(study_judgements(study))
    agreement: dict[str, dict[str, Any]] = {}
    for criterion in dict.fromkeys(judgement.criterion for judgement in judgements):
        rows = [judgement for judgement in judgements if judgement.criterion == criterion]
        numeric = all(isinstance(judgement.value, int | float) for judgement in rows)
        try:
            (result,) = measure_agreement(rows, AgreementRequest(criterion, samples))
            alpha = result.coefficients.get("alpha-ordinal" if numeric else "alpha-nominal")
            agreement[criterion] = {**alpha} if alpha else {}
        except AssayError as why:
            agreement[criterion] = {"value": None, "why": str(why)}
    return agreement


def pilot_report(study: Study) -> list[dict[str, Any]]:
    """Return for each criterion of a pilot the spread between annotators, the median time, and the required number
    of annotators per item for a standard error of half a point."""
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
