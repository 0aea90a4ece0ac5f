"""Metrics and people: what judgements say about systems, about metrics, and about those who judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec
import polars

from assay.errors import AssayError
from assay.explorer.confusion import confusions, has_choices
from assay.explorer.people_payloads import Agreement, PeoplePage, Points, RawAndPartial
from assay.meta.ablation import ablate
from assay.meta.agreement import AgreementRequest, measure_agreement
from assay.meta.correlate import CorrelateRequest, correlate_metrics
from assay.meta.joined_scores import JoinedScores
from assay.meta.ranking import Ranked, rank_systems, unit_values
from assay.meta.williams import pairwise_williams
from assay.records import Judgement
from assay.results.result import Result
from assay.stats.votes import UNASSIGNED, error_shares, errors_of, verdict
from assay.store.library import DatasetResults

SAMPLES = 500
POINTS = 4_000
"""Dots drawn; correlations are over all of them."""


def criteria_of(judgements: Sequence[Judgement]) -> list[str]:
    """Criteria of whole texts with numbers, and criteria of sentences whose answers are kinds of error."""
    names: dict[str, None] = {}
    for judgement in judgements:
        whole = judgement.unit == "summary" and not isinstance(judgement.value, str)
        if whole or (judgement.unit.startswith("sentence:") and isinstance(judgement.value, str)):
            names[judgement.criterion] = None
    return list(names)


def people_of(held: DatasetResults, criterion: str = "") -> PeoplePage:
    """Everything the page about one criterion shows."""
    criteria = criteria_of(held.judgements)
    warnings: list[str] = []
    if not criteria and has_choices(held):
        matrices = confusions(held, warnings)
        return PeoplePage(dataset=held.name, confusions=matrices, warnings=warnings)
    if not criteria:
        raise AssayError(f"{held.name}: nobody judged whole texts or sentences, so there is nothing to compare with")
    if criterion and criterion not in criteria:
        raise AssayError(f"no criterion {criterion} on {held.name}; there are {', '.join(criteria)}")
    criterion = criterion or criteria[0]
    chosen = judged(held, criterion)
    human, categories = human_scores(chosen, criterion)
    joined = join_metrics(human, held.results)
    correlations = _correlations(joined, criterion, categories, warnings)
    return PeoplePage(
        dataset=held.name,
        criterion=criterion,
        criteria=criteria,
        made_up=made_up(chosen),
        n=len(joined.frame),
        metrics=list(joined.metrics),
        points=_points(joined, criterion),
        **correlations,
        ranked=ranked_of(held, criterion, warnings),
        agreement=_agreement(chosen, criterion, warnings),
        confusions=confusions(held, warnings),
        warnings=list(dict.fromkeys(warnings)),
    )


def judged(held: DatasetResults, criterion: str) -> list[Judgement]:
    return [judgement for judgement in held.judgements if judgement.criterion == criterion]


def made_up(judgements: Sequence[Judgement]) -> bool:
    """Whether a script wrote them, so that they are evidence of nothing."""
    return any(judgement.annotator.startswith("made-up") for judgement in judgements)


def human_scores(judgements: Sequence[Judgement], criterion: str) -> tuple[polars.DataFrame, list[str]]:
    """One row a text. Numbers are averaged over annotators; kinds of error become the share of sentences without
    any, with a column of shares for each kind: first whether most see an error at all, then which."""
    if any(isinstance(judgement.value, str) for judgement in judgements):
        return _shares(judgements, criterion)
    means = unit_values([judgement for judgement in judgements if judgement.unit == "summary"], criterion)
    rows = [
        {"id": item.partition("\t")[0], "system": system, criterion: value}
        for system, items in means.items()
        for item, value in items.items()
    ]
    return polars.DataFrame(rows), []


def _shares(judgements: Sequence[Judgement], criterion: str) -> tuple[polars.DataFrame, list[str]]:
    votes: dict[tuple[str, str], dict[str, dict[str, tuple[str, ...]]]] = {}
    for judgement in judgements:
        if judgement.unit.startswith("sentence:"):
            given = votes.setdefault((judgement.id, judgement.system), {}).setdefault(judgement.unit, {})
            given[judgement.annotator] = (*given.get(judgement.annotator, ()), *errors_of(str(judgement.value)))
    kinds = sorted(
        {name for units in votes.values() for by in units.values() for named in by.values() for name in named}
    )
    rows = []
    for (id, system), sentences in votes.items():
        share = error_shares((verdict(list(by.values())) for by in sentences.values()), kinds)
        rows.append({"id": id, "system": system, criterion: 1 - sum(share.values()), **share})
    if not any(row[UNASSIGNED] for row in rows):
        for row in rows:
            del row[UNASSIGNED]
    return polars.DataFrame(rows), kinds


def join_metrics(human: polars.DataFrame, results: dict[str, Result]) -> JoinedScores:
    """The human scores beside every number that exists for a single text."""
    frames = []
    names: dict[str, None] = {}
    for system, result in results.items():
        shown = [name for name in result.per_example.columns[1:] if name in result.shown]
        names |= dict.fromkeys(shown)
        columns = [polars.col("id"), polars.lit(system).alias("system")]
        frames.append(result.per_example.select(*columns, *(polars.col(name).fill_nan(None) for name in shown)))
    if not frames:
        return JoinedScores(human, ("id", "system"), ())
    scores = polars.concat(frames, how="diagonal_relaxed")
    taken = {name: f"{name} (metric)" for name in names if name in human.columns}
    joined = human.join(scores.rename(taken), on=["id", "system"], how="inner", maintain_order="left")
    return JoinedScores(joined, ("id", "system"), tuple(taken.get(name, name) for name in names))


def _points(joined: JoinedScores, criterion: str) -> Points:
    frame = joined.frame
    if len(frame) > POINTS:
        frame = frame.sample(POINTS, seed=0)
    return Points(
        id=frame["id"].to_list(),
        system=frame["system"].to_list(),
        human=frame[criterion].to_list(),
        values={name: frame[name].to_list() for name in joined.metrics},
    )


def _correlations(joined: JoinedScores, criterion: str, categories: list[str], warnings: list[str]) -> dict[str, Any]:
    """Raw correlation tells systems apart too; the partial one holds the system constant."""
    found: dict[str, Any] = {"correlations": {}, "williams": {}, "between": {}, "ablation": {}}
    if not joined.metrics or len(joined.frame) < 4:
        warnings.append("too few judged texts have scores of their own to correlate")
        return found
    several = joined.frame["system"].n_unique() > 1
    raw = correlate_metrics(joined, CorrelateRequest(criterion, methods=("pearson",), samples=SAMPLES))
    held = CorrelateRequest(criterion, ("system",) if several else (), ("pearson",), samples=SAMPLES)
    partial = correlate_metrics(joined, held) if several else None
    warnings += partial.warnings if partial else raw.warnings
    found["correlations"] = {
        name: msgspec.convert(
            {"raw": methods["pearson"], "partial": partial.metrics[name]["pearson"] if partial else None}, RawAndPartial
        )
        for name, methods in raw.metrics.items()
    }
    tested = pairwise_williams(joined, held)
    found["williams"], found["between"] = tested.adjusted, tested.between
    warnings += tested.warnings
    if categories:
        found["ablation"] = ablate(joined, held, categories)
    return found


def ranked_of(held: DatasetResults, criterion: str, warnings: list[str]) -> list[Ranked]:
    """What people said of each system, best first."""
    human, _ = human_scores(judged(held, criterion), criterion)
    scores: dict[str, dict[str, float]] = {}
    for row in human.iter_rows(named=True):
        scores.setdefault(row["system"], {})[row["id"]] = row[criterion]
    try:
        return rank_systems(scores, SAMPLES)
    except AssayError as error:
        warnings.append(str(error))
        return []


def _agreement(judgements: Sequence[Judgement], criterion: str, warnings: list[str]) -> Agreement | None:
    try:
        return msgspec.convert(
            asdict(measure_agreement(judgements, AgreementRequest(criterion, SAMPLES))[0]), Agreement
        )
    except AssayError as error:
        warnings.append(str(error))
        return None
