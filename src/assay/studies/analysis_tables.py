"""An analysis for people."""

from __future__ import annotations

from collections.abc import Sequence

from assay.meta.tables.judgements import judgement_tables
from assay.show.numbers import fixed, probability, share, span
from assay.show.tables import Cell, Content, Table
from assay.studies.analysis import Analysis, CriterionAnalysis

Rows = list[Sequence[Content]]


def analysis_tables(found: Analysis) -> list[Table]:
    tables = [table for each in found.criteria for table in criterion_tables(each)]
    if found.methods:
        rows: Rows = [
            [
                f"{pair.criterion}: {pair.a} - {pair.b}",
                *(f"{name} {gap:+.3g} (p {probability(p)})" for name, gap, p in
                  zip(pair.methods, pair.differences, pair.p, strict=True)),
                pair.verdict,
            ]
            for pair in found.methods
        ]  # fmt: skip
        tables.append(Table.of("Methods compared", ["systems", "one", "other", "verdict"], rows))
    return tables


def criterion_tables(each: CriterionAnalysis) -> list[Table]:
    tables = judgement_tables(each.agreement, each.ranks or None, None, each.model) if each.agreement else []
    if each.rates:
        rows: Rows = [
            [r.system, r.value, r.count, Cell(share(r.share), r.share, r.low, r.high), span(r.low, r.high)]
            for r in each.rates
        ]
        tables.append(Table.of(f"{each.name} · what most say", ["system", "answer", "texts", "share", "95 %"], rows))
    if each.minority:
        minority: Rows = [[most, other, count] for (most, other), count in sorted(each.minority.items())]
        tables.append(Table.of(f"{each.name} · minority votes", ["majority", "vote", "times"], minority))
    known = [effect for effect in each.effects if effect.slope is not None]
    if known:
        effects: Rows = [
            [e.name, Cell(fixed(e.slope), e.slope, e.low, e.high), span(e.low, e.high), probability(e.p), e.n, e.why]
            for e in known
        ]
        heads = ["with", "change", "95 %", "p", "answers", ""]
        tables.append(Table.of(f"{each.name} · order and fatigue", heads, effects))
    if each.perception:
        matrix: Rows = [
            [row.system, row.items, share(1 - row.share), share(row.share), span(row.low, row.high), fixed(row.mean, 2)]
            for row in each.perception
        ]
        heads = ["source", "items", "taken for machine", "for human", "95 %", "mean"]
        tables.append(Table.of(f"{each.name} · who seems to have written it", heads, matrix))
    if each.gold:
        gold: Rows = [
            [name, right, of, share(right / of) if of else None]
            for part in ("models", "annotators")
            for name, (right, of) in each.gold[part].items()
        ]
        tables.append(Table.of(f"{each.name} · against the gold standard", ["", "right", "of", "share"], gold))
    return tables
