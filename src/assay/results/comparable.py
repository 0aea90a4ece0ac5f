"""Whether two results may be compared: on the same items, against the same texts, with the same choices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from assay.errors import AssayError
from assay.metrics import Part
from assay.results.measurement import Measurement
from assay.results.reference_digest import ReferenceDigest
from assay.results.result import Result

SIGNATURES = "signatures differ"


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


def have_common(a: Result, b: Result) -> bool:
    """Whether there is anything to compare: items, and numbers of them."""
    items = a.index is b.index or not set(a.index["id"]).isdisjoint(b.index["id"])
    return items and any(name in b.parts for name in a.shown)


def _instead(a: Result, b: Result) -> str:
    """What to do with results on different items: one may be a challenge set made from the items of the other."""
    for parents, children in ((a, b), (b, a)):
        made = len(set(children.index["parent"].drop_nulls()) & set(parents.index["id"]))
        if made:
            return (
                f"{made} items of {parents.system} are parents of those of {children.system}, which were made from "
                "them: `assay compare --against-parents` holds them against each other"
            )
    return "compare outputs for the same items"


def not_comparable(a: Result, b: Result, names: Iterable[str]) -> dict[str, str]:
    """The numbers of which no difference may be claimed, with the reason: they were not computed in one way, or not
    against the same texts. Everything that says which of two systems is better asks here first: terminal, report,
    pages and exports. Both results are on the same items."""
    return _apart(a, b, names, _changed_texts(a, b))


def _apart(a: Result, b: Result, names: Iterable[str], changed: Mapping[str, int]) -> dict[str, str]:
    apart = {}
    first, second = a.signatures_here, b.signatures_here
    for name in names:
        mine, theirs = a.parts[name][0], b.parts[name][0]
        others = [what for what in ("language", *mine.metric.needs) if what in changed]
        if first[id(mine)] != second[id(theirs)]:
            apart[name] = SIGNATURES
        elif others:
            apart[name] = f"other {' and '.join(others)}"
    return apart


def _changed_texts(a: Result, b: Result) -> dict[str, int]:
    """What the two were not judged by in the same way, and on how many items; on all where the texts are gone."""
    if not a.digest or not b.digest or a.digest == b.digest:
        return {}
    mine, theirs = (result.digest.by_id() if isinstance(result.digest, ReferenceDigest) else None for result in (a, b))
    if mine is None or theirs is None:
        return dict.fromkeys(("references", "sources", "inputs"), a.n)
    counts: Counter[str] = Counter()
    for id in a.index["id"].to_list():
        ours, others = mine.get(id, {}), theirs.get(id, {})
        counts.update(what for what in {**ours, **others} if ours.get(what) != others.get(what))
    return counts


def judged_apart(results: Mapping[str, Result]) -> list[str]:
    """What a reader of a table of systems must know: which were not judged against the same as the first one."""
    systems = list(results.items())
    apart: dict[str, list[str]] = {}
    for name, result in systems[1:]:
        if result.digest == systems[0][1].digest:
            continue
        try:
            a, b = common_items(systems[0][1], result, [])
        except AssayError:  # nothing in common, and nobody will compare them
            continue
        found = not_comparable(a, b, [number for number in a.shown if number in b.parts])
        numbers = [number for number, why in found.items() if why != SIGNATURES]
        if numbers:
            apart.setdefault(", ".join(numbers), []).append(name)
    return [
        f"{' and '.join(names)} {'was' if len(names) == 1 else 'were'} not scored against the same texts as "
        f"{systems[0][0]}, so these values are not comparable: {numbers}"
        for numbers, names in apart.items()
    ]


def _grows_with_text(measurement: Measurement, part: Part) -> bool:
    """Whether longer outputs for the same items change a number of types; where references weigh words they do not."""
    return measurement.metric.sized(part) and "references" not in measurement.metric.needs


def misgivings(a: Result, b: Result, names: list[str]) -> tuple[list[str], dict[str, str]]:
    """What a reader should know before believing a difference in these numbers; and those of which nothing may be said,
    as `not_comparable` has them."""
    from assay.metrics.checks.linter import lint_sizes

    warnings: list[str] = []
    texts = _changed_texts(a, b)
    apart = _apart(a, b, names, texts)
    others = [name for name, why in apart.items() if why != SIGNATURES]
    changed = {what: count for what, count in texts.items() if any(what in why for why in apart.values())}
    if others:
        said = " and ".join(f"{what} ({count} of {a.n} items)" for what, count in changed.items())
        warnings.append(
            f"the two were not scored against the same {said}, so the values are not comparable: {', '.join(others)}"
        )
    for name in (name for name, why in apart.items() if why == SIGNATURES):
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
        warnings.append(f"{a.n} item{'s' * (a.n != 1)}: below 100, differences between systems are unreliable")
    return warnings, apart
