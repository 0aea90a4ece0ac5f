"""What the pages ask for, each answer made once: the same for the server, the one-file page and the reports."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assay.errors import AssayError
from assay.explorer.confusion import has_choices
from assay.explorer.overview import Overview, overview_of
from assay.explorer.payloads import (
    About,
    AxisColumn,
    Card,
    ComparedNumber,
    ComparisonPage,
    ExamplePage,
    LineColumns,
    OverviewPage,
    ParentsPage,
    TabledNumber,
    TablePage,
)
from assay.records.files import json_bytes
from assay.store.library import Library, open_results
from assay.store.lines import Axis, Line, label_on
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.explorer.dialogue_payloads import DialoguePage, DialogueSet
    from assay.explorer.people_payloads import PeoplePage
    from assay.explorer.texts import Texts
    from assay.metrics.structure.dialog.saved_dialogues import SavedDialogues
    from assay.results.comparison import Comparison
    from assay.results.many_systems import ManySystems
    from assay.results.table_section import TableSection
    from assay.results.verdict import Family

TESTED_TOGETHER = 25
"""Systems whose pairs are all tested while somebody waits for a page."""
COMPARISONS = 200
"""Pairs of systems on a dataset whose paired tests are put into one file."""


class Queries:
    """Opened results and everything that was already asked of them."""

    def __init__(self, paths: Sequence[Path], family: Family = "all") -> None:
        self.library: Library = open_results(paths)
        self.family = family
        """The tests over which p is corrected: all of a dataset, those of two systems, or those of a number."""
        self._texts: dict[str, Texts] = {}
        self._lock = threading.Lock()
        self._people: dict[tuple[str, str], PeoplePage] = {}
        self._tabled: dict[str, TableSection | None] = {}
        self._together: dict[str, ManySystems | None] = {}
        self._parents: dict[str, list[Comparison]] = {}

    @cached_property
    def overview(self) -> Overview:
        return overview_of(self.library)

    @cached_property
    def overview_page(self) -> OverviewPage:
        return page_of(self.overview, self.library)

    @cached_property
    def overview_json(self) -> bytes:
        return json_bytes(self.overview_page)

    def comparison(self, dataset: str, a: str, b: str) -> ComparisonPage:
        """Paired tests of two systems on one dataset; the difference is b - a."""
        from assay.results.compare import CompareRequest
        from assay.results.many_systems import ManySystems

        results = self.library.dataset(dataset).results
        for system in (a, b):
            if system not in results:
                raise AssayError(f"no statistics of {system} on {dataset}; there are {', '.join(results)}")
        tested = self.together(dataset)
        alone = tested is None
        if tested is None:
            tested = ManySystems(
                [replace(results[system], system=system) for system in (a, b)], CompareRequest(family="pair")
            )
        (compared,) = tested.comparisons([(a, b)])
        if alone:
            compared.how = compared.how._replace(pairs=len(results) * (len(results) - 1) // 2)
        return comparison_page(dataset, a, b, compared)

    def together(self, dataset: str) -> ManySystems | None:
        """All systems on a dataset, tested as one family; None where they cannot be, and two are compared alone."""
        from assay.results.compare import CompareRequest
        from assay.results.many_systems import ManySystems

        if dataset not in self._together:
            held = self.library.datasets.get(dataset)
            results = [replace(result, system=name) for name, result in held.results.items()] if held else []
            found: ManySystems | None = None
            if 1 < len(results) <= TESTED_TOGETHER:
                try:
                    found = ManySystems(results, CompareRequest(family=self.family), intervals=False)
                except AssayError:  # no item that all have
                    found = None
            self._together[dataset] = found
        return self._together[dataset]

    def comparisons(self) -> tuple[list[ComparisonPage], list[str]]:
        """Every two systems on every dataset, as many as a file holds; and what was not tested, with the reason."""
        pairs = [(name, a, b) for name, held in self.library.datasets.items() for a, b in combinations(held.results, 2)]
        tested = []
        problems = []
        for dataset, a, b in pairs[:COMPARISONS]:
            try:
                tested.append(self.comparison(dataset, a, b))
            except AssayError as error:
                problems.append(f"{a} and {b} on {dataset} are not compared: {error}")
        if len(pairs) > COMPARISONS:
            problems.append(f"the first {COMPARISONS} of {len(pairs)} pairs of systems are compared")
        return tested, problems

    def against_parents(self, dataset: str) -> list[Comparison]:
        """A challenge set system by system against the original items, where they were opened, too."""
        from assay.explorer.parents import against_parents

        if dataset not in self._parents:
            self._parents[dataset] = against_parents(self.library, dataset, self.family)
        return self._parents[dataset]

    def parents(self, dataset: str) -> ParentsPage:
        """The same for the page; a is a system on the originals, b on the changed items."""
        found = self.against_parents(dataset)
        pages = [comparison_page(dataset, one.a.system, one.b.system, one) for one in found]
        return ParentsPage(dataset=dataset, comparisons=pages)

    def tabled(self, dataset: str) -> TableSection | None:
        """All systems on a dataset with the verdicts of a paper's table; None where they cannot be tested together."""
        from assay.results.paper_table import table, table_of

        if dataset not in self._tabled:
            held = self.library.datasets.get(dataset)
            results = held.results if held else {}
            tested = self.together(dataset)
            if tested is not None:
                self._tabled[dataset] = table_of(tested.results, tested.rankings)
            else:
                self._tabled[dataset] = table(results).sets[0] if len(results) == 1 else None
        return self._tabled[dataset]

    def table(self, dataset: str) -> TablePage:
        """What the table of a dataset says, for the page; its values stand in the overview."""
        from assay.results.table_section import notes_on

        found = self.tabled(dataset)
        if found is None:
            held = self.library.datasets.get(dataset)
            many = held is not None and len(held.results) > TESTED_TOGETHER
            why = f"more than {TESTED_TOGETHER} systems; assay table tests them" if many else "no statistics to test by"
            return TablePage(dataset=dataset, numbers=[], notes=[f"Not tested: {why}."])
        by_name = found.rankings.by_name if found.rankings else {}
        numbers = [
            TabledNumber(
                name=name,
                verdicts={system: said for system in found.results if (said := found.verdict(name, system))},
                groups=by_name[name].groups if name in by_name else [],
            )
            for name in found.numbers
        ]
        return TablePage(dataset=dataset, numbers=numbers, notes=notes_on([found]))

    def texts(self, dataset: str) -> Texts:
        from assay.explorer.texts import Texts

        with self._lock:
            if dataset not in self._texts:
                self._texts[dataset] = Texts(self.library.dataset(dataset))
            return self._texts[dataset]

    def examples(self, dataset: str, query: Sequence[tuple[str, str]] = ()) -> ExamplePage:
        from assay.explorer.texts import parse_query

        return self.texts(dataset).ask(parse_query(dataset, query))

    def damaged_texts(self) -> list[str]:
        """What was found to be, as far as texts were asked for."""
        return [f"{dataset}: {why}" for dataset, texts in self._texts.items() for why in texts.problems]

    def prepare(self) -> None:
        """Make the texts ready to be asked, all datasets one after the other."""
        for dataset in self.library.datasets:
            self.texts(dataset).prepare()

    def people(self, dataset: str, criterion: str = "") -> PeoplePage:
        key = (dataset, criterion)
        if key not in self._people:
            from assay.explorer.people import people_of

            self._people[key] = people_of(self.library.dataset(dataset), criterion)
        return self._people[key]

    def dialogues(self, name: str) -> DialogueSet:
        from assay.explorer.dialogues import dialogue_set

        return dialogue_set(name, self._dialogues(name))

    def dialogue(self, name: str, id: str) -> DialoguePage:
        from assay.explorer.dialogues import dialogue_page

        return dialogue_page(name, self._dialogues(name), id)

    def _dialogues(self, name: str) -> SavedDialogues:
        known = self.library.dialogues
        if name not in known:
            raise AssayError(f"no dialogues called {name} here; there are {', '.join(known) or 'none'}")
        return known[name]

    @cached_property
    def cards(self) -> list[Card]:
        from assay.explorer.cards import cards_of

        known = []
        for dataset in self.overview_page.people:
            found = self.people(dataset)
            known += [(f"{dataset}, {name}", self.people(dataset, name)) for name in found.criteria]
        return cards_of(self.library, self.overview, known)


def comparison_page(dataset: str, a: str, b: str, compared: Comparison) -> ComparisonPage:
    from assay.results.sentences import verdict_of
    from assay.results.verdict import is_significant

    metrics = {}
    for name, row in compared.items():
        found = {field: value for field, value in vars(row).items() if field in ComparedNumber.__struct_fields__}
        found["sure"] = is_significant(row.p_adjusted)
        metrics[name] = ComparedNumber(**found | {"why": found["why"] or msgspec.UNSET})
    return ComparisonPage(
        a=a,
        b=b,
        dataset=dataset,
        test=compared.how.words(),
        verdict=verdict_of(compared),
        metrics=metrics,
        warnings=compared.warnings,
    )


def page_of(overview: Overview, library: Library) -> OverviewPage:
    """As the page reads it: one list per axis, so that thousands of lines stay small and quick to parse."""
    lines = overview.lines
    place = {(line.system, line.dataset, line.subset): i for i, line in enumerate(lines)}
    systems = {name: i for i, name in enumerate(dict.fromkeys(line.system for line in lines))}
    datasets = {name: i for i, name in enumerate(overview.datasets)}
    return OverviewPage(
        title=overview.title,
        version=VERSION,
        systems=list(systems),
        datasets=list(datasets),
        about=About(systems=overview.systems, datasets=overview.about),
        problems=overview.problems,
        notes=overview.notes_of_all(),
        alarms=overview.alarms(),
        stored=list(library.datasets),
        dialogues=list(library.dialogues),
        people=[name for name, held in library.datasets.items() if held.judgements or has_choices(held)],
        lines=LineColumns(
            system=[systems[line.system] for line in lines],
            dataset=[datasets[line.dataset] for line in lines],
            subset=[line.subset for line in lines],
            kind=[line.kind for line in lines],
            task=[line.task for line in lines],
            language=[line.language for line in lines],
            n=[line.n for line in lines],
            parent=[
                -1 if line.parent is None else place.get((line.system, line.dataset, line.parent), -1) for line in lines
            ],
        ),
        axes=[column_of(axis, lines) for axis in overview.ordered()],
    )


def _labels(axis: Axis, lines: Sequence[Line]) -> dict[str, str]:
    on: dict[str, list[Line]] = {}
    for line in lines:
        on.setdefault(line.dataset, []).append(line)
    found = {dataset: label_on(axis, held) for dataset, held in on.items()}
    return {dataset: label for dataset, label in found.items() if label != axis.printed}


def column_of(axis: Axis, lines: Sequence[Line]) -> AxisColumn:
    """The values of one axis, line by line, with the reasons where there are none."""
    signatures: dict[str, int] = {}
    values: list[float | None] = []
    lows: list[float | None] = []
    highs: list[float | None] = []
    which: list[int] = []
    why: dict[str, str] = {}
    for i, line in enumerate(lines):
        score = line.scores.get(axis.name)
        values.append(None if score is None else score.value)
        lows.append(None if score is None else score.low)
        highs.append(None if score is None else score.high)
        which.append(-1 if score is None else signatures.setdefault(score.signature, len(signatures)))
        if score is not None and score.value is None and score.why:
            why[str(i)] = score.why
    part = axis.part
    return AxisColumn(
        name=axis.name,
        label=axis.printed,
        labels=_labels(axis, lines),
        category=axis.category,
        about=axis.about,
        better=part.better,
        scale=part.scale,
        digits=part.digits,
        fraction=part.scale == 1 and part.bounds == (0.0, 1.0),
        shown=part.shown,
        sized=axis.size_dependent,
        values=values,
        low=lows if any(low is not None for low in lows) else None,
        high=highs if any(high is not None for high in highs) else None,
        signatures=list(signatures),
        signature=which if len(signatures) > 1 else None,
        why=why,
    )
