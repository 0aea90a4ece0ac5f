"""Human correlation: metrics and human judgements, systems ranked by judgements, inter-annotator agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec
import polars

from assay.errors import AssayError
from assay.explorer.confusion import confusions, has_choices
from assay.explorer.human_payloads import Agreement, HumanPage, Points, RawAndPartial
from assay.explorer.judges import judge_pages, of_annotators
from assay.meta.ablation import ablate
from assay.meta.agreement import AgreementRequest, measure_agreement
from assay.meta.correlate import CorrelateRequest, correlate_metrics
from assay.meta.joined_scores import JoinedScores
from assay.meta.ranking import Ranked, rank_systems, scale_ends, unit_values
from assay.meta.williams import pairwise_williams
from assay.records import Judgement
from assay.results.result import Result
from assay.stats.votes import UNASSIGNED, error_shares, errors_of, verdict
from assay.store.library import DatasetResults
from assay.studies.kinds import shared_direction

SAMPLES = 500
POINTS = 4_000
"""Maximum number of points in the scatter plot; correlations use all judgements."""


def criteria_of(judgements: Sequence[Judgement]) -> list[str]:
    """Return criteria of whole texts with numeric values, and criteria of sentences whose values are error types."""
    names: dict[str, None] = {}
    for judgement in of_annotators(judgements):
        whole = judgement.unit == "summary" and not isinstance(judgement.value, str)
        if whole or (judgement.unit.startswith("sentence:") and isinstance(judgement.value, str)):
            names[judgement.criterion] = None
    return list(names)


def human_page(dataset: DatasetResults, criterion: str = "") -> HumanPage:
    """Return the page of one criterion (default: the first)."""
    criteria = criteria_of(dataset.judgements)
    warnings: list[str] = []
    if not criteria and has_choices(dataset):
        matrices = confusions(dataset, warnings)
        return HumanPage(dataset=dataset.name, confusions=matrices, warnings=warnings)
    if not criteria:
        raise AssayError(f"{dataset.name}: no human judgements of whole texts or sentences")
    if criterion and criterion not in criteria:
        raise AssayError(f"no criterion {criterion} on {dataset.name}; available: {', '.join(criteria)}")
    criterion = criterion or criteria[0]
    chosen = judged(dataset, criterion)
    human, categories = human_scores(chosen, criterion)
    joined = join_metrics(human, dataset.results)
    correlations = _correlations(joined, criterion, categories, warnings)
    return HumanPage(
        dataset=dataset.name,
        criterion=criterion,
        criteria=criteria,
        synthetic=is_synthetic(chosen),
        n=len(joined.frame),
        metrics=list(joined.metrics),
        points=_points(joined, criterion),
        **correlations,
        ranked=ranked_of(dataset, criterion, warnings),
        agreement=_agreement(chosen, criterion, warnings),
        confusions=confusions(dataset, warnings),
        judges=judge_pages(dataset.judgements, criterion, warnings),
        warnings=list(dict.fromkeys(warnings)),
    )


def judged(dataset: DatasetResults, criterion: str) -> list[Judgement]:
    """Return the judgements of annotators, not of judges, on one criterion."""
    return [each for each in of_annotators(dataset.judgements) if each.criterion == criterion]


def is_synthetic(judgements: Sequence[Judgement]) -> bool:
    """Return whether a script wrote the judgements, so that they are no evidence."""
    return any(judgement.method == "synthetic" for judgement in judgements)


def human_scores(judgements: Sequence[Judgement], criterion: str) -> tuple[polars.DataFrame, list[str]]:
    """Return one row for each text, and the error types.

    Numeric values are averaged over annotators. Error types become the share of sentences without an error, with the
    share of each type: the majority decides first whether there is an error, then its type.
    """
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
            labels = votes.setdefault((judgement.id, judgement.system), {}).setdefault(judgement.unit, {})
            labels[judgement.annotator] = (*labels.get(judgement.annotator, ()), *errors_of(str(judgement.value)))
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
    """Join human scores with every item-level metric."""
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
    """Return raw correlations, which include differences between systems, and partial ones controlled for system."""
    tables: dict[str, Any] = {"correlations": {}, "williams": {}, "between": {}, "ablation": {}}
    if not joined.metrics or len(joined.frame) < 4:
        warnings.append("Too few judged texts with item-level scores to correlate (at least 4 are needed).")
        return tables
    several = joined.frame["system"].n_unique() > 1
    raw = correlate_metrics(joined, CorrelateRequest(criterion, methods=("pearson",)))
    controlled = CorrelateRequest(criterion, ("system",) if several else (), ("pearson",))
    partial = correlate_metrics(joined, controlled) if several else None
    warnings += partial.warnings if partial else raw.warnings
    tables["correlations"] = {
        name: msgspec.convert(
            {"raw": methods["pearson"], "partial": partial.metrics[name]["pearson"] if partial else None}, RawAndPartial
        )
        for name, methods in raw.metrics.items()
    }
    tested = pairwise_williams(joined, controlled)
    tables["williams"], tables["between"] = tested.adjusted, tested.between
    warnings += tested.warnings
    if categories:
        tables["ablation"] = ablate(joined, controlled, categories)
    return tables


def coefficients(dataset: DatasetResults) -> dict[str, dict[str, tuple[float | None, float | None]]]:
    """Return raw and partial r of every metric by criterion, for cards: the values of `human_page`, without tests."""
    by_criterion: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    for criterion in criteria_of(dataset.judgements):
        joined = join_metrics(human_scores(judged(dataset, criterion), criterion)[0], dataset.results)
        if not joined.metrics or len(joined.frame) < 4:
            continue
        controls: list[tuple[str, ...]] = [(), ("system",)] if joined.frame["system"].n_unique() > 1 else [()]
        tables = [
            correlate_metrics(joined, CorrelateRequest(criterion, names, ("pearson",), classical=True)).metrics
            for names in controls
        ]
        by_criterion[criterion] = {
            name: (record["pearson"]["r"], tables[1][name]["pearson"]["r"] if len(tables) > 1 else None)
            for name, record in tables[0].items()
        }
    return by_criterion


def ranked_of(dataset: DatasetResults, criterion: str, warnings: list[str]) -> list[Ranked]:
    """Rank systems by mean human judgement, best first."""
    chosen = judged(dataset, criterion)
    human, _ = human_scores(chosen, criterion)
    scores: dict[str, dict[str, float]] = {}
    for row in human.iter_rows(named=True):
        scores.setdefault(row["system"], {})[row["id"]] = row[criterion]
    try:
        better = shared_direction({judgement.method for judgement in chosen})
        return rank_systems(scores, SAMPLES, better=better, ends=scale_ends(chosen, criterion))
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
