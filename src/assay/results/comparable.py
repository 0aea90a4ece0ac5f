"""Whether two results are comparable: the same items, the same references and sources, the same metric options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from assay.errors import AssayError
from assay.metrics import Part
from assay.records.positions import off_by_one
from assay.records.types import FIELDS_OF_NEEDS
from assay.results.measurement import Measurement
from assay.results.reference_digest import ReferenceDigest
from assay.results.result import Result
from assay.results.verdict import SMALL

SIGNATURES = "signatures differ"
MOST_NAMED = 8
"""Systems whose number of items a warning states."""


def common_items(a: Result, b: Result, warnings: list[str]) -> tuple[Result, Result]:
    """Return both results on their common items, in the order of the first.

    Args:
        a: A result.
        b: Another one.
        warnings: A warning is appended if items are left out.

    Raises:
        AssayError: The results share no item.
    """
    first, second = align(a, b, warnings)
    warnings += items_differ([a, b], first.n)
    return first, second


def align(a: Result, b: Result, warnings: list[str]) -> tuple[Result, Result]:
    """Return what `common_items` returns, without the warning about items that are left out."""
    if a.index is b.index:
        return a, b
    ids_a, ids_b = a.index.ids, b.index.ids
    _check_numbers(a, b, warnings)
    if ids_a == ids_b:
        return a, b
    place = {id: i for i, id in enumerate(ids_b)}
    common = [(i, place[id]) for i, id in enumerate(ids_a) if id in place]
    if not common:
        raise AssayError(f"{a.system} and {b.system} have no item in common. {_remedy(a, b)}")
    first, second = (np.array(side, dtype=np.intp) for side in zip(*common, strict=True))
    return a.take(first), b.take(second)


def items_differ(results: Sequence[Result], common: int) -> list[str]:
    """Return the warning that results are compared on `common` items and some have more; empty if none has."""
    if common == max(each.n for each in results):
        return []
    who = "both" if len(results) == 2 else f"all {len(results)} systems"
    counts = ", ".join(f"{each.system} has {each.n}" for each in results[:MOST_NAMED])
    more = ", …" if len(results) > MOST_NAMED else ""
    return [f"Items differ: compared on the {common} items that {who} have ({counts}{more})."]


def _check_numbers(a: Result, b: Result, warnings: list[str]) -> None:
    """Refuse ids that differ by one, and items without ids next to other ids; warn if their numbers are the ids."""
    ids_a, ids_b = a.index.ids, b.index.ids
    if off_by_one(ids_a, ids_b):
        raise AssayError(
            f"{a.system} and {b.system}: ids differ by one ({ids_a[0]} and {ids_b[0]} are first). "
            "Count both from 0 or both from 1, or leave out the ids of both."
        )
    if a.numbered == b.numbered:
        return
    bare, named = (a, b) if a.numbered else (b, a)
    if set(ids_a) != set(ids_b):
        raise AssayError(
            f"{bare.system} has no ids, and {named.system} has other ids than the numbers 1 to {bare.n}. "
            "Give both systems ids, or leave out the ids of both."
        )
    warnings.append(
        f"{bare.system} has no ids: its items were numbered from 1 and paired with the ids of {named.system}."
    )


def have_common(a: Result, b: Result) -> bool:
    """Return whether two results share an item and a metric."""
    items = a.index is b.index or not set(a.index.ids).isdisjoint(b.index.ids)
    return items and any(name in b.parts for name in a.shown)


def _remedy(a: Result, b: Result) -> str:
    """Return what to do with results on different items: one may be a challenge set made from the other's items."""
    for parents, children in ((a, b), (b, a)):
        made = len((set(children.index.values("parent")) - {None}) & set(parents.index.ids))
        if made:
            return (
                f"{made} items of {parents.system} are parents of items of {children.system}: "
                "use `assay compare --against-parents`."
            )
    return "Compare outputs for the same items."


def not_comparable(a: Result, b: Result, names: Iterable[str]) -> dict[str, str]:
    """Return the metrics that are not comparable, with the reason: other options, references, sources or language.

    Terminal, report, pages and exports use this before they claim a difference. Both results are on the same items.
    """
    return _incomparable(a, b, names, _changed_texts(a, b))


def _incomparable(a: Result, b: Result, names: Iterable[str], changed: Mapping[str, int]) -> dict[str, str]:
    reasons = {}
    first, second = a.signatures_here, b.signatures_here
    for name in names:
        mine, theirs = a.parts[name][0], b.parts[name][0]
        others = [what for what in ("language", *mine.metric.needs) if what in changed]
        if first[id(mine)] != second[id(theirs)]:
            reasons[name] = SIGNATURES
        elif others:
            verb = "differs" if others == ["language"] else "differ"
            reasons[name] = f"{' and '.join(others)} {verb}"
    return reasons


def _changed_texts(a: Result, b: Result) -> dict[str, int]:
    """Return the number of items whose references, sources, inputs or language differ; all if the texts are lost."""
    if not a.digest or not b.digest or a.digest == b.digest:
        return {}
    mine, theirs = (result.digest.by_id() if isinstance(result.digest, ReferenceDigest) else None for result in (a, b))
    if mine is None or theirs is None:
        return dict.fromkeys(FIELDS_OF_NEEDS, a.n)
    counts: Counter[str] = Counter()
    for id in a.index.ids:
        ours, others = mine.get(id, {}), theirs.get(id, {})
        counts.update(what for what in {**ours, **others} if ours.get(what) != others.get(what))
    return counts


def reference_mismatches(results: Mapping[str, Result]) -> list[str]:
    """Return a warning for systems that were scored against other texts than the first one."""
    systems = list(results.items())
    mismatches: dict[str, list[str]] = {}
    for name, result in systems[1:]:
        if result.digest == systems[0][1].digest:
            continue
        try:
            a, b = common_items(systems[0][1], result, [])
        except AssayError:  # without common items they are never compared
            continue
        reasons = not_comparable(a, b, [metric for metric in a.shown if metric in b.parts])
        metrics = [metric for metric, why in reasons.items() if why != SIGNATURES]
        if metrics:
            mismatches.setdefault(", ".join(metrics), []).append(name)
    return [
        f"{' and '.join(names)} {'was' if len(names) == 1 else 'were'} not scored against the same texts as "
        f"{systems[0][0]}; not comparable: {metrics}."
        for metrics, names in mismatches.items()
    ]


def _grows_with_text(measurement: Measurement, part: Part) -> bool:
    """Return whether longer outputs change a metric; those that weigh words by the references do not change."""
    return measurement.metric.sized(part) and "references" not in measurement.metric.needs


def length_warnings(a: Result, b: Result, names: Iterable[str]) -> dict[str, str]:
    """Return a warning for each metric that depends on the amount of text, if the systems' outputs differ in length."""
    from assay.metrics.checks.linter import lint_sizes

    warnings = {}
    for name in (name for name in names if _grows_with_text(*a.parts[name])):
        rows = [{name: result.parts[name][0].rows} for result in (a, b)]
        if lines := lint_sizes([name], rows[0], rows[1], (a.system, b.system)):
            warnings[name] = lines[0]
    return warnings


def check_comparability(a: Result, b: Result, names: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return warnings about comparing these metrics, and those that are not comparable with the reason."""
    warnings: list[str] = []
    texts = _changed_texts(a, b)
    apart = _incomparable(a, b, names, texts)
    others = [name for name, why in apart.items() if why != SIGNATURES]
    changed = {what: count for what, count in texts.items() if any(what in why for why in apart.values())}
    if others:
        counts = " and ".join(f"{what} ({count} of {a.n} items)" for what, count in changed.items())
        warnings.append(f"Not scored against the same {counts}; not comparable: {', '.join(others)}.")
    for name in (name for name, why in apart.items() if why == SIGNATURES):
        mine, theirs = a.parts[name][0].signature, b.parts[name][0].signature
        warnings.append(f"{name}: signatures differ, scores are not comparable ({mine} and {theirs}).")
    warnings.extend(length_warnings(a, b, names).values())
    only = [*dict.fromkeys(part for part in [*a.parts, *b.parts] if (part in a.parts) != (part in b.parts))]
    if only:
        listed = ", ".join(only[:6]) + (" …" if len(only) > 6 else "")
        warnings.append(f"Only one of the two systems has {listed}.")
    warnings += [*a.without_value, *b.without_value]
    if a.units < SMALL:
        warnings.append(small_sample(a.units, bool(a.clusters_by)))
    return warnings, apart


def small_samples(results: Collection[Result], items: int = 0) -> str | None:
    """Return the warning of results on one dataset if the largest is a small sample; else None.

    Args:
        results: The results.
        items: Number of items, used where there is no result.
    """
    largest = max(results, key=lambda each: each.units, default=None)
    units, clustered = (largest.units, bool(largest.clusters_by)) if largest else (items, False)
    return small_sample(units, clustered) if 0 < units < SMALL else None


def small_sample(units: int, clustered: bool = False) -> str:
    """Return the warning of a sample below `SMALL` items or clusters."""
    of = " clusters" if clustered else ""
    return f"Small sample (n = {units}{of}): only large differences can be detected. See `assay analyze power`."
