"""Comparison of a system on challenge items with itself on the original items (their parents)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.statistics import concat
from assay.results.compare import CompareRequest, compare_systems
from assay.results.comparison import Comparison
from assay.results.index import ItemIndex
from assay.results.result import Result

PARENTS = "parents"


def is_challenge(result: Result) -> bool:
    """Return whether any item is linked to an original item."""
    return "parent" in result.index.columns and any(each is not None for each in result.index.values("parent"))


def compare_with_parents(results: Sequence[Result], **options: Any) -> list[Comparison]:
    """Compare every challenge set among the results with its original items among the others.

    An original item counts once for each challenge item made from it; these are resampled as one cluster.

    Args:
        results: Results on challenge sets and on original items, in any order; the original items may be in several.
        options: Options of `assay.compare`: `test`, `samples`, `seed`, `family` and others.

    Returns:
        One comparison for each challenge set; the difference is challenge - original.

    Raises:
        AssayError: No result has items with a parent, or their parents are missing.

    Example:
        >>> originals = [assay.Example(id=str(i), references=("the cat sat",)) for i in range(8)]
        >>> made = [assay.Example(id=f"{i}/x", parent=str(i), references=("the cat sat",)) for i in range(8)]
        >>> plain = assay.score(["the cat sat"] * 8, examples=originals, metrics="rouge1", system="bart")
        >>> changed = assay.score(["the dog sat"] * 8, examples=made, metrics="rouge1", system="bart")
        >>> round(assay.compare_with_parents([plain, changed])[0]["rouge1"].difference, 3)
        -0.333
    """
    return compare_challenges(results, CompareRequest(**options))


def compare_challenges(results: Sequence[Result], request: CompareRequest) -> list[Comparison]:
    """Compare every challenge set with its original items, as `compare_with_parents` does."""
    parts = [part for result in results for part in _split(result)]
    children = [result for result in parts if is_challenge(result)]
    originals = [result for result in parts if not is_challenge(result)]
    if not children:
        raise AssayError("No result has items with a parent. Score a challenge set made by `assay challenge make`.")
    pairs: list[tuple[Result, Result]] = []
    notes: list[list[str]] = []
    for child in children:
        own_notes: list[str] = []
        own = _own(child, originals)
        if others := ", ".join(dict.fromkeys(result.system for result in own if result.system != child.system)):
            own_notes.append(f"No run of {child.system} has the original items; {others} is used as the same system.")
        pairs.append(with_parents(child, own, own_notes))
        notes.append(own_notes)
    comparisons = compare_systems(pairs, request)
    for comparison, own_notes in zip(comparisons, notes, strict=True):
        comparison.warnings[:0] = own_notes
    return comparisons


def with_parents(child: Result, originals: Sequence[Result], notes: list[str]) -> tuple[Result, Result]:
    """Return the original items in the order of the challenge items, and the challenge items whose parent is known.

    Args:
        child: A result on challenge items.
        originals: Results with the original items.
        notes: A note is appended if some parents are missing.
    """
    if not originals:
        raise AssayError(f"{child.system}: its parents are not among the results. Add the run on the original items.")
    place = {id: i for i, id in enumerate(id for result in originals for id in result.index.ids)}
    if len(place) < sum(result.n for result in originals):
        names = ", ".join(result.system for result in originals)
        raise AssayError(
            f"{child.system}: parents are in several of {names}. Give the runs of one system the same name."
        )
    wanted = child.index.values("parent")
    kept = [(i, place[id]) for i, id in enumerate(wanted) if id in place]
    if not kept:
        raise AssayError(
            f"{child.system}: none of its {child.n} parents is an item of "
            f"{', '.join(result.system for result in originals)} (first: {next(filter(None, wanted))})."
        )
    if len(kept) < child.n:
        lost = next(id for id in wanted if id not in place)
        notes.append(
            f"{child.n - len(kept)} of {child.n} challenge items are left out: their parent is not among the results "
            f"(first: {lost})."
        )
    mine, theirs = (np.array(side, dtype=np.intp) for side in zip(*kept, strict=True))
    changed = child.take(mine)
    original = _joined(originals).take(theirs)
    name = _kind(changed)
    # References may differ by design, so both get the same digest.
    return (
        replace(
            original, system=f"{originals[0].system} ({PARENTS})", index=changed.index, digest=changed.digest, notes=()
        ),
        replace(changed, system=f"{child.system} ({name})"),
    )


def _split(result: Result) -> list[Result]:
    """Split a result that has both into original items and challenge items."""
    if not is_challenge(result):
        return [result]
    changed = np.array([parent is not None for parent in result.index.values("parent")], dtype=bool)
    return [result] if changed.all() else [result.take(np.flatnonzero(side)) for side in (~changed, changed)]


def _own(child: Result, originals: Sequence[Result]) -> list[Result]:
    """Return the results of the same system; all of them if no name matches."""
    return [result for result in originals if result.system == child.system] or list(originals)


def _joined(results: Sequence[Result]) -> Result:
    """Return several results as one, with the metrics that all have with the same options."""
    first = results[0]
    if len(results) == 1:
        return first
    index = ItemIndex({"id": [id for result in results for id in result.index.ids]})
    measurements = []
    for measurement in first.measurements:
        same = [m for other in results[1:] for m in other.measurements if m.metric == measurement.metric]
        if len(same) == len(results) - 1:
            rows = concat([measurement.rows, *(each.rows for each in same)])
            measurements.append(replace(measurement, rows=rows))
    if not measurements:
        raise AssayError(f"Parents of {first.system}: no metric in common. Score their runs with the same metrics.")
    return replace(first, index=index, measurements=tuple(measurements))


def _kind(child: Result) -> str:
    """Return the kind of challenge, if the items are tagged with one kind."""
    if "tags.challenge" not in child.index.columns:
        return "changed"
    kinds = set(child.index.values("tags.challenge")) - {None}
    return str(kinds.pop()) if len(kinds) == 1 else "changed"
