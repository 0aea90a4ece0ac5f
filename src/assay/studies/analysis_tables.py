"""Tables of an analysis of judgements."""

from __future__ import annotations

from collections.abc import Sequence

from assay.meta.tables.judgements import judgement_tables
from assay.show.numbers import fixed, probability, share, span
from assay.show.tables import Cell, Content, Table
from assay.studies.analysis import Analysis, CriterionAnalysis

Rows = list[Sequence[Content]]
EFFECTS = {
    "place": "one position further down: points",
    "work: points": "first to last judgement: points",
    "work: distance from others": "first to last judgement: distance from other annotators",
    "work: seconds": "first to last judgement: seconds",
}


def analysis_tables(analysis: Analysis) -> list[Table]:
    """Return the tables of all criteria, and of methods that elicited the same criterion."""
    tables = [table for each in analysis.criteria for table in criterion_tables(each)]
    if analysis.methods:
        rows: Rows = [
            [
                f"{pair.criterion}: {pair.a} - {pair.b}",
                *(f"{name} {difference:+.3g} (p {probability(p)})" for name, difference, p in
                  zip(pair.methods, pair.differences, pair.p, strict=True)),
                pair.verdict,
            ]
            for pair in analysis.methods
        ]  # fmt: skip
        heads = ["systems", "first method", "second method", "verdict"]
        tables.append(Table.of("Comparison of methods", heads, rows))
    return tables


def criterion_tables(each: CriterionAnalysis) -> list[Table]:
    """Return the tables of one criterion."""
    tables = judgement_tables(each.agreement, each.ranks or None, None, each.model) if each.agreement else []
    if each.rates:
        rows: Rows = [
            [r.system, r.value, r.count, Cell(share(r.share), r.share, r.low, r.high), span(r.low, r.high)]
            for r in each.rates
        ]
        heads = ["system", "majority label", "texts", "share", "95 % CI"]
        tables.append(Table.of(f"{each.name} · rates by majority vote", heads, rows))
    if each.minority:
        minority: Rows = [[most, other, count] for (most, other), count in sorted(each.minority.items())]
        tables.append(Table.of(f"{each.name} · minority votes", ["majority", "minority", "votes"], minority))
    known = [effect for effect in each.effects if effect.slope is not None]
    if known:
        effects: Rows = [
            [
                EFFECTS.get(e.name, e.name), Cell(fixed(e.slope), e.slope, e.low, e.high), span(e.low, e.high),
                probability(e.p), e.n, e.why,
            ]
            for e in known
        ]  # fmt: skip
        heads = ["effect", "change", "95 % CI", "p", "judgements", ""]
        tables.append(Table.of(f"{each.name} · order and fatigue effects", heads, effects))
    if each.perception:
        matrix: Rows = [
            [row.system, row.items, share(1 - row.share), share(row.share), span(row.low, row.high), fixed(row.mean, 2)]
            for row in each.perception
        ]
        heads = ["source", "items", "judged machine", "judged human", "95 % CI", "mean"]
        tables.append(Table.of(f"{each.name} · perceived author", heads, matrix))
    if each.gold:
        gold: Rows = [
            [name, right, of, share(right / of) if of else None]
            for part in ("models", "annotators")
            for name, (right, of) in each.gold[part].items()
        ]
        tables.append(
            Table.of(f"{each.name} · accuracy against the gold standard", ["", "correct", "of", "share"], gold)
        )
    return tables
