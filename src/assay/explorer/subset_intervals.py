"""Confidence intervals of the difference of two systems on every subset: where do they really differ?"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, islice
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.explorer.overview import subset_keys
from assay.explorer.payloads import SubsetPage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.store.library import DatasetResults

MOST_SUBSETS = 80
"""Maximum number of subsets with intervals, as many as the heat map has rows."""
MOST_VALUES = 3_000_000
"""Maximum of pairs x subsets x metrics x items of a dataset in a one-file report: some 10 s of one core."""


def subset_intervals(stored: DatasetResults, a: str, b: str) -> SubsetPage:
    """Return pointwise 95 % intervals of `a - b` by subset and metric, paired, with the clusters of a comparison."""
    from assay.results.compare import CompareRequest
    from assay.results.many_systems import ManySystems
    from assay.results.paper_table import subsets_of

    results = [replace(stored.results[system], system=system) for system in (a, b)]
    request = CompareRequest(family="pair", diagnosed=False)  # the comparison on all items warns
    subsets: dict[str, dict[str, tuple[float, float]]] = {}
    for name, members in islice(subsets_of(results, subset_keys(stored, results[0])), MOST_SUBSETS):
        try:
            (compared,) = ManySystems(members, request).with_first()
        except AssayError:  # too few items: the page shows the difference alone
            continue
        subsets[name] = {
            metric: (-row.high, -row.low)
            for metric, row in compared.items()
            if row.low is not None and row.high is not None
        }
    return SubsetPage(dataset=stored.name, a=a, b=b, subsets=subsets)


def affordable_pairs(stored: DatasetResults, rows: int, metrics: int) -> Iterator[tuple[str, str]]:
    """Return the pairs of systems whose intervals a one-file report can contain."""
    items = max((result.n for result in stored.results.values()), default=0)
    each = max(1, min(rows, MOST_SUBSETS) * metrics * items)
    return islice(combinations(stored.results, 2), MOST_VALUES // each)
