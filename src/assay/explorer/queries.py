"""Data of the pages, computed once: the same for the server, the one-file report and other reports."""

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
from assay.explorer.incomplete import unread_statistics, without_verdicts
from assay.explorer.overview import Overview, overview_of
from assay.explorer.page_cache import PageCache, content_of
from assay.explorer.payloads import (
    About,
    AxisColumn,
    Card,
    ComparedMetric,
    ComparisonPage,
    DifferencePage,
    ExamplePage,
    OverviewPage,
    ParentsPage,
    RunColumns,
    SubsetPage,
    TableMetric,
    TablePage,
)
from assay.records.files import json_bytes
from assay.store.library import Library, open_results
from assay.store.scored_runs import Axis, ScoredRun, label_on
from assay.version import VERSION

if TYPE_CHECKING:
    from assay.explorer.dialogue_payloads import DialoguePage, DialogueSet
    from assay.explorer.human_payloads import HumanPage
    from assay.explorer.texts import Texts
    from assay.metrics.structure.dialog.saved_dialogues import SavedDialogues
    from assay.results.comparison import Comparison
    from assay.results.many_systems import ManySystems
    from assay.results.table_section import TableSection
    from assay.results.verdict import Family

TESTED_TOGETHER = 25
"""Maximum number of systems whose pairs are all tested for a page."""
COMPARISONS = 200
"""Maximum number of pairs of systems with paired tests in a one-file report."""


class Queries:
    """Opened results with cached responses."""

    def __init__(self, paths: Sequence[Path], family: Family = "all") -> None:
        self.library: Library = open_results(paths)
        self.family = family
        """Family of tests for the correction: all of a dataset, of a pair of systems, or of a metric."""
        self._texts: dict[str, Texts] = {}
        self._lock = threading.Lock()
        self._caches: dict[str, PageCache] = {}
        self._not_tested: dict[str, str] = {}
        """Why the systems on a dataset cannot be tested together."""
        self._tables: dict[str, TableSection | None] = {}
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
        """Compare two systems on one dataset by paired tests; the difference is b - a."""
        self._check_two(dataset, a, b)
        return self._cache(dataset).get(ComparisonPage, lambda: self._compared(dataset, a, b), a, b, self.family)

    def _check_two(self, dataset: str, a: str, b: str) -> None:
        """Refuse systems without statistics, and a system with itself."""
        results = self.library.dataset(dataset).results
        for system in (a, b):
            if system not in results:
                raise AssayError(f"no statistics of {system} on {dataset}; available: {', '.join(results)}")
        if a == b:
            raise AssayError(f"{a} is compared with itself. Choose another system.")

    def _cache(self, dataset: str) -> PageCache:
        if dataset not in self._caches:
            self._caches[dataset] = PageCache(self.library.dataset(dataset))
        return self._caches[dataset]

    def _compared(self, dataset: str, a: str, b: str) -> ComparisonPage:
        from assay.results.compare import CompareRequest
        from assay.results.many_systems import ManySystems

        results = self.library.dataset(dataset).results
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
        """Test all systems on a dataset as one family; None if impossible, then pairs are compared separately."""
        from assay.results.compare import CompareRequest
        from assay.results.many_systems import ManySystems

        if dataset not in self._together:
            stored = self.library.datasets.get(dataset)
            results = [replace(result, system=name) for name, result in stored.results.items()] if stored else []
            tested: ManySystems | None = None
            if 1 < len(results) <= TESTED_TOGETHER:
                try:
                    tested = ManySystems(results, CompareRequest(family=self.family), intervals=False)
                except AssayError as error:  # no common items
                    self._not_tested[dataset] = str(error)
            self._together[dataset] = tested
        return self._together[dataset]

    def comparisons(self) -> tuple[list[ComparisonPage], list[str]]:
        """Return comparisons of all pairs of systems, up to a maximum, and what was not tested, with the reason."""
        pairs = [
            (name, a, b) for name, stored in self.library.datasets.items() for a, b in combinations(stored.results, 2)
        ]
        tested = []
        problems = []
        for dataset, a, b in pairs[:COMPARISONS]:
            try:
                tested.append(self.comparison(dataset, a, b))
            except AssayError as error:
                problems.append(f"{a} and {b} are not compared on {dataset}: {error}")
        if len(pairs) > COMPARISONS:
            problems.append(f"Only the first {COMPARISONS} of {len(pairs)} pairs of systems are compared.")
        return tested, problems

    def against_parents(self, dataset: str) -> list[Comparison]:
        """Compare each system on a challenge set with itself on the original items, if these were opened."""
        from assay.explorer.parents import against_parents

        if dataset not in self._parents:
            self._parents[dataset] = against_parents(self.library, dataset, self.family)
        return self._parents[dataset]

    def parents(self, dataset: str) -> ParentsPage:
        """Return the same comparisons for the page; a is a system on the original items, b on the challenge set."""

        def make() -> ParentsPage:
            comparisons = self.against_parents(dataset)
            pages = [comparison_page(dataset, one.a.system, one.b.system, one) for one in comparisons]
            return ParentsPage(dataset=dataset, comparisons=pages)

        parents = [content_of(one) for name, one in self.library.datasets.items() if name != dataset]
        return self._cache(dataset).get(ParentsPage, make, self.family, *parents)

    def tested_table(self, dataset: str) -> TableSection | None:
        """Return all systems on a dataset with significance marks; None if they cannot be tested together."""
        from assay.results.paper_table import table, table_of

        if dataset not in self._tables:
            stored = self.library.datasets.get(dataset)
            results = stored.results if stored else {}
            tested = self.together(dataset)
            if tested is not None and stored is not None:
                section = table_of(tested.results, tested.rankings)
                self._tables[dataset] = without_verdicts(section, unread_statistics(stored))
            else:
                self._tables[dataset] = table(results).sets[0] if len(results) == 1 else None
        return self._tables[dataset]

    def table(self, dataset: str) -> TablePage:
        """Return significance marks of a dataset's table; its scores are in the overview."""
        if dataset not in self.library.datasets:
            return TablePage(dataset=dataset, metrics=[], notes=["Not tested: no statistics are stored."])
        return self._cache(dataset).get(TablePage, lambda: self._tested_page(dataset), self.family)

    def _tested_page(self, dataset: str) -> TablePage:
        from assay.results.table_section import notes_on

        tested = self.tested_table(dataset)
        if tested is None:
            many = len(self.library.dataset(dataset).results) > TESTED_TOGETHER
            why = f"more than {TESTED_TOGETHER} systems; use assay table" if many else "no statistics are stored"
            why = self._not_tested.get(dataset, why).rstrip(".")
            return TablePage(dataset=dataset, metrics=[], notes=[f"Not tested: {why}."])
        by_name = tested.rankings.by_name if tested.rankings else {}
        metrics = [
            TableMetric(
                name=name,
                verdicts={system: verdict for system in tested.results if (verdict := tested.verdict(name, system))},
                groups=by_name[name].groups if name in by_name else [],
            )
            for name in tested.numbers
        ]
        return TablePage(dataset=dataset, metrics=metrics, notes=notes_on([tested]), n=tested.n)

    def texts(self, dataset: str) -> Texts:
        from assay.explorer.texts import Texts

        with self._lock:
            if dataset not in self._texts:
                self._texts[dataset] = Texts(self.library.dataset(dataset))
            return self._texts[dataset]

    def examples(self, dataset: str, query: Sequence[tuple[str, str]] = ()) -> ExamplePage:
        from assay.explorer.texts import parse_query

        return self.texts(dataset).ask(parse_query(dataset, query))

    def differences(self, dataset: str, metric: str, a: str, b: str) -> DifferencePage:
        """Return the histogram of the per-item differences of two systems."""
        from assay.explorer.differences import differences

        return differences(self.texts(dataset), metric, a, b)

    def subsets(self, dataset: str, a: str, b: str) -> SubsetPage:
        """Return intervals of the difference of two systems on every subset."""
        from assay.explorer.subset_intervals import subset_intervals

        self._check_two(dataset, a, b)
        stored = self.library.dataset(dataset)
        return self._cache(dataset).get(SubsetPage, lambda: subset_intervals(stored, a, b), a, b)

    def damaged_texts(self) -> list[str]:
        """Return problems of texts that were read so far."""
        return [f"{dataset}: {why}" for dataset, texts in self._texts.items() for why in texts.problems]

    def prepare(self) -> None:
        """Prepare the texts of all datasets."""
        for dataset in self.library.datasets:
            self.texts(dataset).prepare()

    def correlation(self, dataset: str, criterion: str = "") -> HumanPage:
        from assay.explorer.human_correlation import human_page
        from assay.explorer.human_payloads import HumanPage

        stored = self.library.dataset(dataset)
        return self._cache(dataset).get(HumanPage, lambda: human_page(stored, criterion), criterion)

    def dialogues(self, name: str) -> DialogueSet:
        from assay.explorer.dialogues import dialogue_set

        return dialogue_set(name, self._dialogues(name))

    def dialogue(self, name: str, id: str) -> DialoguePage:
        from assay.explorer.dialogues import dialogue_page

        return dialogue_page(name, self._dialogues(name), id)

    def _dialogues(self, name: str) -> SavedDialogues:
        known = self.library.dialogues
        if name not in known:
            raise AssayError(f"no dialogues {name}; available: {', '.join(known) or 'none'}")
        return known[name]

    @cached_property
    def cards(self) -> list[Card]:
        from assay.explorer.cards import cards_of
        from assay.explorer.human_correlation import coefficients

        known = {
            f"{dataset}, {criterion}": metrics
            for dataset in self.overview_page.judged
            for criterion, metrics in coefficients(self.library.dataset(dataset)).items()
        }
        return cards_of(self.library, self.overview, known)


def comparison_page(dataset: str, a: str, b: str, compared: Comparison) -> ComparisonPage:
    from assay.explorer.worth import worth_of
    from assay.results.sentences import verdict_of
    from assay.results.verdict import is_significant

    metrics = {}
    for name, row in compared.items():
        values = {field: value for field, value in vars(row).items() if field in ComparedMetric.__struct_fields__}
        values["significant"] = is_significant(row.p_adjusted)
        metrics[name] = ComparedMetric(**values | {"why": values["why"] or msgspec.UNSET})
    return ComparisonPage(
        a=a,
        b=b,
        dataset=dataset,
        test=compared.how.words(),
        verdict=verdict_of(compared),
        metrics=metrics,
        worth=worth_of(dataset, compared),
        warnings=compared.warnings,
    )


def page_of(overview: Overview, library: Library) -> OverviewPage:
    """Return the payload of the overview: one list per axis, compact and fast to parse."""
    runs = overview.runs
    place = {(run.system, run.dataset, run.subset): i for i, run in enumerate(runs)}
    systems = {name: i for i, name in enumerate(dict.fromkeys(run.system for run in runs))}
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
        judged=[name for name, stored in library.datasets.items() if stored.judgements or has_choices(stored)],
        runs=RunColumns(
            system=[systems[run.system] for run in runs],
            dataset=[datasets[run.dataset] for run in runs],
            subset=[run.subset for run in runs],
            kind=[run.kind for run in runs],
            task=[run.task for run in runs],
            language=[run.language for run in runs],
            n=[run.n for run in runs],
            parent=[-1 if run.parent is None else place.get((run.system, run.dataset, run.parent), -1) for run in runs],
        ),
        axes=[column_of(axis, runs) for axis in overview.ordered()],
    )


def _labels(axis: Axis, runs: Sequence[ScoredRun]) -> dict[str, str]:
    on: dict[str, list[ScoredRun]] = {}
    for run in runs:
        on.setdefault(run.dataset, []).append(run)
    labels = {dataset: label_on(axis, own) for dataset, own in on.items()}
    return {dataset: label for dataset, label in labels.items() if label != axis.printed}


def column_of(axis: Axis, runs: Sequence[ScoredRun]) -> AxisColumn:
    """Return the scores of one axis for all runs, with the reasons of missing ones."""
    signatures: dict[str, int] = {}
    values: list[float | None] = []
    lows: list[float | None] = []
    highs: list[float | None] = []
    which: list[int] = []
    why: dict[str, str] = {}
    for i, run in enumerate(runs):
        score = run.scores.get(axis.name)
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
        labels=_labels(axis, runs),
        category=axis.category,
        about=axis.about,
        better=part.better,
        scale=part.scale,
        digits=part.digits,
        fraction=part.scale == 1 and part.bounds == (0.0, 1.0),
        shown=part.shown,
        size_dependent=axis.size_dependent,
        values=values,
        low=lows if any(low is not None for low in lows) else None,
        high=highs if any(high is not None for high in highs) else None,
        signatures=list(signatures),
        signature=which if len(signatures) > 1 else None,
        why=why,
    )
