"""Results and comparisons as tables, for people and for other libraries; what a comparison says in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError
from assay.results.verdict import is_sure, unsaid, within_margin
from assay.show.escape import plain
from assay.show.numbers import Shown, counted, interval, number, probability, share
from assay.show.tables import Cell, Column, Content, Table, score_cell

if TYPE_CHECKING:
    import polars

    from assay.results.comparison import Compared, Comparison
    from assay.results.pairs import Standings
    from assay.results.result import Result
    from assay.results.selfcheck import SelfCheck

TEST = (Column("difference (95 %)"), Column("p"), Column("p adj"), Column("n"))


def result_table(result: Result, everything: bool = False) -> Table:
    """The numbers worth showing (or every one), under what they measure; below, what could not be computed and why."""
    rows: list[list[Content]] = []
    for name, score in result.scores.items():
        measurement, part = result.parts[name]
        if everything or name in result.shown:
            rows.append([score.label, measurement.metric.category, score_cell(score, part)])
    columns = [Column("metric", "left"), Column("measures", "left"), Column("value (95 %)" if result.ci else "value")]
    missing = [("skipped", each) for each in result.skipped] + [("failed", each) for each in result.failed]
    notes = [f"{how}: {each.metric}: {each.why}" for how, each in missing]
    return Table(columns, rows, f"{result.system} · {counted(result.n, 'output')}", notes)


def comparison_table(comparison: Comparison) -> Table:
    """Two systems side by side, their difference and how sure it is."""
    columns = [Column("", "left"), *(Column(each.system, fold=True) for each in (comparison.a, comparison.b)), *TEST]
    rows: list[list[Content]] = []
    for name, row in comparison.items():
        part = comparison.a.parts[name][1]
        values = (Cell(number(value, part), value) for value in (row.a, row.b))
        rows.append([row.label, *values, *_tested(row, part)])
    return Table(columns, rows)


def comparisons_table(comparisons: Sequence[Comparison]) -> Table:
    """Metric after metric: the value of the first system, and below it all that are compared with it."""
    rows: list[list[Content]] = []
    for name in dict.fromkeys(name for comparison in comparisons for name in comparison):
        having = [comparison for comparison in comparisons if name in comparison]
        base, part = having[0].a, having[0].a.parts[name][1]
        first = having[0][name].a
        rows.append([having[0][name].label, base.system, Cell(number(first, part), first), *[""] * len(TEST)])
        for comparison in having:
            row = comparison[name]
            rows.append(["", comparison.b.system, Cell(number(row.b, part), row.b), *_tested(row, part)])
    return Table([Column("", "left"), Column("", "left", fold=True), Column("value"), *TEST], rows)


def _tested(row: Compared, part: Shown) -> list[Content]:
    sure = is_sure(row.p_adjusted)
    gap = f"{number(row.difference, part, signed=True)} {interval(row.low, row.high, part, signed=True)}".rstrip()
    adjusted = probability(row.p_adjusted, row.floor) + (" *" if sure else "  ")  # digits stay below digits
    return [
        Cell(gap, row.difference, row.low, row.high, strong=sure, remark=row.why or ""),
        Cell(probability(row.p, row.floor), row.p),
        Cell(adjusted, row.p_adjusted, strong=sure),
        row.n,
    ]


def conclusion(comparisons: Sequence[Comparison]) -> str:
    """The answer in a sentence or two."""
    tested = [(each, name, row) for each in comparisons for name, row in each.items() if row.p_adjusted is not None]
    several = len(comparisons) > 1
    sure = [
        f"{row.label} of {plain(each.b.system)}" if several else row.label
        for each, _, row in tested
        if is_sure(row.p_adjusted)
    ]
    names = len({name for _, name, _ in tested})
    over = f"{names} metric{'s' if names != 1 else ''}"
    if several:
        over = f"{len(tested)} differences ({over}, {len(comparisons)} systems)"
    unsaid_of = [
        f"{words[0].upper()}{words[1:]}."
        for each in comparisons
        for words in unsaid(each.apart, plain(each.b.system) if several else "")
    ]
    if not tested and unsaid_of:
        return " ".join(unsaid_of)
    if sure:
        verbs = ("is", "are") if several else ("differs", "differ")
        said = verbs[len(sure) > 1]
        listed = ", ".join(sure[:12]) + (f" and {len(sure) - 12} more" if len(sure) > 12 else "")
        text = f"{len(sure)} of {over} {said} beyond chance after correction (marked *): {listed}."
    else:
        text = f"No difference survives correction over {over}.{_at_best(tested) if not several else ''}"
    return " ".join([text, *about_margins(comparisons), *unsaid_of])


def about_margins(comparisons: Sequence[Comparison]) -> list[str]:
    """What margins and chances allow to say, a sentence each."""
    several = len(comparisons) > 1
    tested = [(each, name, row) for each in comparisons for name, row in each.items() if row.p_adjusted is not None]
    within = [
        f"{row.label}{f' of {plain(each.b.system)}' if several else ''}: {words}"
        for each, name, row in tested
        if (words := within_margin(row, number(row.margin, each.a.parts[name][1])))
    ]
    chances = [
        f"{row.label}{f' of {plain(each.b.system)}' if several else ''}: {_chances(each, row)}"
        for each in comparisons
        for row in each.values()
        if row.chances
    ]
    return [f"{each}." for each in (*within, *chances)]


def _chances(comparison: Comparison, row: Compared) -> str:
    """`better with 97 %, equal within the margin with 2 %`."""
    first, equal, second = row.chances or (0.0, 0.0, 0.0)
    side, chance = (comparison.b.system, second) if second >= first else (comparison.a.system, first)
    inside = f", equal within the margin with {share(equal)}" if row.margin is not None else ""
    return f"{plain(side)} is better with {share(chance)}{inside}"


def procedure(comparisons: Sequence[Comparison]) -> str:
    """By which test, and corrected over which others, in a sentence."""
    words = max((each.how for each in comparisons), key=lambda how: how.tests).words()
    return f"{words[0].upper()}{words[1:]}."


def standings_table(standings: Standings, first: Result) -> Table:
    """Number after number the systems in order, which places each may have, and the groups that are not told apart."""
    rows: list[list[Content]] = []
    for name, standing in standings.by_name.items():
        label, part = first.labels[name], first.parts[name][1]
        for place, system in enumerate(standing.systems):
            best, worst = standing.places[system]
            letters = [chr(ord("a") + i % 26) for i, group in enumerate(standing.groups) if system in group]
            value = standing.values[place]
            places = str(best) if best == worst else f"{best}-{worst}"
            record = "/".join(map(str, standing.record(system)))
            cell = Cell(number(value, part), value)
            rows.append(["" if place else label, system, cell, places, record, " ".join(letters)])
    columns = [
        Column("", "left"),
        Column("", "left", fold=True),
        Column("value"),
        Column("place"),
        Column("won/tied/lost"),
        Column("group", "left"),
    ]
    notes = [
        "Systems that share a letter are not told apart; place is where each may stand (95 %, all pairs together); "
        "won, tied and lost count the systems it is told apart from, or not.",
        f"({standings.method[0].upper()}{standings.method[1:]}.)",
        *(f"{first.labels.get(name, name)}: {why}" for name, why in standings.left_out.items()),
    ]
    return Table(columns, rows, "All pairs", notes)


def selfcheck_table(checked: SelfCheck) -> Table:
    """How often each number was called different where nothing was."""
    rows: list[list[Content]] = [
        [name, Cell(share(each.share, 1), each.share), f"[{share(each.low, 1)}, {share(each.high, 1)}]", each.draws]
        for name, each in [*checked.by_name.items(), ("any, after Holm's correction", checked.any_after_correction)]
    ]
    columns = [Column("", "left"), Column("rejected at .05"), Column("95 %"), Column("draws")]
    return Table(columns, rows)


def selfcheck_conclusion(checked: SelfCheck) -> str:
    """The answer in a sentence."""
    all_of_them = list(checked.by_name.values())
    rejected, draws = sum(each.rejected for each in all_of_them), sum(each.draws for each in all_of_them)
    much = [name for name, each in checked.by_name.items() if not each.kept]
    worst = max(checked.by_name, key=lambda name: checked.by_name[name].share)
    said = f"On your data this test rejected {share(rejected / draws, 1)} at .05 where nothing differs"
    said += f" (most: {worst} {share(checked.by_name[worst].share, 1)})"
    verdict = f"it rejects too much on {', '.join(much)}" if much else "it keeps its level"
    return f"{said}: {verdict}. ({checked.test[0].upper()}{checked.test[1:]}.)"


def _at_best(tested: Sequence[tuple[Comparison, str, Compared]]) -> str:
    """How many items it might take, of the first number of which that can be said."""
    for each, name, row in tested:
        if row.items_needed and row.difference and row.items_needed > row.n:
            gap = number(row.difference, each.a.parts[name][1], signed=True)
            items = f"you would need about {row.items_needed:,} items, if it is as large as it looks here"
            return f" To tell {gap} {row.label} from chance {items}."
    return ""


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
