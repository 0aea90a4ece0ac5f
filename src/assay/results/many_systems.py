"""Comparison of several systems as one family of tests, for terminal, table, pages, reports and Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

from assay.errors import AssayError
from assay.results.comparable import have_common
from assay.results.compare import CompareRequest, compare_systems, explained
from assay.results.comparison import Comparison
from assay.results.dependence import dependence_warnings
from assay.results.max_t import MaxTPairs, PermutedSet, correct_jointly, permuted_set
from assay.results.pair import Pair, check_margins
from assay.results.pivots import RESAMPLES, pivots_of
from assay.results.rankings import Rankings, on_common_items, rankings_of
from assay.results.result import Result
from assay.results.shared_clusters import with_same_clusters
from assay.results.skewed_differences import skewness_warnings, unopposed_marks
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
    """Compare each of several results with a baseline.

    p is corrected over all pairs of systems on the items that all have, so a difference has the same p here, in
    `assay.table` and in `assay.compare_pairs`. Other arguments are as in `assay.compare`.

    Args:
        baseline: The result that the others are compared with.
        others: Results of other systems.
        correction: Correction for multiple comparisons (default: Westfall-Young max-T; `holm` for tests other than
            permutation).

    Returns:
        One comparison for each of `others`; differences are other - baseline.

    Raises:
        AssayError: The results share no item or no metric, or an argument is out of range.

    Example:
        >>> outputs = {"a": ["the cat sat"] * 3, "b": ["a cat sat"] * 3, "c": ["a dog ran"] * 3}
        >>> results = assay.score_all(outputs, ["the cat sat"] * 3, metrics="rouge1")
        >>> for comparison in assay.compare_all(results["a"], [results["b"], results["c"]]):
        ...     print(comparison.b.system, round(comparison["rouge1"].difference, 2))
        b -0.33
        c -1.0
    """
    request = CompareRequest(test, samples, seed, cluster, correction, family, margin or {}, bayes)
    if not others:
        return []
    return ManySystems(_with_unique_names([baseline, *others]), request).with_first()


def compare_pairs(
    results: Sequence[Result],
    *,
    samples: int | None = None,
    seed: int = 0,
    cluster: str | None = None,
    family: Family = "all",
) -> Rankings:
    """Test all pairs of results and rank the systems on every metric.

    `seed`, `cluster` and `family` are as in `assay.compare`.

    Args:
        results: Two or more results of `assay.score`, each with its own system name.
        samples: Number of random permutations, the same for all pairs (default: 1000).

    Returns:
        Rankings: `by_name` has, for every metric, the `systems` in order, the `groups` without a significant
        difference, the possible ranks (`rank_ranges`), the `best` and those `tied` with it, and the `pairs` with
        simultaneous confidence intervals; `warnings` say what the tests do not allow for.

    Raises:
        AssayError: The results share no item or no metric, or have the same system name.

    Example:
        >>> texts = {"a": ["the cat sat on it"] * 12, "b": ["a cat sat on it"] * 12, "c": ["a dog"] * 12}
        >>> results = assay.score_all(texts, ["the cat sat on it"] * 12, metrics="rouge1")
        >>> assay.compare_pairs(list(results.values())).by_name["rouge1"].groups
        [['a'], ['b'], ['c']]
    """
    if "," in (cluster or ""):
        raise AssayError(f"cluster={cluster}: compare_pairs takes one cluster field. Compare two systems at a time.")
    systems = ManySystems(results, CompareRequest(samples=samples, seed=seed, cluster=cluster, family=family))
    ranked = systems.rankings
    dependent = dependence_warnings(systems.results)
    warnings = [*systems.notes, *dependent, *unopposed_marks(systems.results, ranked)]
    return replace(ranked, warnings=tuple(dict.fromkeys(warnings)))


def _with_unique_names(results: Sequence[Result]) -> list[Result]:
    """Return the results with repeated system names numbered."""
    seen: Counter[str] = Counter()
    named = []
    for result in results:
        if not isinstance(result, Result):
            return list(results)  # CompareRequest.check reports it
        seen[result.system] += 1
        again = seen[result.system]
        named.append(replace(result, system=f"{result.system} ({again})") if again > 1 else result)
    return named


@dataclass
class SubsetFamily:
    """Subsets of the items on which the same systems are tested, corrected together: subsets x pairs x metrics."""

    members: list[ManySystems] = field(default_factory=list)
    _corrected: dict[int, MaxTPairs] = field(default_factory=dict)
    _compared: dict[int, dict[Two, Comparison]] = field(default_factory=dict)

    def max_t(self, member: ManySystems) -> MaxTPairs:
        """Return the tests of one subset, corrected by max-T over all subsets."""
        if not self._corrected:
            permuted = [each.permuted(each.request.seed + place) for place, each in enumerate(self.members, 1)]
            corrected = correct_jointly(permuted, member.request)
            self._corrected = {id(each): made for each, made in zip(self.members, corrected, strict=True)}
        return self._corrected[id(member)]

    def by_p(self, member: ManySystems) -> dict[Two, Comparison]:
        """Return the comparisons of all pairs on one subset, with p corrected over all subsets."""
        if not self._compared:
            tasks = [(each, pair) for each in self.members for pair in each.pairs]
            results = [(each.by_name[a], each.by_name[b]) for each, (a, b) in tasks]
            for (each, pair), made in zip(tasks, compare_systems(results, member.request), strict=True):
                made.how = made.how._replace(pairs=len(each.pairs), sets=len(self.members))
                self._compared.setdefault(id(each), {})[pair] = made
        return self._compared[id(member)]


class ManySystems:
    """Several systems on their common items, tested by one procedure. Comparisons are computed on demand."""

    def __init__(
        self,
        results: Sequence[Result],
        request: CompareRequest,
        intervals: bool = True,
        family: SubsetFamily | None = None,
    ) -> None:
        """Align the results on their common items.

        Args:
            results: Two or more results, each with its own system name.
            request: How they are compared.
            intervals: Compute simultaneous confidence intervals of all pairs. They take as long as the test, and
                tables and pages do not show them.
            family: Other subsets of the items whose tests are corrected together with these.
        """
        request.check(results)
        names = [result.system for result in results]
        if len(names) < 2 or len(set(names)) < len(names):
            raise AssayError("Give two or more results, each with its own system name.")
        self.notes: list[str] = []
        """Notes about items that were left out."""
        aligned = with_same_clusters(on_common_items(results, self.notes), request.cluster)
        request = request.resolved(aligned[0])
        if len(results) > 2:
            self.notes += dependence_warnings(aligned)
        self.by_name = {result.system: result for result in aligned}
        self.request, self._intervals = request, intervals
        self._compared: dict[Two, Comparison] = {}
        self._family = family
        if family is not None:
            family.members.append(self)

    @property
    def results(self) -> list[Result]:
        return list(self.by_name.values())

    @property
    def pairs(self) -> list[Two]:
        return list(combinations(self.by_name, 2))

    @property
    def uses_max_t(self) -> bool:
        """Whether p is corrected by max-T over the same permutations of all pairs."""
        subsets = self._family is not None
        return self.request.corrected == "max-t" and (subsets or self.request.family != "pair")

    def with_first(self) -> list[Comparison]:
        """Compare every other system with the first."""
        first, *others = self.by_name
        return self.comparisons([(first, other) for other in others])

    def comparisons(self, pairs: Sequence[Two]) -> list[Comparison]:
        """Compare pairs of systems; the difference is second - first."""
        missing = [pair for pair in pairs if pair not in self._compared]
        if missing and self._family is not None and not self.uses_max_t:
            self._compared.update(self._family.by_p(self))
        elif missing and self.uses_max_t:
            self._compared.update(zip(missing, self._by_max_t(missing), strict=True))
        elif missing:
            wanted = list(missing)
            if self.request.family != "pair":  # p depends on all other pairs
                known = {*missing, *(pair[::-1] for pair in missing)}
                others = [(a, b) for a, b in self.pairs if (a, b) not in known]
                wanted += [(a, b) for a, b in others if have_common(self.by_name[a], self.by_name[b])]
            made = compare_systems([(self.by_name[a], self.by_name[b]) for a, b in wanted], self.request)
            for pair, comparison in zip(wanted, made, strict=True):
                comparison.how = comparison.how._replace(pairs=len(self.pairs))
                comparison.warnings[:0] = self.notes
                self._compared[pair] = comparison
        return explained([self._compared[pair] for pair in pairs], self.request)

    @cached_property
    def rankings(self) -> Rankings:
        """The rankings on every metric, from the tests of all pairs."""
        if self.uses_max_t:
            return self._max_t.rankings(self.results)
        return rankings_of(self.results, self.comparisons(self.pairs))

    @cached_property
    def _max_t(self) -> MaxTPairs:
        return self._family.max_t(self) if self._family else correct_jointly([self.permuted()], self.request)[0]

    def permuted(self, seed: int | None = None) -> PermutedSet:
        """Return the tests of all pairs before correction."""
        pairs = [(self.by_name[a], self.by_name[b]) for a, b in self.pairs]
        return permuted_set(pairs, replace(self.request, intervals=self._intervals), seed)

    def _by_max_t(self, pairs: Sequence[Two]) -> Iterator[Comparison]:
        paired = [Pair.of(self.by_name[a], self.by_name[b], self.request, len(self.by_name) == 2) for a, b in pairs]
        check_margins(self.request, paired)
        # For very many units sums are exact: pivots are the same for a pair alone and among all pairs, and are reused.
        reused = len(self.by_name) == 2 or all(result.units >= MANY_UNITS for result in self.results)
        places = {pair: place for place, pair in enumerate(self.pairs)}
        known = [self._max_t.of.differences[places[pair]] if reused and pair in places else {} for pair in pairs]
        tasks = [
            (pair.a, pair.b, [name for name in pair.tested if name not in rows])
            for pair, rows in zip(paired, known, strict=True)
        ]
        pivots = pivots_of(tasks, self.request.samples or RESAMPLES, self.request.seed)
        places |= {pair[::-1]: place for pair, place in places.items()}
        for names, pair, rows, more in zip(pairs, paired, known, pivots, strict=True):
            compared = self._max_t.rows(places[names], pair, {**rows, **more}, self.request)
            warnings = [*self.notes, *pair.warnings, *skewness_warnings(pair.a, pair.b, compared)]
            yield Comparison(pair.a, pair.b, compared, warnings, self._max_t.how, pair.apart)
