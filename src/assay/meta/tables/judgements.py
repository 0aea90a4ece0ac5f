"""Tables of human judgements: agreement, annotators, ranks, paired tests, and mixed models."""

from __future__ import annotations

from collections.abc import Sequence

from assay.meta.agreement import AnnotatorProfile, CriterionAgreement, SpanRecord
from assay.meta.ranking import Pair, Ranked
from assay.meta.ratings import RatingModel
from assay.show.numbers import DASH, fixed, probability, rounded, share, span
from assay.show.tables import Cell, Column, Content, Table

PROFILE = (
    "annotator", "judgements", "mean", "most frequent", "seconds", "traps correct", "preset share", "alpha without",
)  # fmt: skip

THESE, ANY = "these annotators", "any annotators"
"""What an interval is about: other items judged by these annotators, or by any."""


def judgement_tables(
    agreement: CriterionAgreement,
    ranks: Sequence[Ranked] | None = None,
    pairs: Sequence[Pair] | None = None,
    model: RatingModel | None = None,
) -> list[Table]:
    """Return the tables of one criterion."""
    tables = []
    criterion = agreement.criterion
    if agreement.coefficients:
        tables.append(_coefficients(agreement))
    if agreement.spans:
        tables.append(_spans(criterion, agreement.spans))
    without = agreement.leave_one_out
    profiles = [_profile(name, profile, without.get(name)) for name, profile in agreement.profiles.items()]
    tables.append(Table.of(f"{criterion} · annotators", PROFILE, profiles))
    if ranks is not None:
        tables.append(_ranks(criterion, ranks))
    if pairs:
        tables.append(_pairs(criterion, pairs))
    if model is not None:
        tables += model_tables(model)
    return tables


def _coefficients(agreement: CriterionAgreement) -> Table:
    rows: list[list[Content]] = []
    for name, entry in agreement.coefficients.items():
        low, high = entry.get("low"), entry.get("high")
        why = entry.get("why") or entry.get("why_no_interval", "")
        rows.append([name, Cell(fixed(entry["value"]), entry["value"], low, high), span(low, high), why])
    about = {"item": "95 % CI", "annotator": "95 % CI (annotators)", "both": "95 % CI (both)"}[agreement.intervals_over]
    columns = [Column("agreement", "left"), Column("value"), Column(about), Column("", "left", fold=True)]
    of = f" of {agreement.inputs} inputs" if 0 < agreement.inputs < agreement.items else ""
    size = f"{agreement.items} items{of}, {agreement.annotators} annotators, {agreement.judgements} judgements"
    return Table(columns, rows, f"{agreement.criterion} · {size}")


def _spans(criterion: str, spans: SpanRecord) -> Table:
    named = {"exact spans": spans["exact"], "characters": spans["overlap"]}
    rows: list[list[Content]] = [[name, Cell(fixed(value), value)] for name, value in named.items()]
    return Table.of(f"{criterion} · F1 of marked spans", ["", "F1"], rows)


def _profile(name: str, profile: AnnotatorProfile, without: float | None) -> list[Content]:
    top = DASH if profile["top_share"] is None else f"{profile['top_value']} ({share(profile['top_share'])})"
    return [
        name,
        profile["judgements"],
        Cell(fixed(profile["mean"], 2, zero=True), profile["mean"]),
        top,
        Cell(fixed(profile["median_seconds"], 1, zero=True), profile["median_seconds"]),
        share(profile["trap_accuracy"]),
        share(profile["preset_share"]),
        Cell(fixed(without), without),
    ]


def _ranks(criterion: str, ranks: Sequence[Ranked]) -> Table:
    rows: list[list[Content]] = [
        [
            row.system,
            row.rank,
            f"{row.rank_low}-{row.rank_high}",
            Cell(fixed(row.mean, 2, zero=True), row.mean, row.low, row.high),
            span(row.low, row.high, 2),
        ]
        for row in ranks
    ]
    heads = ["system", "rank", "rank 95 % CI", "mean", f"95 % CI ({THESE})"]
    better = f" · {ranks[0].better} is better" if ranks else ""
    return Table.of(f"{criterion} · systems{better}", heads, rows)


def _pairs(criterion: str, pairs: Sequence[Pair]) -> Table:
    rows: list[list[Content]] = [
        [
            f"{pair.a} - {pair.b}",
            Cell(fixed(pair.difference, signed=True, zero=True), pair.difference),
            Cell(probability(pair.p), pair.p),
            Cell(probability(pair.p_adjusted), pair.p_adjusted),
            pair.n,
        ]
        for pair in pairs
    ]
    return Table.of(f"{criterion} · {pairs[0].method}", ["", "difference", "p", "adjusted p", "n"], rows)


def model_tables(model: RatingModel) -> list[Table]:
    """Return the tables of a mixed model: systems, differences, and variance components."""
    title = f"{model.criterion} · {model.model} mixed model"
    scale = "mean" if model.model == "linear" else "logits"
    systems: list[list[Content]] = [
        [row.system, Cell(fixed(row.value, 2, zero=True), row.value, row.low, row.high), span(row.low, row.high, 2)]
        for row in model.systems
    ]
    pairs: list[list[Content]] = [
        [
            f"{pair.a} - {pair.b}",
            Cell(fixed(pair.difference, signed=True, zero=True), pair.difference, pair.low, pair.high),
            span(pair.low, pair.high, 2),
            Cell(fixed(pair.df, 1, zero=True), pair.df),
            Cell(probability(pair.p), pair.p),
            Cell(probability(pair.p_adjusted), pair.p_adjusted),
        ]
        for pair in model.pairs
    ]
    sources: list[list[Content]] = [
        [row.source, row.levels, Cell(rounded(row.sd), row.sd), Cell(share(row.share), row.share)]
        for row in model.sources
    ]
    size = f"{model.items} items, {model.annotators} annotators, {model.judgements} judgements"
    tables = [Table.of(f"{title} · {size}", ["system", scale, f"95 % CI ({ANY})"], systems)] if systems else []
    if pairs:
        heads = ["", "difference", f"95 % CI ({ANY})", "df", "p", "adjusted p"]
        tables.append(Table.of(f"{title} · differences", heads, pairs))
    return [*tables, Table.of(f"{title} · variance", ["source", "levels", "sd", "share"], sources)]
