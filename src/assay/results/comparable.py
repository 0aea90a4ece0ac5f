"""Whether two results may be compared: on the same items, against the same texts, with the same choices."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from assay.errors import AssayError
from assay.metrics import Part
from assay.metrics.linter import lint_sizes
from assay.results.index import languages_of
from assay.results.measurement import Measurement
from assay.results.result import Result


def common_items(a: Result, b: Result, warnings: list[str]) -> tuple[Result, Result]:
    """Both on the items that both have, in the order of the first; a warning where items are left out."""
    if a.index is b.index:
        return a, b
    ids_a, ids_b = a.index["id"].to_list(), b.index["id"].to_list()
    if ids_a == ids_b:
        return a, b
    place = {id: i for i, id in enumerate(ids_b)}
    common = [(i, place[id]) for i, id in enumerate(ids_a) if id in place]
    if not common:
        raise AssayError(f"{a.system} and {b.system} have no item in common; {_instead(a, b)}")
    if len(common) < max(len(ids_a), len(ids_b)):
        warnings.append(
            f"items differ: compared on the {len(common)} that both have ({a.system} has {len(ids_a)}, "
            f"{b.system} has {len(ids_b)})"
        )
    first, second = (np.array(side, dtype=np.intp) for side in zip(*common, strict=True))
    return a.take(first), b.take(second)


def _instead(a: Result, b: Result) -> str:
    """What to do with results on different items: one may be a challenge set made from the items of the other."""
    for parents, children in ((a, b), (b, a)):
        made = len(set(children.index["parent"].drop_nulls()) & set(parents.index["id"]))
        if made:
            return (
                f"{made} items of {parents.system} are parents of those of {children.system}, which were made from "
                "them: `assay report` with both saved runs shows them side by side"
            )
    return "compare outputs for the same items"


def different_signatures(a: Result, b: Result, names: Iterable[str]) -> list[str]:
    """The numbers that were not computed in one way, so that no difference between them means anything."""
    first, second = signatures_here(a), signatures_here(b)
    return [name for name in names if first[id(a.parts[name][0])] != second[id(b.parts[name][0])]]


def signatures_here(result: Result) -> dict[int, str]:
    """What each measurement decided on the items at hand, which may be some of those that were scored."""
    languages = languages_of(result.index)
    return {id(m): m.over(m.rows, languages).signature for m in result.measurements}


def _grows_with_text(measurement: Measurement, part: Part) -> bool:
    """Whether longer outputs for the same items change a number of types; where references weigh words they do not."""
    return measurement.metric.sized(part) and "references" not in measurement.metric.needs


def misgivings(a: Result, b: Result, names: list[str]) -> list[str]:
    """What a reader should know before believing a difference in these numbers."""
    warnings: list[str] = []
    if a.digest and b.digest and a.digest != b.digest:
        warnings.append("the two were not scored against the same references and sources")
    for name in different_signatures(a, b, names):
        mine, theirs = a.parts[name][0].signature, b.parts[name][0].signature
        warnings.append(f"{name}: signatures differ, so the values are not comparable ({mine} against {theirs})")
    sized = [name for name in names if _grows_with_text(*a.parts[name])]
    rows = [{name: result.parts[name][0].rows for name in sized} for result in (a, b)]
    warnings.extend(lint_sizes(sized, rows[0], rows[1], (a.system, b.system)))
    only = [*dict.fromkeys(part for part in [*a.parts, *b.parts] if (part in a.parts) != (part in b.parts))]
    if only:
        listed = ", ".join(only[:6]) + (" …" if len(only) > 6 else "")
        warnings.append(f"only one of the two has {listed}")
    if a.n < 100:
        warnings.append(f"{a.n} items: below 100, differences between systems are unreliable")
    return warnings
