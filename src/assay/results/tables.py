"""Results and comparisons as tables, for people and for other libraries; what a comparison says in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.results.verdict import is_sure
from assay.show.escape import plain
from assay.show.numbers import Shown, interval, number, probability
from assay.show.tables import Cell, Column, Content, Table, score_cell

if TYPE_CHECKING:
    import polars

    from assay.results.comparison import Compared, Comparison
    from assay.results.result import Result

TEST = (Column("difference (95 %)"), Column("p"), Column("p adj"), Column("n"))


def result_table(result: Result, everything: bool = False) -> Table:
    """The numbers worth showing (or every one), under what they measure; below, what could not be computed and why."""
    rows: list[list[Content]] = []
    for name, score in result.scores.items():
        measurement, part = result.parts[name]
        if everything or name in result.shown:
            rows.append([name, measurement.metric.category, score_cell(score, part)])
    columns = [Column("metric", "left"), Column("measures", "left"), Column("value (95 %)" if result.ci else "value")]
    missing = [("skipped", each) for each in result.skipped] + [("failed", each) for each in result.failed]
    notes = [f"{how}: {each.metric}: {each.why}" for how, each in missing]
    return Table(columns, rows, f"{result.system} · {result.n} outputs", notes)


def comparison_table(comparison: Comparison) -> Table:
    """Two systems side by side, their difference and how sure it is."""
    columns = [Column("", "left"), *(Column(each.system, fold=True) for each in (comparison.a, comparison.b)), *TEST]
    rows: list[list[Content]] = []
    for name, row in comparison.items():
        part = comparison.a.parts[name][1]
        values = (Cell(number(value, part), value) for value in (row.a, row.b))
        rows.append([name, *values, *_tested(row, part)])
    return Table(columns, rows)


def comparisons_table(comparisons: Sequence[Comparison]) -> Table:
    """Metric after metric: the value of the first system, and below it all that are compared with it."""
    rows: list[list[Content]] = []
    for name in dict.fromkeys(name for comparison in comparisons for name in comparison):
        having = [comparison for comparison in comparisons if name in comparison]
        base, part = having[0].a, having[0].a.parts[name][1]
        first = having[0][name].a
        rows.append([name, base.system, Cell(number(first, part), first), *[""] * len(TEST)])
        for comparison in having:
            row = comparison[name]
            rows.append(["", comparison.b.system, Cell(number(row.b, part), row.b), *_tested(row, part)])
    return Table([Column("", "left"), Column("", "left", fold=True), Column("value"), *TEST], rows)


def _tested(row: Compared, part: Shown) -> list[Content]:
    sure = is_sure(row.p_adjusted)
    gap = f"{number(row.difference, part, signed=True)} {interval(row.low, row.high, part, signed=True)}".rstrip()
    adjusted = probability(row.p_adjusted) + (" *" if sure else "  ")  # digits stay below digits
    return [
        Cell(gap, row.difference, row.low, row.high, strong=sure, remark=row.why or ""),
        Cell(probability(row.p), row.p),
        Cell(adjusted, row.p_adjusted, strong=sure),
        row.n,
    ]


def conclusion(comparisons: Sequence[Comparison]) -> str:
    """The answer in one or two sentences."""
    tested = [(each, name, row) for each in comparisons for name, row in each.items() if row.p_adjusted is not None]
    several = len(comparisons) > 1
    sure = [
        f"{name} of {plain(each.b.system)}" if several else name
        for each, name, row in tested
        if is_sure(row.p_adjusted)
    ]
    names = len({name for _, name, _ in tested})
    over = f"{names} metric{'s' if names != 1 else ''}"
    if several:
        over = f"{len(tested)} differences ({over}, {len(comparisons)} systems)"
    if sure:
        said = "are" if several else "differ"
        listed = ", ".join(sure[:12]) + (f" and {len(sure) - 12} more" if len(sure) > 12 else "")
        return f"{len(sure)} of {over} {said} beyond chance after correction (marked *): {listed}."
    text = f"No difference survives correction over {over}."
    for each, name, row in tested:
        if row.items_needed and row.difference and row.items_needed > row.n and not several:
            gap = number(row.difference, each.a.parts[name][1], signed=True)
            return f"{text} To tell {gap} {name} from chance you would need about {row.items_needed:,} items."
    return text


def to_pandas(frame: polars.DataFrame) -> Any:
    """The same table for pandas, column by column: the way of polars itself would need pyarrow."""
    try:
        import pandas
    except ImportError:
        raise AssayError("to_pandas: pandas is not installed; pip install pandas, or use to_frame()") from None
    columns = {
        column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
        for column in frame.iter_columns()
    }
    return pandas.DataFrame(columns)
