"""Does the test keep its level on these very outputs? A true null hypothesis is made of them, many times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars

from assay.errors import AssayError
from assay.metrics.engine.statistics import concat
from assay.progress import track
from assay.results.comparable import common_items
from assay.results.compare import Asked, compare_systems
from assay.results.index import column_of
from assay.results.result import Result
from assay.results.verdict import LEVEL
from assay.stats.interval import share_interval

DRAWS = 200
SAMPLES = 499
"""Swaps or resamples of each test: p comes in steps of .002."""


@dataclass(frozen=True)
class Checked:
    """How often two systems that do not differ were called different on one number."""

    rejected: int
    draws: int
    low: float
    high: float
    """Between which shares the true error rate lies (95 %)."""

    @property
    def share(self) -> float:
        return self.rejected / self.draws

    @property
    def kept(self) -> bool:
        """Whether the level may be kept: it lies within what was seen, or above."""
        return self.low <= LEVEL


@dataclass(frozen=True)
class SelfCheck:
    """By number; and how often any number at all was called different after correction."""

    by_name: dict[str, Checked]
    any_after_correction: Checked
    test: str
    systems: list[str]

    def to_dict(self) -> dict[str, object]:
        """As `assay analyze null-test --json` prints it."""

        def shown(checked: Checked) -> dict[str, object]:
            return {"rejected": checked.share, "low": checked.low, "high": checked.high, "draws": checked.draws}

        return {
            "level": LEVEL,
            "test": self.test,
            "systems": self.systems,
            "metrics": {name: shown(checked) for name, checked in self.by_name.items()},
            "any_after_correction": shown(self.any_after_correction),
        }


def selfcheck(
    results: Sequence[Result],
    *,
    draws: int = DRAWS,
    test: str = "permutation",
    samples: int = SAMPLES,
    seed: int = 0,
    cluster: str | None = None,
) -> SelfCheck:
    """How often the test calls systems different that are not, on your own outputs.

    `results` are two or more of `assay.score`, on the same items. In each of `draws` a pair of them is taken, items are
    drawn anew, and the outputs of each item (or `cluster`) are given to either side by chance: there is nothing to
    find. `test`, `samples` and `seed` are as in `assay.compare`. The share of p below .05 should be near 5 %.

    >>> texts = {"a": ["the cat sat", "a dog", "no"] * 7, "b": ["a cat sat", "the dog", "so"] * 7}
    >>> results = assay.score_all(texts, ["the cat sat", "a dog", "no"] * 7, metrics="rouge1")
    >>> checked = assay.selfcheck(list(results.values()), draws=20)
    >>> checked.by_name["rouge1"].draws
    20
    """
    if len(results) < 2:
        raise AssayError(
            "selfcheck takes two systems or more: a true null hypothesis is made by swapping their outputs"
        )
    if "," in (cluster or ""):
        raise AssayError(f"cluster={cluster}: selfcheck swaps one kind of clusters; name one of them")
    pairs = [common_items(a.clustered(cluster), b.clustered(cluster), []) for a, b in combinations(results, 2)]
    asked = Asked(test, samples, seed, cluster, intervals=False)
    asked.check(results)
    random = np.random.default_rng(seed)
    rejected: dict[str, list[bool]] = {}
    any_sure: list[bool] = []
    words = ""
    for number in track(range(draws), "selfcheck"):
        null = exchanged(*redrawn(*pairs[number % len(pairs)], random), random)
        comparison = compare_systems([null], asked._replace(seed=seed + number))[0]
        words = comparison.test
        known = {name: row for name, row in comparison.items() if row.p is not None}
        for name, row in known.items():
            rejected.setdefault(name, []).append(row.p is not None and row.p < LEVEL)
        any_sure.append(any(comparison.how.sure(row) for row in known.values()))
    if not rejected:
        raise AssayError("no number could be tested on these outputs; see `assay compare` for the reasons")
    by_name = {name: _checked(found) for name, found in rejected.items()}
    return SelfCheck(by_name, _checked(any_sure), words, [result.system for result in results])


def _checked(found: Sequence[bool]) -> Checked:
    return Checked(sum(found), len(found), *share_interval(sum(found), len(found)))


def redrawn(a: Result, b: Result, random: np.random.Generator) -> tuple[Result, Result]:
    """Both on items (or clusters) drawn with replacement, as others of the same kind would be."""
    units = a.units
    members = [[i] for i in range(a.n)] if a.codes is None else [np.flatnonzero(a.codes == u) for u in range(units)]
    drawn = random.integers(0, units, units)
    items = np.concatenate([members[unit] for unit in drawn]).astype(np.intp)
    numbers = {"id": np.arange(len(items))}
    if a.cluster:
        numbers[column_of(a.index, a.cluster)] = np.repeat(np.arange(units), [len(members[unit]) for unit in drawn])
    columns = [polars.Series(name, values).cast(polars.String) for name, values in numbers.items()]
    taken = [result.take(items) for result in (a, b)]
    first, second = (replace(each, index=each.index.with_columns(columns)) for each in taken)
    return first, second


def exchanged(a: Result, b: Result, random: np.random.Generator) -> tuple[Result, Result]:
    """Two systems that do not differ: the two outputs of every item (or cluster) belong to either side by chance."""
    coins = random.integers(0, 2, a.units)
    moved = (coins if a.codes is None else coins[a.codes]) * a.n
    here = np.arange(a.n)
    sides = ((here + moved).astype(np.intp), (here + a.n - moved).astype(np.intp))
    theirs = {measurement.signature: measurement for measurement in b.measurements}
    both = [(m, concat([m.rows, theirs[m.signature].rows])) for m in a.measurements if m.signature in theirs]
    first, second = (
        replace(a, system=name, measurements=tuple(replace(m, rows=rows.take(side)) for m, rows in both))
        for name, side in zip("ab", sides, strict=True)
    )
    return first, second
