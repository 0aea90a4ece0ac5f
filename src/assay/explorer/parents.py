"""Challenge sets among opened results, each system on one against itself on the items it was made from."""

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
    """Every system on a challenge set that was opened with the originals; nothing for other sets."""
    held = library.datasets.get(dataset)
    if held is None:
        return []
    found: list[Result] = []
    for system, child in held.results.items():
        if is_challenge(child) and (originals := _originals(library, dataset, system, child)):
            found += [replace(child, system=system), *originals]
    if not found:
        return []
    try:
        return compare_with_parents(found, family=family)
    except AssayError:  # no metric in common; the scores stand in the tables all the same
        return []


def _originals(library: Library, dataset: str, system: str, child: Result) -> list[Result]:
    """The same system on other sets that hold parents: the set that holds all of them, else as many as it takes."""
    wanted = set(child.index["parent"].drop_nulls().to_list())
    holding: list[tuple[int, Result]] = []
    for name, other in library.datasets.items():
        result = other.results.get(system)
        if name != dataset and result is not None and not is_challenge(result):
            shared = len(wanted.intersection(result.index["id"].to_list()))
            if shared == len(wanted):
                return [replace(result, system=system)]
            if shared:
                holding.append((shared, replace(result, system=system)))
    taken: set[str] = set()
    chosen = []
    for _, result in sorted(holding, key=lambda one: -one[0]):
        ids = set(result.index["id"].to_list())
        if not ids & taken:
            chosen.append(result)
            taken |= ids
    return chosen
