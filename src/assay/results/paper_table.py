"""The table of a paper: systems as rows, numbers as columns, the best in bold, and who is not told apart from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from assay.errors import AssayError
from assay.results.comparable import misgivings
from assay.results.compare import Asked
from assay.results.pairs import Standings, on_common_items, why_not_tested
from assay.results.result import Result
from assay.results.tabled import TabledSet, notes_on, signatures_of
from assay.results.together import Together
from assay.results.verdict import Family
from assay.show.tables import Column, Content, Form, Table, write
from assay.stats.interval import check_resampling

FEWEST = 6
"""Items (or clusters) whose swaps can give a p below the level; with 5 it is .06 at best."""
WHOLE = "all"
"""The name of a whole set beside its subsets."""
Systems = Sequence[Result] | Mapping[str, Result]
Given = Systems | Mapping[str, Systems]
"""Results of one set of items, or of several by name."""


@dataclass(frozen=True)
class PaperTable:
    """Sets of items side by side. It prints as its table; `write` gives it as LaTeX, Markdown, HTML, CSV or text."""

    sets: Sequence[TabledSet]
    caption: str = ""
    label: str = ""
    sort: str | None = None
    extra: Sequence[str] = ()
    """Notes of whoever made it."""

    @cached_property
    def systems(self) -> list[str]:
        """The rows: as they were given, or the best of the number they are sorted by first."""
        names = list(dict.fromkeys(system for each in self.sets for system in each.results))
        if self.sort is None:
            return names
        held = next((each for each in self.sets if self.sort in each.numbers), None)
        if held is None:
            known = dict.fromkeys(name for each in self.sets for name in each.numbers)
            raise AssayError(f"sort={self.sort}: no such number is in the table; there are {', '.join(known)}")
        sign = 1 if held.part(self.sort).better == "lower" else -1
        values = {name: held.results[name].values.get(self.sort) for name in names if name in held.results}
        return sorted(names, key=lambda name: (values.get(name) is None, sign * (values.get(name) or 0.0)))

    @property
    def warnings(self) -> list[str]:
        """What a reader should know before believing it."""
        several = len(self.sets) > 1
        found: dict[str, list[str]] = {}
        for each in self.sets:
            for warning in each.warnings:
                found.setdefault(warning, []).append(each.name)
        return [
            f"{', '.join(names)}: {warning}" if several and any(names) else warning for warning, names in found.items()
        ]

    def table(self) -> Table:
        """All sets side by side."""
        grouped = len(self.sets) > 1
        columns = [Column("", "left")]
        for each in self.sets:
            group = (each.name or "all") if grouped else ""
            columns += each.columns(group)
        return self._of(self.sets, columns, self.caption or self._title(self.sets))

    def _of(self, sets: Sequence[TabledSet], columns: Sequence[Column], caption: str) -> Table:
        rows: list[list[Content]] = []
        for system in self.systems:
            if any(system in each.results for each in sets):
                rows.append([system, *(each.cell(name, system) for each in sets for name in each.numbers)])
        return Table(columns, rows, caption, [*notes_on(sets), *self.extra], signatures_of(sets), self.label)

    def _title(self, sets: Sequence[TabledSet]) -> str:
        systems = len({system for each in sets for system in each.results})
        counted = f"{systems} system{'' if systems == 1 else 's'}"
        names = dict.fromkeys(each.dataset for each in sets if each.dataset)
        return f"{counted} on {', '.join(names) or f'{sets[0].n:,} items'}"

    def write(self, form: Form, width: int | None = None, *, styled: bool = False) -> str:
        """In one of the forms. Text has one set below the other, as terminals are narrow; all else side by side."""
        if form != "text":
            made = self.table()
            if form == "latex":
                made = replace(made, comments=[r"needs \usepackage{booktabs}", *made.comments])
            return write(made, form)
        tables = []
        for each in self.sets:
            columns = [Column("", "left", fold=True), *each.columns()]
            title = " · ".join(word for word in (each.name, f"{each.n:,} items") if word)
            tables.append(self._of([each], columns, self.caption if len(self.sets) == 1 and self.caption else title))
        shared = notes_on(self.sets) + list(self.extra)
        tables = [replace(made, notes=shared if made is tables[-1] else ()) for made in tables]
        return "\n\n".join(write(made, "text", width, styled=styled) for made in tables)

    def to_dict(self) -> dict[str, Any]:
        """As `assay table --json` prints it."""
        return {
            "systems": self.systems,
            "sets": [
                {
                    "dataset": each.dataset or None,
                    "subset": each.subset or None,
                    "n": each.n,
                    "method": each.standings.method if each.standings else None,
                    "scores": {system: _scores(each, system) for system in each.results},
                    "groups": each.standings.to_dict()["groups"] if each.standings else {},
                    "left_out": dict(each.left_out),
                }
                for each in self.sets
            ],
            "notes": [*notes_on(self.sets), *self.extra],
            "signatures": signatures_of(self.sets),
            "warnings": self.warnings,
        }

    def __repr__(self) -> str:
        return self.write("text")

    def _repr_html_(self) -> str:
        return self.write("html")


def table(
    results: Given,
    *,
    by: str | Sequence[str] | None = None,
    ci: int = 0,
    seed: int = 0,
    samples: int | None = None,
    cluster: str | None = None,
    family: Family = "all",
    sort: str | None = None,
    caption: str = "",
    label: str = "",
) -> PaperTable:
    """The table of a paper: the best of every column in bold, and marked who is not told apart from it.

    `results` are those of `assay.score_all`, a list of them, or several sets of items by name (a folder of `assay.run`
    is one), which stand side by side. `by` names properties whose values get columns of their own. `ci` resamples give
    every value an interval. Systems are tested on the items that all have, as `assay.compare_pairs` does it with
    `samples`, `seed` and `cluster`, corrected over all tests of each set of items, or another `family` of them. `sort`
    orders the systems by a number; `caption` and `label` are for a document. `write("latex")` gives the source.

    >>> outputs = {"a": ["the cat sat on it"] * 12, "b": ["a dog"] * 12}
    >>> made = assay.table(assay.score_all(outputs, ["the cat sat on it"] * 12, metrics="rouge1"))
    >>> made.sets[0].verdict("rouge1", "a"), made.sets[0].verdict("rouge1", "b")
    ('best', 'behind')
    >>> print(made.write("markdown").splitlines()[-6])
    | a | **100.0** |
    """
    check_resampling(ci, seed)
    sets: list[TabledSet] = []
    for dataset, systems in _by_dataset(results).items():
        tested = {"samples": samples, "seed": seed, "cluster": cluster, "family": family}
        notes: list[str] = []
        aligned = on_common_items(list(systems.values()), notes)
        aligned = [replace(one, system=name) for one, name in zip(aligned, systems, strict=True)]
        sets.append(_tabled(dataset, WHOLE if by else "", aligned, notes, ci, tested))
        for subset, members in subsets_of(aligned, by):
            sets.append(_tabled(dataset, subset, members, [], ci, tested))
    return PaperTable(sets, caption, label, sort)


def table_of(results: Sequence[Result], standings: Standings, subset: str = "") -> TabledSet:
    """A set whose verdicts are known already."""
    notes: list[str] = []
    aligned = on_common_items(results, notes)
    return _set("", subset, aligned, notes, 0, 0, standings if aligned[0].units >= FEWEST else None)


def _tabled(
    dataset: str, subset: str, results: Sequence[Result], notes: Sequence[str], ci: int, tested: dict[str, Any]
) -> TabledSet:
    clustered = [result.clustered(tested["cluster"]) for result in results]
    testable = len(results) > 1 and clustered[0].units >= FEWEST
    standings = Together(results, Asked(**tested), gaps=False).standings if testable else None
    return _set(dataset, subset, clustered, notes, ci, tested["seed"], standings)


def _set(
    dataset: str,
    subset: str,
    results: Sequence[Result],
    notes: Sequence[str],
    ci: int,
    seed: int,
    standings: Standings | None,
) -> TabledSet:
    doubts = list(notes) if subset in ("", WHOLE) else []
    longer: dict[str, None] = {}
    for other in results[1:]:
        names = [name for name in results[0].shown if name in other.parts]
        for warning in misgivings(results[0], other, names)[0]:
            name, sign, _ = warning.partition(" depends on the amount of text")
            if sign:
                longer[name] = None
            elif subset in ("", WHOLE):
                doubts.append(warning)
    if longer:
        doubts.append(
            f"{', '.join(longer)}: outputs of unequal length; part of the difference between systems is length"
        )
    left_out: dict[str, str] = {}
    if standings:
        left_out = {**why_not_tested(results), **standings.left_out}
    elif len(results) > 1:
        units, what = results[0].units, "clusters" if results[0].cluster else "items"
        why = f"{units} {what}: it takes {FEWEST} to tell anything from chance"
        left_out = dict.fromkeys((name for result in results for name in result.shown), why)
    shown = {result.system: result.with_intervals(ci, seed) for result in results}
    return TabledSet(dataset, subset, shown, standings, tuple(dict.fromkeys(doubts)), left_out)


def _by_dataset(given: Given) -> dict[str, dict[str, Result]]:
    """Systems by name, by dataset; what was given without a dataset has no name."""
    named = isinstance(given, Mapping) and not any(isinstance(each, Result) for each in given.values())
    datasets: Mapping[str, Any] = given if isinstance(given, Mapping) and named else {"": given}
    found: dict[str, dict[str, Result]] = {}
    for dataset, systems in datasets.items():
        results = _results(systems.values() if isinstance(systems, Mapping) else systems)
        names = list(systems) if isinstance(systems, Mapping) else [result.system for result in results]
        if not names or len(set(names)) < len(names):
            raise AssayError(f"table: {dataset or 'of the results'}: give one or more, each with a name of its own")
        found[dataset] = dict(zip(names, results, strict=True))
    if not found:
        raise AssayError("table: no results were given; score some outputs first")
    return found


def _results(given: Any) -> list[Result]:
    each = list(given) if isinstance(given, Iterable) else [given]
    for one in each:
        if not isinstance(one, Result):
            raise AssayError(f"table takes results of assay.score, not a {type(one).__name__}")
    return each


def subsets_of(results: Sequence[Result], by: str | Sequence[str] | None) -> list[tuple[str, list[Result]]]:
    """The results for each value of properties, on the items that all have; nothing without one."""
    keys = dict.fromkeys([by] if isinstance(by, str) else by or ())
    aligned = on_common_items(results, []) if keys else []
    found = []
    for key in keys:
        groups = [result.by(key) for result in aligned]
        found += [(f"{key}={value}", [group[value] for group in groups]) for value in groups[0]]
    return found


def _scores(each: TabledSet, system: str) -> dict[str, Any]:
    cells = {name: each.cell(name, system) for name in each.numbers}
    return {
        name: {"value": cell.value, "low": cell.low, "high": cell.high, "verdict": cell.verdict or None}
        for name, cell in cells.items()
    }
