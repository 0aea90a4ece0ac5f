"""Paper-ready tables: systems as rows, metrics as columns, best score in bold, † = not significantly different."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from assay.errors import AssayError
from assay.records.documents import JSONObject
from assay.results.comparable import check_comparability, length_warnings
from assay.results.compare import CompareRequest
from assay.results.dependence import dependence_warnings
from assay.results.many_systems import ManySystems, SubsetFamily
from assay.results.rankings import Rankings, on_common_items, why_not_tested
from assay.results.result import Result
from assay.results.shared_clusters import with_same_clusters
from assay.results.skewed_differences import unopposed_marks
from assay.results.table_section import TableSection, notes_on, signatures_of
from assay.results.verdict import Family, fewest_units
from assay.show.tables import Column, Content, Form, Table, write
from assay.stats.interval import check_resampling

FEWEST = fewest_units()
"""Minimum number of items (or clusters) for a p below .05, for any number of tests: max-T needs no more for several."""
WHOLE = "all"
"""Name of the section with all items, next to its subsets."""
Systems = Sequence[Result] | Mapping[str, Result]
TableInput = Systems | Mapping[str, Systems]
"""Results on one dataset, or on several by name."""


@dataclass(frozen=True)
class PaperTable:
    """A table of several systems on one or more sets of items. It prints as text; `write` gives the other formats."""

    sets: Sequence[TableSection]
    caption: str = ""
    label: str = ""
    sort: str | None = None
    extra: Sequence[str] = ()
    """Additional notes."""

    @cached_property
    def systems(self) -> list[str]:
        """The rows: in input order, or best first by the metric in `sort`."""
        names = list(dict.fromkeys(system for each in self.sets for system in each.results))
        if self.sort is None:
            return names
        section = next((each for each in self.sets if self.sort in each.numbers), None)
        if section is None:
            known = dict.fromkeys(name for each in self.sets for name in each.numbers)
            raise AssayError(f"sort={self.sort}: not a metric of the table. Use one of {', '.join(known)}.")
        sign = 1 if section.part(self.sort).better == "lower" else -1
        values = {name: section.results[name].values.get(self.sort) for name in names if name in section.results}
        return sorted(names, key=lambda name: (values.get(name) is None, sign * (values.get(name) or 0.0)))

    @property
    def warnings(self) -> list[str]:
        """Warnings of all sections, each with the sections that it concerns."""
        several = len(self.sets) > 1
        by_warning: dict[str, list[str]] = {}
        for each in self.sets:
            for warning in each.warnings:
                by_warning.setdefault(warning, []).append(each.name)
        return [
            f"{', '.join(names)}: {warning}" if several and any(names) else warning
            for warning, names in by_warning.items()
        ]

    def table(self) -> Table:
        """Return one table with all sections side by side."""
        grouped = len(self.sets) > 1
        columns = [Column("", "left")]
        for each in self.sets:
            group = (each.name or "all") if grouped else ""
            columns += each.columns(group)
        return self._of(self.sets, columns, self.caption or self._title(self.sets))

    def _of(self, sets: Sequence[TableSection], columns: Sequence[Column], caption: str) -> Table:
        rows: list[list[Content]] = []
        for system in self.systems:
            if any(system in each.results for each in sets):
                rows.append([system, *(each.cell(name, system) for each in sets for name in each.numbers)])
        return Table(columns, rows, caption, [*notes_on(sets), *self.extra], signatures_of(sets), self.label)

    def _title(self, sets: Sequence[TableSection]) -> str:
        systems = len({system for each in sets for system in each.results})
        counted = f"{systems} system{'' if systems == 1 else 's'}"
        names = dict.fromkeys(each.dataset for each in sets if each.dataset)
        return f"{counted} on {', '.join(names) or f'{sets[0].n:,} items'}"

    def write(self, form: Form, width: int | None = None, *, styled: bool = False) -> str:
        """Return the table as text in a format.

        Args:
            form: `text` (sections below each other), `latex`, `markdown`, `html` or `csv` (side by side).
            width: Width of the terminal, for text.
            styled: Use bold type, for text.
        """
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

    def to_dict(self) -> JSONObject:
        """Return the object that `assay table --json` prints."""
        return {
            "systems": self.systems,
            "sets": [
                {
                    "dataset": each.dataset or None,
                    "subset": each.subset or None,
                    "n": each.n,
                    "clusters": each.clusters,
                    "method": each.rankings.method if each.rankings else None,
                    "scores": {system: _scores(each, system) for system in each.results},
                    "groups": each.rankings.to_dict()["groups"] if each.rankings else {},
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
        from assay.results.figures import score_panels
        from assay.show.html_multiples import html_multiples

        return f"{html_multiples(*score_panels(self.sets[0]))}\n{self.write('html')}"


def table(
    results: TableInput,
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
    """Make a paper-ready table: best score in bold, † = not significantly different from the best.

    Systems are tested on their common items as in `assay.compare_pairs`, which describes `samples`, `seed` and
    `cluster`.

    Args:
        results: Results of `assay.score_all`, a list of results, or several of these by dataset (a folder of
            `assay.run` is one), shown side by side.
        by: Fields whose values get their own columns.
        ci: Number of bootstrap resamples for 95 % confidence intervals (default: 0, no intervals).
        family: Tests that are corrected together on each set of items: `all`, `pair` or `metric`.
        sort: Metric that orders the systems (default: input order).
        caption: Caption of the table in a document.
        label: Label of the table in a document.

    Returns:
        The table; `write("latex")` gives its source.

    Raises:
        AssayError: There are no results, two have the same name, or `sort` is not a metric of the table.

    Example:
        >>> outputs = {"a": ["the cat sat on it"] * 12, "b": ["a dog"] * 12}
        >>> made = assay.table(assay.score_all(outputs, ["the cat sat on it"] * 12, metrics="rouge1"))
        >>> made.sets[0].verdict("rouge1", "a"), made.sets[0].verdict("rouge1", "b")
        ('best', 'behind')
        >>> print(made.write("markdown").splitlines()[-6])
        | a | **100.0** |
    """
    check_resampling(ci, seed)
    sets: list[TableSection] = []
    for dataset, systems in _by_dataset(results).items():
        tested = CompareRequest(samples=samples, seed=seed, cluster=cluster, family=family)
        notes: list[str] = []
        aligned = on_common_items(list(systems.values()), notes)
        aligned = [replace(one, system=name) for one, name in zip(aligned, systems, strict=True)]
        subsets = SubsetFamily()
        whole = _test_section(dataset, WHOLE if by else "", aligned, notes, ci, tested, None)
        parts = [
            _test_section(dataset, subset, members, [], ci, tested, subsets)
            for subset, members in subsets_of(aligned, by)
        ]
        sets += [made() for made in (whole, *parts)]
    return PaperTable(sets, caption, label, sort)


def table_of(results: Sequence[Result], rankings: Rankings, subset: str = "") -> TableSection:
    """Return a section from known rankings."""
    notes: list[str] = []
    aligned = on_common_items(results, notes)
    return _section("", subset, aligned, notes, 0, 0, rankings if aligned[0].units >= FEWEST else None)


def _test_section(
    dataset: str,
    subset: str,
    results: Sequence[Result],
    notes: Sequence[str],
    ci: int,
    request: CompareRequest,
    family: SubsetFamily | None,
) -> Callable[[], TableSection]:
    """Return how to make a section once all subsets of its family are known."""
    clustered = with_same_clusters(results, request.cluster)
    testable = len(results) > 1 and clustered[0].units >= FEWEST
    systems = ManySystems(results, request, intervals=False, family=family) if testable else None
    return lambda: _section(
        dataset, subset, clustered, notes, ci, request.seed, None if systems is None else systems.rankings
    )


def _section(
    dataset: str,
    subset: str,
    results: Sequence[Result],
    notes: Sequence[str],
    ci: int,
    seed: int,
    rankings: Rankings | None,
) -> TableSection:
    all_items = subset in ("", WHOLE)
    warnings = list(notes) if all_items else []
    longer: dict[str, None] = {}
    for other in results[1:]:
        names = [name for name in results[0].shown if name in other.parts]
        by_length = length_warnings(results[0], other, names)
        longer |= dict.fromkeys(by_length)
        if all_items:
            known = by_length.values()
            warnings += [each for each in check_comparability(results[0], other, names)[0] if each not in known]
    if all_items and (rankings or ci):
        warnings += dependence_warnings(results)
    if longer:
        warnings.append(f"{', '.join(longer)}: outputs differ in length; part of the differences is due to length.")
    left_out: dict[str, str] = {}
    if rankings:
        warnings += unopposed_marks(results, rankings) if all_items else []
        left_out = {**why_not_tested(results), **rankings.left_out}
    elif len(results) > 1:
        units, what = results[0].units, "clusters" if results[0].clusters_by else "items"
        why = f"{units} {what}, minimum {FEWEST} for a significance test"
        left_out = dict.fromkeys((name for result in results for name in result.shown), why)
    shown = {result.system: result.with_intervals(ci, seed) for result in results}
    return TableSection(dataset, subset, shown, rankings, tuple(dict.fromkeys(warnings)), left_out)


def _by_dataset(results: TableInput) -> dict[str, dict[str, Result]]:
    """Return results by dataset and system; results without a dataset are under an empty name."""
    named = isinstance(results, Mapping) and not any(isinstance(each, Result) for each in results.values())
    datasets: Mapping[str, Any] = results if isinstance(results, Mapping) and named else {"": results}
    by_dataset: dict[str, dict[str, Result]] = {}
    for dataset, systems in datasets.items():
        members = _results(systems.values() if isinstance(systems, Mapping) else systems)
        names = list(systems) if isinstance(systems, Mapping) else [result.system for result in members]
        if not names or len(set(names)) < len(names):
            where = f" of {dataset}" if dataset else ""
            raise AssayError(f"table: give one or more results{where}, each with its own system name.")
        by_dataset[dataset] = dict(zip(names, members, strict=True))
    if not by_dataset:
        raise AssayError("table: no results. Score some outputs first.")
    return by_dataset


def _results(values: Any) -> list[Result]:
    results = list(values) if isinstance(values, Iterable) else [values]
    for each in results:
        if not isinstance(each, Result):
            raise AssayError(f"table: expected results of assay.score, not {type(each).__name__}.")
    return results


def subsets_of(results: Sequence[Result], by: str | Sequence[str] | None) -> list[tuple[str, list[Result]]]:
    """Return the results on each subset by value of the fields, on their common items; empty without a field."""
    keys = dict.fromkeys([by] if isinstance(by, str) else by or ())
    aligned = on_common_items(results, []) if keys else []
    subsets = []
    for key in keys:
        groups = [result.by(key) for result in aligned]
        subsets += [(f"{key}={value}", [group[value] for group in groups]) for value in groups[0]]
    return subsets


def _scores(each: TableSection, system: str) -> dict[str, object]:
    cells = {name: each.cell(name, system) for name in each.numbers}
    return {
        name: {"value": cell.value, "low": cell.low, "high": cell.high, "verdict": cell.verdict or None}
        for name, cell in cells.items()
    }
