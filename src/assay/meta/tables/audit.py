"""Tables of an audit: verdicts, changes of each metric, rank reversals, and position bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.meta.audit.report import Audit, ScoreChange, ShareRecord
from assay.results.verdict import ARROWS
from assay.show.numbers import DASH, interval, number, share
from assay.show.tables import Cell, Column, Content, Table

if TYPE_CHECKING:
    from assay.metrics import Part

BETTER, WORSE = "▲", "▽"
"""Marks of a significant change for the better or worse."""
MOST_FLIPS = 20
"""Maximum number of rank reversals in the table."""


def audit_tables(audit: Audit, intervals: bool = False) -> list[Table]:
    """Return the tables of an audit.

    Args:
        audit: The audit.
        intervals: Show confidence intervals of changes.
    """
    tables = [_verdicts(audit), *(_changes(audit, system, intervals) for system in audit.systems)]
    if any(flip.metric in audit.shown for flip in audit.flips):
        tables.append(_flips(audit))
    if audit.positions:
        tables.append(_positions(audit))
    return tables


def _verdicts(audit: Audit) -> Table:
    rows: list[list[Content]] = [[verdict.label, verdict.line] for verdict in audit.verdicts]
    what = f"{audit.n} items, {audit.repeats} repeat{'s' if audit.repeats > 1 else ''}, seed {audit.seed}"
    notes = [
        "Significance: confidence intervals of paired differences with Bonferroni correction over all cells of a "
        "metric. Missed: the change is shown to be below 1 % of the metric's range per changed output; otherwise "
        "the audit cannot say.",
    ]
    return Table([Column("", "left"), Column("verdict", "left", fold=True)], rows, f"Audit · {what}", notes)


def _changes(audit: Audit, system: str, intervals: bool) -> Table:
    top = audit.strengths[-1]
    rows_of: dict[str, dict[str, ScoreChange]] = {}
    for row in audit.of(system=system, strength=top):
        rows_of.setdefault(row.manipulation, {})[row.metric] = row
    columns = [Column("", "left"), Column("changed")]
    for name in audit.shown:
        label, part = audit.parts[name]
        columns.append(Column(label, sign=ARROWS[part.better or part.taken_for]))
    first = next(iter(rows_of.values()))
    before: list[Content] = ["unchanged", None]
    before += [Cell(number(first[name].before, audit.parts[name][1]), first[name].before) for name in audit.shown]
    rows = [before]
    for manipulation, own in rows_of.items():
        changed = next(iter(own.values())).changed
        rows.append([manipulation, share(changed), *(_cell(own[n], audit.parts[n][1], intervals) for n in audit.shown)])
    notes = [f"{BETTER} significantly better, {WORSE} significantly worse; others not significant."]
    return Table(columns, rows, f"{system} · change at {top} %", notes)


def _cell(row: ScoreChange, part: Part, intervals: bool) -> Content:
    if row.change is None or row.before is None:
        return Cell(DASH, remark=row.why or "")
    low, high = (None if end is None else end - row.before for end in (row.low, row.high))
    text = number(row.change, part, signed=True)
    if intervals:
        text = f"{text} {interval(low, high, part, signed=True)}".rstrip()
    sign = BETTER if row.gained else WORSE if row.fell else " "
    return Cell(f"{text} {sign}", row.change, low, high, strong=row.raised_by_worse, remark=row.why or "")


def _flips(audit: Audit) -> Table:
    shown = (flip for flip in audit.flips if flip.metric in audit.shown)
    ordered = sorted(shown, key=lambda flip: (not flip.sure, flip.strength))
    rows: list[list[Content]] = []
    for flip in ordered[:MOST_FLIPS]:
        label, part = audit.parts[flip.metric]
        values = (Cell(number(value, part), value) for value in (flip.before, flip.after, flip.other))
        significant = "yes" if flip.sure else "no"
        rows.append(
            [label, flip.system, f"{flip.manipulation} {flip.strength} %", flip.overtakes, *values, significant]
        )
    left = len(ordered) - len(rows)
    notes = [f"{left} more in --json"] if left else []
    columns = [
        Column("", "left"), Column("system", "left", fold=True), Column("with", "left"),
        Column("overtakes", "left", fold=True), Column("before"), Column("after"), Column("other"),
        Column("significant", "left"),
    ]  # fmt: skip
    return Table(columns, rows, "Rank reversals", notes)


def _positions(audit: Audit) -> Table:
    def shown(value: ShareRecord) -> Content:
        if value["value"] is None or value["low"] is None or value["high"] is None:
            return None
        ends = f"[{share(value['low'])}, {share(value['high'])}]"
        return Cell(f"{share(value['value'])} {ends}", value["value"], value["low"], value["high"])

    rows: list[list[Content]] = [
        [f"{each['a']} / {each['b']}", each["n"], shown(each["consistent"]), shown(each["first_where_not"]),
         f"{each['prefers_a']} / {each['prefers_b']} / {each['equal']}", each["unread"]]
        for each in audit.positions
    ]  # fmt: skip
    headings = ["", "pairs", "consistent when swapped", "otherwise first position", "A / B / equal", "unparsed"]
    return Table.of("Position bias of the pairwise judge (both orders)", headings, rows)
