"""Power as tables: of a paired comparison, of a human study, of a correlation."""

from __future__ import annotations

from collections.abc import Sequence

from assay.meta.power import PowerRow, StudyPower
from assay.meta.sources import Sources
from assay.show.numbers import DASH, count, rounded, share
from assay.show.tables import Cell, Column, Content, Table

OPTIMISTIC = (
    "* the effect is the observed difference, and the items needed for it are optimistic: a difference that drew "
    "attention is larger than the truth on average. Ask for the one that matters with --effect."
)


def power_table(rows: Sequence[PowerRow], power: float) -> Table:
    """A row a metric: what can be seen now, and what it would take; numbers as other tables show the metric."""
    headings = (
        "", "items", "difference", "sd", "effect", "power now", f"visible at {share(power)}", "items needed", "more",
    )  # fmt: skip
    shown: list[list[Content]] = [
        [
            row.metric,
            _whole(row.n),
            _scaled(row.difference, row.scale),
            _scaled(row.sd, row.scale),
            _scaled(row.effect, row.scale, " *" if row.effect_from == "observed" else ""),
            Cell(share(row.power), row.power),
            _scaled(row.detectable, row.scale),
            _whole(row.items_needed),
            _whole(row.more_items),
        ]
        for row in rows
    ]
    columns = [Column(name, "right" if place else "left") for place, name in enumerate(headings)]
    observed = any(row.effect_from == "observed" and row.items_needed is not None for row in rows)
    return Table(columns, shown, "Paired comparison", [OPTIMISTIC] if observed else [])


def sources_tables(title: str, sources: Sources, power: float, scale: float = 1.0) -> list[Table]:
    """Where the doubt about a difference comes from, and what less of it would cost."""
    parts = (
        ("items", sources.plan.items, sources.sd_items, sources.share_items),
        (f"{sources.kind}s", sources.plan.sources, sources.sd_sources, sources.share_sources),
        ("rest", sources.plan.items * sources.plan.each, sources.sd_rest, sources.share_rest),
    )
    doubt: list[list[Content]] = [
        [name, count(levels), _scaled(sd, scale), Cell(share(part), part)] for name, levels, sd, part in parts
    ]
    headings = [
        "",
        "items",
        f"{sources.kind}s",
        "per item",
        "cost",
        "standard error",
        f"visible at {share(power)}",
        "power",
    ]
    bought: list[list[Content]] = [
        [
            _label(each.name, sources.kind),
            _whole(each.plan.items),
            _whole(each.plan.sources),
            _whole(each.plan.each),
            each.cost if each.cost else DASH,
            _scaled(each.error, scale),
            _scaled(each.visible, scale),
            Cell(share(each.power), each.power),
        ]
        for each in sources.outlooks
    ]
    return [
        Table.of(f"{title} · where the doubt comes from", ["source", "seen", "sd", "share of doubt"], doubt),
        Table.of(f"{title} · what to buy next", headings, bought),
    ]


def _label(name: str, kind: str) -> str:
    named = {
        "items": "all on items",
        "sources": f"all on {kind}s",
        "looks": "all on judgements per item",
        "best": "best mixture",
        "twice the sources": f"twice the {kind}s",
        "twice the looks": "twice the judgements per item",
    }
    return named.get(name, name)


def _scaled(value: float | None, scale: float, mark: str = "") -> Cell:
    return Cell(rounded(None if value is None else value * scale) + mark, value)


def study_table(study: StudyPower, power: float) -> Table:
    """What a study of people has shown, and how many items or judgements would show more."""
    plan, row = study.plan, study.row
    per_item = "no number is enough: add items" if plan.per_item is None else str(plan.per_item)
    rows: list[list[Content]] = [
        ["items", study.items],
        ["judgements (pairs by one judge)", study.judgements],
        ["difference", study.difference],
        [f"effect {row.effect_from}", row.effect],
        ["sd between items", study.sd_items],
        ["sd between judges", study.sd_judges],
        ["power now", Cell(share(row.power), row.power)],
        [f"visible at {share(power)}", row.detectable],
        ["items needed, as many judges", _whole(row.items_needed)],
        ["judgements per item, same items", per_item],
        ["judgements in all", _whole(plan.total)],
    ]
    return Table.of("Human study", ["", "value"], rows)


def correlation_table(r: float, against: float, needed: int) -> Table:
    """Items that tell two correlations apart."""
    return Table.of("Items for a correlation", ["r", "against", "items"], [[rounded(r), against, _whole(needed)]])


def _whole(number: int | None) -> Cell:
    return Cell(count(number), number)
