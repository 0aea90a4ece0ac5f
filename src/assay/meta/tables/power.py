"""Power as tables: of a paired comparison, of a human study, of a correlation."""

from __future__ import annotations

from collections.abc import Sequence

from assay.meta.power import PowerRow, StudyPower
from assay.show.numbers import count, rounded, share
from assay.show.tables import Cell, Content, Table


def power_table(rows: Sequence[PowerRow], power: float) -> Table:
    """A row a metric: what can be seen now, and what it would take."""
    headings = (
        "", "items", "difference", "sd", "effect", "power now", f"visible at {share(power)}", "items needed", "more",
    )  # fmt: skip
    shown: list[list[Content]] = [
        [
            row.metric,
            _whole(row.n),
            row.difference,
            row.sd,
            row.effect,
            Cell(share(row.power), row.power),
            row.detectable,
            _whole(row.items_needed),
            _whole(row.more_items),
        ]
        for row in rows
    ]
    return Table.of("Paired comparison", headings, shown)


def study_table(study: StudyPower, power: float) -> Table:
    """What a study of people has shown, and how many items or judgements would show more."""
    plan, row = study.plan, study.row
    per_item = "no number is enough: add items" if plan.per_item is None else str(plan.per_item)
    rows: list[list[Content]] = [
        ["items", study.items],
        ["judgements (pairs by one judge)", study.judgements],
        ["difference", study.difference],
        ["effect asked for", row.effect],
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
