"""A system on changed items against itself on the items they were made from, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import AssayError
from assay.metrics.engine.statistics import concat
from assay.results.compare import Asked, compare_systems
from assay.results.comparison import Comparison
from assay.results.result import Result

PARENTS = "parents"


def is_challenge(result: Result) -> bool:
    """Whether its items were made from others."""
    return "parent" in result.index.columns and result.index["parent"].null_count() < result.n


def compare_with_parents(results: Sequence[Result], **asked: Any) -> list[Comparison]:
    """Every challenge set among `results` against its parents among the others.

    The difference is changed minus original. Parents may stand in several results; a parent with several children
    counts once for each of them, and its children are drawn together.
    What may be `asked` is what `assay.compare` takes: `test`, `samples`, `seed`, `family` and so on.

    >>> kept = [assay.Example(id=str(i), references=("the cat sat",)) for i in range(8)]
    >>> made = [assay.Example(id=f"{i}/x", parent=str(i), references=("the cat sat",)) for i in range(8)]
    >>> plain = assay.score(["the cat sat"] * 8, examples=kept, metrics="rouge1", system="bart")
    >>> changed = assay.score(["the dog sat"] * 8, examples=made, metrics="rouge1", system="bart")
    >>> round(assay.compare_with_parents([plain, changed])[0]["rouge1"].difference, 3)
    -0.333
    """
    parts = [part for result in results for part in _apart(result)]
    children = [result for result in parts if is_challenge(result)]
    originals = [result for result in parts if not is_challenge(result)]
    if not children:
        raise AssayError("no result has items with a parent; score a challenge set, which `assay challenge make` makes")
    pairs: list[tuple[Result, Result]] = []
    notes: list[list[str]] = []
    for child in children:
        said: list[str] = []
        own = _own(child, originals)
        if others := ", ".join(dict.fromkeys(result.system for result in own if result.system != child.system)):
            said.append(f"no run of {child.system} has the original items, and {others} is taken for the same system")
        pairs.append(with_parents(child, own, said))
        notes.append(said)
    chosen = Asked(**asked)
    clusters = {"parent" if _related(child) else None for _, child in pairs}
    if chosen.cluster is None and len(clusters) == 1:
        chosen = chosen._replace(cluster=clusters.pop())
    elif chosen.cluster is None:
        chosen = chosen._replace(cluster="parent")
    compared = compare_systems(pairs, chosen)
    for one, said in zip(compared, notes, strict=True):
        one.warnings[:0] = said
    return compared


def with_parents(child: Result, originals: Sequence[Result], notes: list[str]) -> tuple[Result, Result]:
    """The parents' rows in the order of their children, and the children that have one; notes say who has none."""
    if not originals:
        raise AssayError(
            f"{child.system}: its parents are not among the results; name the run of the original items, too"
        )
    place = {id: i for i, id in enumerate(id for result in originals for id in result.index["id"].to_list())}
    if len(place) < sum(result.n for result in originals):
        names = ", ".join(result.system for result in originals)
        raise AssayError(
            f"{child.system}: parents stand in several of {names}; call the runs of one system by the same name"
        )
    wanted = child.index["parent"].to_list()
    kept = [(i, place[id]) for i, id in enumerate(wanted) if id in place]
    if not kept:
        raise AssayError(
            f"{child.system}: none of its {child.n} parents is among the items of "
            f"{', '.join(result.system for result in originals)} (the first is {next(filter(None, wanted))})"
        )
    if len(kept) < child.n:
        lost = next(id for id in wanted if id not in place)
        notes.append(
            f"{child.n - len(kept)} of {child.n} changed items have no parent among the results (the first: {lost}); "
            "they are left out"
        )
    mine, theirs = (np.array(side, dtype=np.intp) for side in zip(*kept, strict=True))
    changed = child.take(mine)
    original = _joined(originals).take(theirs)
    name = _kind(changed)
    # What the two were judged against differs by intent, so the digest of one stands for both.
    return (
        replace(
            original, system=f"{originals[0].system} ({PARENTS})", index=changed.index, digest=changed.digest, notes=()
        ),
        replace(changed, system=f"{child.system} ({name})"),
    )


def _apart(result: Result) -> list[Result]:
    """Changed items and those without a parent, where one result holds both."""
    if not is_challenge(result):
        return [result]
    changed = result.index["parent"].is_not_null().to_numpy()
    return [result] if changed.all() else [result.take(np.flatnonzero(side)) for side in (~changed, changed)]


def _own(child: Result, originals: Sequence[Result]) -> list[Result]:
    """The results of the same system; where no name fits, all of them."""
    return [result for result in originals if result.system == child.system] or list(originals)


def _joined(results: Sequence[Result]) -> Result:
    """The results of several files as one, with the metrics that all have, each computed in one way."""
    first = results[0]
    if len(results) == 1:
        return first
    index = first.index.select("id").vstack(first.index.select("id").clear())
    for other in results[1:]:
        index = index.vstack(other.index.select("id"))
    measurements = []
    for measurement in first.measurements:
        same = [m for other in results[1:] for m in other.measurements if m.metric == measurement.metric]
        if len(same) == len(results) - 1:
            rows = concat([measurement.rows, *(each.rows for each in same)])
            measurements.append(replace(measurement, rows=rows))
    if not measurements:
        raise AssayError(f"the parents of {first.system} stand in files without a metric in common; score them alike")
    return replace(first, index=index, measurements=tuple(measurements))


def _related(child: Result) -> bool:
    return child.index["parent"].n_unique() < child.n


def _kind(child: Result) -> str:
    """What was done to the items, where they say so."""
    if "tags.challenge" not in child.index.columns:
        return "changed"
    kinds = child.index["tags.challenge"].drop_nulls().unique().to_list()
    return str(kinds[0]) if len(kinds) == 1 else "changed"
