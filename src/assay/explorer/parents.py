"""Comparison of systems on challenge sets with themselves on the original items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.results.parents import compare_with_parents, is_challenge

if TYPE_CHECKING:
    from assay.results.comparison import Comparison
    from assay.results.result import Result
    from assay.results.verdict import Family
    from assay.store.library import Library


def against_parents(library: Library, dataset: str, family: Family) -> list[Comparison]:
    """Compare every system on a challenge set with itself on the original items; empty for other datasets."""
    results = library.datasets.get(dataset)
    if results is None:
        return []
    compared: list[Result] = []
    for system, child in results.results.items():
        if is_challenge(child) and (originals := _originals(library, dataset, system, child)):
            compared += [replace(child, system=system), *originals]
    if not compared:
        return []
    try:
        return compare_with_parents(compared, family=family)
    except AssayError:  # no metric in common: the tables still show the scores
        return []


def _originals(library: Library, dataset: str, system: str, child: Result) -> list[Result]:
    """Return the same system's results on datasets with the original items: one with all of them, or several."""
    wanted = set(child.index["parent"].drop_nulls().to_list())
    candidates: list[tuple[int, Result]] = []
    for name, other in library.datasets.items():
        result = other.results.get(system)
        if name != dataset and result is not None and not is_challenge(result):
            shared = len(wanted.intersection(result.index["id"].to_list()))
            if shared == len(wanted):
                return [replace(result, system=system)]
            if shared:
                candidates.append((shared, replace(result, system=system)))
    taken: set[str] = set()
    chosen = []
    for _, result in sorted(candidates, key=lambda one: -one[0]):
        ids = set(result.index["id"].to_list())
        if not ids & taken:
            chosen.append(result)
            taken |= ids
    return chosen
