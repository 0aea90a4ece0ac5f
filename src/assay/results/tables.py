"""Results, comparisons, rankings and null tests as tables, and as pandas data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.results.pooled_subsets import pooled_differences
from assay.results.verdict import is_significant
from assay.show.numbers import Shown, counted, interval, number, probability, share
from assay.show.tables import Cell, Column, Content, Table, score_cell

if TYPE_CHECKING:
    import polars

    from assay.results.comparison import Compared, Comparison
    from assay.results.dependence import Diagnosis
    from assay.results.null_test import NullTest
    from assay.results.rankings import Rankings
    from assay.results.result import Result

TEST = (Column("difference [95 % CI]"), Column("p"), Column("adjusted p"), Column("n"))


def result_table(result: Result, everything: bool = False) -> Table:
    """Return the scores of one system, with skipped and failed metrics as notes.

    Args:
        result: The scored system.
        everything: Include the parts of metrics that tables usually leave out.
    """
    rows: list[list[Content]] = []
    for name, score in result.scores.items():
        measurement, part = result.parts[name]
        if everything or name in result.shown:
            rows.append([score.label, measurement.metric.category, score_cell(score, part)])
    heading = "score [95 % CI]" if result.ci else "score"
    columns = [Column("metric", "left"), Column("category", "left"), Column(heading)]
    missing = [("skipped", each) for each in result.skipped] + [("failed", each) for each in result.failed]
    notes = [f"{how}: {each.metric}: {each.why}" for how, each in missing]
    title = f"{result.system} · {counted(result.n, 'output')}"
    if result.ci and result.clusters_by:
        title += f" · {result.units:,} clusters by {result.clusters_by}"
    return Table(columns, rows, title, notes)


def comparison_table(comparison: Comparison) -> Table:
    """Return a row for each metric: both scores, their difference, p and adjusted p."""
    columns = [Column("", "left"), *(Column(each.system, fold=True) for each in (comparison.a, comparison.b)), *TEST]
    rows: list[list[Content]] = []
    for name, row in comparison.items():
        part = comparison.a.parts[name][1]
        values = (Cell(number(value, part), value) for value in (row.a, row.b))
        rows.append([row.label, *values, *_test_cells(row, part)])
    return Table(columns, rows)


def comparisons_table(comparisons: Sequence[Comparison]) -> Table:
    """Return, for each metric, the score of the first system followed by every system compared with it."""
    rows: list[list[Content]] = []
    for name in dict.fromkeys(name for comparison in comparisons for name in comparison):
        having = [comparison for comparison in comparisons if name in comparison]
        base, part = having[0].a, having[0].a.parts[name][1]
        first = having[0][name].a
        rows.append([having[0][name].label, base.system, Cell(number(first, part), first), *[""] * len(TEST)])
        for comparison in having:
            row = comparison[name]
            rows.append(["", comparison.b.system, Cell(number(row.b, part), row.b), *_test_cells(row, part)])
    return Table([Column("", "left"), Column("", "left", fold=True), Column("score"), *TEST], rows)


def pooled_table(comparisons: Mapping[str, Comparison]) -> Table | None:
    """Return the differences of two systems on subsets next to their partially pooled estimates; None if too few.

    Args:
        comparisons: The comparison of the same two systems on each subset.
    """
    rows: list[list[Content]] = []
    for name, subsets in pooled_differences(comparisons).items():
        for place, (subset, each) in enumerate(subsets.items()):
            row, part = each.row, comparisons[subset].a.parts[name][1]
            shown = f"{number(each.pooled, part, signed=True)} {interval(each.low, each.high, part, signed=True)}"
            difference = Cell(number(row.difference, part, signed=True), row.difference)
            cell = Cell(shown, each.pooled, each.low, each.high)
            rows.append(["" if place else row.label, subset, row.n, difference, cell])
    columns = [
        Column("", "left"), Column("", "left", fold=True), Column("n"), Column("difference"),
        Column("pooled [95 % CI]"),
    ]  # fmt: skip
    notes = [
        "Partial pooling: differences of small subsets are mostly noise and are drawn towards the mean of all subsets. "
        "Report these estimates; p above is corrected over all subsets."
    ]
    return Table(columns, rows, "Pooled over subsets", notes) if rows else None


def explanation_table(comparison: Comparison) -> Table:
    """Return, for each metric, the parts of the difference and the share of each."""
    rows: list[list[Content]] = []
    for name, explanation in comparison.explanation.items():
        part, label = comparison.a.parts[name][1], comparison[name].label
        for what, each in (*explanation.parts.items(), ("unexplained", explanation.unexplained)):
            shown = (
                f"{number(each.value, part, signed=True)} {interval(each.low, each.high, part, signed=True)}".rstrip()
            )
            mark = " *" if each.excludes_zero else "  "
            cell = Cell(shown + mark, each.value, each.low, each.high, strong=each.excludes_zero)
            rows.append(
                [label, what, cell, share(each.value / explanation.difference) if explanation.difference else ""]
            )
            label = ""
    return Table(
        [Column("", "left"), Column("associated with", "left"), Column("difference [95 % CI]"), Column("share")],
        rows,
        f"{comparison.b.system} - {comparison.a.system}",
        [
            f"{first} and {second} change in the same items (correlation {correlation:.2f}): their parts cannot be "
            "separated."
            for first, second, correlation in next(iter(comparison.explanation.values())).together
        ],
    )


def _test_cells(row: Compared, part: Shown) -> list[Content]:
    significant = is_significant(row.p_adjusted)
    shown = f"{number(row.difference, part, signed=True)} {interval(row.low, row.high, part, signed=True)}".rstrip()
    adjusted = probability(row.p_adjusted, row.floor) + (" *" if significant else "  ")  # keeps digits aligned
    return [
        Cell(shown, row.difference, row.low, row.high, strong=significant, remark=row.why or ""),
        Cell(probability(row.p, row.floor), row.p),
        Cell(adjusted, row.p_adjusted, strong=significant),
        row.n,
    ]


def rankings_table(rankings: Rankings, first: Result) -> Table:
    """Return, for each metric, the systems in order with their possible ranks and groups.

    Args:
        rankings: The rankings of all pairs.
        first: Any of the ranked results; it has the labels and formats of the metrics.
    """
    rows: list[list[Content]] = []
    for name, ranking in rankings.by_name.items():
        label, part = first.labels[name], first.parts[name][1]
        for place, system in enumerate(ranking.systems):
            best, worst = ranking.rank_ranges[system]
            letters = [chr(ord("a") + i % 26) for i, group in enumerate(ranking.groups) if system in group]
            value = ranking.values[place]
            ranks = str(best) if best == worst else f"{best}-{worst}"
            record = "/".join(map(str, ranking.record(system)))
            cell = Cell(number(value, part), value)
            rows.append(["" if place else label, system, cell, ranks, record, " ".join(letters)])
    columns = [
        Column("", "left"),
        Column("", "left", fold=True),
        Column("score"),
        Column("rank"),
        Column("won/tied/lost"),
        Column("group", "left"),
    ]
    notes = [
        "Systems that share a letter are not significantly different. rank: possible ranks (95 % confidence, "
        "simultaneous over all pairs). won/tied/lost: systems that are significantly worse, not significantly "
        "different, significantly better.",
        f"({rankings.method[0].upper()}{rankings.method[1:]}.)",
        *(f"{first.labels.get(name, name)}: {why}" for name, why in rankings.left_out.items()),
    ]
    return Table(columns, rows, "All pairs", notes)


def null_test_table(checked: NullTest) -> Table:
    """Return the false-positive rate of each metric, with and without clusters if items depend on each other."""
    if checked.with_clusters:
        return _with_and_without(checked)
    rows: list[list[Content]] = [
        [name, Cell(share(each.share, 1), each.share), f"[{share(each.low, 1)}, {share(each.high, 1)}]", each.draws]
        for name, each in [*checked.by_name.items(), ("any, after correction", checked.any_after_correction)]
    ]
    columns = [Column("", "left"), Column("rejected at .05"), Column("95 % CI"), Column("simulations")]
    return Table(columns, rows)


def _with_and_without(checked: NullTest) -> Table:
    rows: list[list[Content]] = []
    for name, inside in checked.with_clusters.items():
        rates = (inside, checked.without_clusters.get(name, inside))
        cells = [Cell(f"{share(one.share, 1)} [{share(one.low, 1)}, {share(one.high, 1)}]", one.share) for one in rates]
        rows.append([name, *cells, inside.draws])
    columns = [
        Column("", "left"),
        Column(f"{checked.clusters:,} clusters by {checked.cluster}"),
        Column("without clusters"),
        Column("simulations"),
    ]
    return Table(columns, rows, "Rejected at .05 [95 % CI]")


def dependence_table(diagnoses: Sequence[Diagnosis]) -> Table:
    """Return the groupings that were examined for dependence, with the metric on which items of a group agree most."""
    headings = ("groups", "items each", "ICC", "design effect", "effective n", "p")
    rows: list[list[Content]] = [
        [
            each.field, each.groups, f"{each.items_per_group:.1f}", f"{each.icc:.2f}",
            Cell(f"{each.design_effect:.1f}", each.design_effect, strong=each.alike), f"{each.effective_n:.0f}",
            probability(each.p), each.metric,
        ]
        for each in diagnoses
    ]  # fmt: skip
    columns = [Column("shared by items", "left"), *map(Column, headings), Column("on", "left")]
    notes = [
        "Intraclass correlation (ICC) of differences between items that share something; p of a permutation test, "
        "corrected for the number of rows."
    ]
    if tags := [each.field for each in diagnoses if each.alike and not each.origin]:
        notes.append(
            f"Differences vary with {', '.join(tags)}. If conclusions are to hold for other values than these, use "
            f"--cluster {tags[0]}."
        )
    return Table(columns, rows, "Dependence", notes)


def to_pandas(frame: polars.DataFrame) -> Any:
    """Convert a polars data frame to pandas, column by column: polars' own conversion requires pyarrow.

    Raises:
        AssayError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise AssayError("to_pandas: pandas is not installed. Run pip install pandas, or use to_frame().") from None
    columns = {
        column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list()
        for column in frame.iter_columns()
    }
    return pandas.DataFrame(columns)
