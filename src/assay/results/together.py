"""Several systems compared: one family of tests, whoever asks. Terminal, table, pages, reports and Python come here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations

from assay.errors import AssayError
from assay.results.comparable import have_common
from assay.results.compare import Asked, Pair, check_margins, compare_systems
from assay.results.comparison import Comparison
from assay.results.pairs import Standings, on_common_items, standings_of
from assay.results.pivots import RESAMPLES, pivots_of
from assay.results.result import Result
from assay.results.swapped_pairs import SwappedPairs, swap_pairs
from assay.results.verdict import Correction, Family
from assay.stats.stacked_columns import MANY_UNITS

Two = tuple[str, str]
"""The names of two systems."""


def compare_all(
    baseline: Result,
    others: Sequence[Result],
    *,
    test: str = "permutation",
    samples: int | None = None,
    seed: int = 0,
    cluster: str | None = None,
    correction: Correction | None = None,
    family: Family = "all",
    margin: Mapping[str, float] | None = None,
    bayes: bool = False,
) -> list[Comparison]:
    """Compare each of several results with one; p adjusted over the metrics of all pairs, or of a family of them.

    `baseline` is the result that `others` are compared with; `test`, `samples`, `seed`, `cluster`, `family`, `margin`
    and `bayes` as in `assay.compare`. The tests are those of every two of the systems on the items that all have, so
    that a difference has the same p here as in `assay.table` and `assay.compare_pairs`. Without a `correction` it is
    Westfall and Young's step-down one, and Holm's for two systems and for other tests than permutation.

    >>> outputs = {"a": ["the cat sat"] * 3, "b": ["a cat sat"] * 3, "c": ["a dog ran"] * 3}
    >>> results = assay.score_all(outputs, ["the cat sat"] * 3, metrics="rouge1")
    >>> for comparison in assay.compare_all(results["a"], [results["b"], results["c"]]):
    ...     print(comparison.b.system, round(comparison["rouge1"].difference, 2))
    b -0.33
    c -1.0
    """
    asked = Asked(test, samples, seed, cluster, correction, family, margin or {}, bayes)
    if not others:
        return []
    return Together(_each_named([baseline, *others]), asked).with_first()


def compare_pairs(
    results: Sequence[Result],
    *,
    samples: int | None = None,
    seed: int = 0,
    cluster: str | None = None,
    family: Family = "all",
) -> Standings:
    """Every two of the results on the items that all have, corrected over all pairs of all numbers, or a family.

    `results` are two or more of `assay.score`, each with a name of its own; `samples` swaps are common to all pairs,
    and `seed`, `cluster` and `family` are as in `assay.compare`, which answers for two. `by_name` then has for every
    number the systems in order, the `groups` that cannot be told apart, the `places` each may have, who is `tied` with
    the `best`, and the `pairs` with simultaneous intervals.

    >>> texts = {"a": ["the cat sat on it"] * 12, "b": ["a cat sat on it"] * 12, "c": ["a dog"] * 12}
    >>> results = assay.score_all(texts, ["the cat sat on it"] * 12, metrics="rouge1")
    >>> assay.compare_pairs(list(results.values())).by_name["rouge1"].groups
    [['a'], ['b'], ['c']]
    """
    if "," in (cluster or ""):
        raise AssayError(f"cluster={cluster}: all pairs take one kind of clusters; compare two systems at a time")
    return Together(results, Asked(samples=samples, seed=seed, cluster=cluster, family=family)).standings


def _each_named(results: Sequence[Result]) -> list[Result]:
    """Results that were given no names of their own are told apart by their place."""
    seen: Counter[str] = Counter()
    found = []
    for result in results:
        if not isinstance(result, Result):
            return list(results)  # what is wrong with it is said where results are checked
        seen[result.system] += 1
        again = seen[result.system]
        found.append(replace(result, system=f"{result.system} ({again})") if again > 1 else result)
    return found


class Together:
    """Several systems on the items that all have, tested by one procedure; what is not asked for is not computed."""

    def __init__(self, results: Sequence[Result], asked: Asked, gaps: bool = True) -> None:
        """Without `gaps` the differences of all pairs in the standings have no common intervals: they take as long
        as the test, and tables and pages show none."""
        asked.check(results)
        names = [result.system for result in results]
        if len(names) < 2 or len(set(names)) < len(names):
            raise AssayError("compare_pairs takes two or more results, each with a name of its own")
        self.notes: list[str] = []
        """Which items were left out."""
        aligned = on_common_items(results, self.notes) if len(results) > 2 else results
        self.by_name = {result.system: result.clustered(asked.cluster) for result in aligned}
        self.asked, self._gaps = asked, gaps
        self._compared: dict[Two, Comparison] = {}

    @property
    def results(self) -> list[Result]:
        return list(self.by_name.values())

    @property
    def pairs(self) -> list[Two]:
        return list(combinations(self.by_name, 2))

    @property
    def stepped(self) -> bool:
        """Whether the step-down maximum over the same swaps of all pairs corrects p. Other tests, another correction,
        and pairs that are families of their own are corrected as two systems alone are."""
        usual = self.asked.test == "permutation" and not self.asked.correction and "," not in (self.asked.cluster or "")
        return usual and len(self.by_name) > 2 and self.asked.family != "pair"

    def with_first(self) -> list[Comparison]:
        """Every other system compared with the first."""
        first, *others = self.by_name
        return self.comparisons([(first, other) for other in others])

    def comparisons(self, pairs: Sequence[Two]) -> list[Comparison]:
        """Two systems each, in this order: the difference is that of the second to the first."""
        missing = [pair for pair in pairs if pair not in self._compared]
        if missing and self.stepped:
            self._compared.update(zip(missing, self._of_swaps(missing), strict=True))
        elif missing:
            asked = list(missing)
            if self.asked.family != "pair":  # p depends on all others
                known = {*missing, *(pair[::-1] for pair in missing)}
                others = [(a, b) for a, b in self.pairs if (a, b) not in known]
                asked += [(a, b) for a, b in others if have_common(self.by_name[a], self.by_name[b])]
            made = compare_systems([(self.by_name[a], self.by_name[b]) for a, b in asked], self.asked)
            for pair, comparison in zip(asked, made, strict=True):
                comparison.how = comparison.how._replace(pairs=len(self.pairs))
                comparison.warnings[:0] = self.notes
                self._compared[pair] = comparison
        return [self._compared[pair] for pair in pairs]

    @cached_property
    def standings(self) -> Standings:
        """Who is told apart from whom, by number."""
        if self.stepped:
            return self._swapped.standings(self.results)
        return standings_of(self.results, self.comparisons(self.pairs))

    @cached_property
    def _swapped(self) -> SwappedPairs:
        return swap_pairs(self.results, self.asked._replace(intervals=self._gaps))

    def _of_swaps(self, pairs: Sequence[Two]) -> Iterator[Comparison]:
        paired = [Pair.of(self.by_name[a], self.by_name[b], self.asked.cluster) for a, b in pairs]
        check_margins(self.asked, paired)
        # Of very many units sums are exact: a pair is the same alone and among all others, and is taken from there.
        many = all(result.units >= MANY_UNITS for result in self.results)
        known = [self._swapped.differences.get(pair, {}) if many else {} for pair in pairs]
        asking = [
            (pair.a, pair.b, [name for name in pair.tested if name not in rows])
            for pair, rows in zip(paired, known, strict=True)
        ]
        pivots = pivots_of(asking, self.asked.samples or RESAMPLES, self.asked.seed)
        for pair, rows, more in zip(paired, known, pivots, strict=True):
            found = self._swapped.rows(pair, {**rows, **more}, self.asked)
            warnings = [*self.notes, *pair.warnings]
            yield Comparison(pair.a, pair.b, found, warnings, self._swapped.how, pair.apart)
