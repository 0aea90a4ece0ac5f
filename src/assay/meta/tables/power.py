"""Tables of statistical power: paired comparison, human study, correlation."""

from __future__ import annotations

from collections.abc import Sequence

from assay.meta.power import PowerRow, StudyPower
from assay.meta.variance_sources import VarianceSources
from assay.show.numbers import DASH, count, rounded, share
from assay.show.tables import Cell, Column, Content, Table

OPTIMISTIC = (
    "* Effect: the observed difference. The number of items is optimistic, as observed differences overestimate the "
    "true ones on average. Give the smallest relevant difference with --effect."
)


def power_table(rows: Sequence[PowerRow], power: float, notes: Sequence[str] = ()) -> Table:
    """Return a row for each metric: power, detectable difference, and items needed, on the scale of tables."""
    headings = (
        "", "items", "difference", "sd", "effect", "power", f"detectable at {share(power)}", "items needed", "more",
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
    return Table(columns, shown, "Paired comparison", [*([OPTIMISTIC] if observed else []), *notes])


def sources_tables(title: str, sources: VarianceSources, power: float, scale: float = 1.0) -> list[Table]:
    """Return the variance components of a difference, and the power of larger designs."""
    parts = (
        ("items", sources.plan.items, sources.sd_items, sources.share_items),
        (f"{sources.kind}s", sources.plan.sources, sources.sd_sources, sources.share_sources),
        ("rest", sources.plan.items * sources.plan.each, sources.sd_rest, sources.share_rest),
    )
    components: list[list[Content]] = [
        [name, count(levels), _scaled(sd, scale), Cell(share(part), part)] for name, levels, sd, part in parts
    ]
    headings = [
        "",
        "items",
        f"{sources.kind}s",
        "per item",
        "cost",
        "standard error",
        f"detectable at {share(power)}",
        "power",
    ]
    options: list[list[Content]] = [
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
        Table.of(f"{title} · variance components", ["source", "levels", "sd", "share of variance"], components),
        Table.of(f"{title} · larger designs", headings, options),
    ]


def _label(name: str, kind: str) -> str:
    named = {
        "items": "all for items",
        "sources": f"all for {kind}s",
        "looks": "all for judgements per item",
        "best": "best allocation",
        "twice the sources": f"twice the {kind}s",
        "twice the looks": "twice the judgements per item",
    }
    return named.get(name, name)


def _scaled(value: float | None, scale: float, mark: str = "") -> Cell:
    return Cell(rounded(None if value is None else value * scale) + mark, value)


def study_table(study: StudyPower, power: float) -> Table:
    """Return the power of a human study, and the items or judgements it needs."""
    plan, row = study.plan, study.row
    per_item = "not reachable: add items" if plan.per_item is None else str(plan.per_item)
    rows: list[list[Content]] = [
        ["items", study.items],
        ["judgements (pairs by one annotator)", study.judgements],
        ["difference", study.difference],
        [f"effect ({row.effect_from})", row.effect],
        ["sd between items", study.sd_items],
        ["sd between annotators", study.sd_judges],
        ["power", Cell(share(row.power), row.power)],
        [f"detectable at {share(power)}", row.detectable],
        ["items needed, same annotators", _whole(row.items_needed)],
        ["judgements per item, same items", per_item],
        ["judgements in total", _whole(plan.total)],
    ]
    return Table.of("Human study", ["", "value"], rows)


def correlation_table(r: float, against: float, needed: int) -> Table:
    """Return the number of items that detect a difference of two correlations."""
    return Table.of("Items for a correlation", ["r", "against", "items"], [[rounded(r), against, _whole(needed)]])


def _whole(number: int | None) -> Cell:
    return Cell(count(number), number)
