"""Verdict sentences of comparisons: direction, size, confidence interval and test. Every surface prints these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.results.verdict import CRITICAL, LEVEL, SMALL, is_significant
from assay.show.escape import plain
from assay.show.numbers import number, probability, share, size
from assay.stats.power import design_errors

if TYPE_CHECKING:
    from assay.results.comparison import Compared, Comparison
    from assay.results.null_test import NullTest

RARE = 0.001
ENOUGH_POWER = 0.8
"""Power for half of an observed difference from which it is not called overstated."""
DETAILED = 2
"""Up to this number of differences, the sentence gives names, sizes, intervals and p; the table has all."""
LISTED = 12
"""Names listed in a sentence; the table has all of them."""


def verdict_of(comparison: Comparison) -> str:
    """Return the verdict on b against a without its subject, e.g. `significantly better on chrf (+3.0, …)`."""
    significant = {name: row for name, row in comparison.items() if is_significant(row.p_adjusted)}
    detailed = len(significant) <= DETAILED
    sides: dict[str, list[str]] = {}
    for name, row in significant.items():
        words = f"{row.label} ({_size(comparison, name, row)})" if detailed else row.label
        sides.setdefault(_direction(row), []).append(words)
    clauses = [f"{direction} on {listed(sides[direction])}" for direction in DIRECTIONS if direction in sides]
    clauses = [f"significantly {' and '.join(clauses)}"] if clauses else []
    others = [row for name, row in comparison.items() if row.p_adjusted is not None and name not in significant]
    if others:
        clauses.append(f"no significant difference on {_others(others)}")
    return "; ".join([*clauses, *not_comparable_clauses(comparison.apart)])


DIRECTIONS = ("better", "worse", "higher", "lower")


def _direction(row: Compared) -> str:
    if row.better is not None:
        return "better" if row.better == "b" else "worse"
    return "higher" if (row.difference or 0) > 0 else "lower"


def _size(comparison: Comparison, name: str, row: Compared) -> str:
    """Return `+3.0, 95 % CI +1.5 to +4.4, adjusted p = .004`."""
    part = comparison.a.parts[name][1]
    ends = [number(end, part, signed=True) for end in (row.low, row.high) if end is not None]
    interval = [f"95 % CI {' to '.join(ends)}"] if len(ends) == 2 else []
    difference = number(row.difference, part, signed=True)
    return ", ".join([difference, *interval, f"adjusted {p_words(row.p_adjusted, row.floor)}"])


def _others(rows: Sequence[Compared]) -> str:
    if len(rows) == 1:
        return f"{rows[0].label} (adjusted {p_words(rows[0].p_adjusted, rows[0].floor)})"
    return listed([row.label for row in rows]) if len(rows) <= DETAILED else f"{len(rows)} metrics"


def p_words(p: float | None, floor: bool = False) -> str:
    """Return `p = .042`, or `p < .001` for a bound."""
    shown = probability(p, floor)
    return f"p < {shown[1:]}" if shown.startswith("<") else f"p = {shown}"


def listed(names: Sequence[str]) -> str:
    """Return names joined by commas, at most `LISTED` of them."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


def not_comparable_clauses(apart: Mapping[str, str]) -> list[str]:
    """Return `rouge1, rouge2 not comparable (references differ)` for each reason."""
    reasons = {why: [name for name in apart if apart[name] == why] for why in dict.fromkeys(apart.values())}
    return [f"{', '.join(names)} not comparable ({why})" for why, names in reasons.items()]


def conclusion(comparisons: Sequence[Comparison]) -> str:
    """Return the verdict on all comparisons with the first system, its procedure, and what margins show.

    Args:
        comparisons: One or more comparisons that share their system `a`.
    """
    how = max((each.how for each in comparisons), key=lambda each: each.tests)
    sizes = sorted({each.a.n for each in comparisons})
    n = f"{sizes[0]:,}" + (f" to {sizes[-1]:,}" if len(sizes) > 1 else "")
    text = _two_systems(comparisons[0]) if len(comparisons) == 1 else _several_systems(comparisons)
    more = (_items_needed(comparisons[0]) or overstated(comparisons[0])) if len(comparisons) == 1 else ""
    verdict = _with_procedure(text, f"{how.words()}; n = {n}") if how.tests else f"{text}."
    first = comparisons[0].a
    impossible = how.unattainable(first.units, "clusters" if first.clusters_by else "items")
    return " ".join(filter(None, [verdict, impossible or more, *margin_sentences(comparisons)]))


def _with_procedure(text: str, procedure: str) -> str:
    """Append the procedure in parentheses, or as a sentence of its own after a clause that ends with parentheses."""
    if text.endswith(")"):
        return f"{text}. {procedure[0].upper()}{procedure[1:]}."
    return f"{text} ({procedure})."


def _two_systems(comparison: Comparison) -> str:
    verdict = verdict_of(comparison)
    if verdict.startswith("significantly"):
        return f"{plain(comparison.b.system)} is {verdict}"
    return f"{verdict[:1].upper()}{verdict[1:]}" if verdict.startswith("no ") else verdict or "No metric was tested"


def _several_systems(comparisons: Sequence[Comparison]) -> str:
    """Return one clause for each system that differs; systems without a significant difference are listed together."""
    if len({each.a.system for each in comparisons}) > 1:
        return "; ".join(
            f"{plain(each.b.system)} against {plain(each.a.system)}: {verdict_of(each)}" for each in comparisons
        )
    clauses: list[str] = []
    same: list[str] = []
    for each in comparisons:
        system = plain(each.b.system)
        rows = [row for row in each.values() if is_significant(row.p_adjusted)]
        sides = {side: [row.label for row in rows if _direction(row) == side] for side in DIRECTIONS}
        words = " and ".join(f"{side} on {listed(names)}" for side, names in sides.items() if names)
        if words:
            clauses.append(f"{system} is significantly {words}")
        elif any(row.p_adjusted is not None for row in each.values()):
            same.append(system)
    rest = len(clauses) - LISTED
    more = f"{rest} more system{' differs' if rest == 1 else 's differ'} significantly"
    clauses = [*clauses[:LISTED], *([more] if len(clauses) > LISTED else [])]
    if same:
        clauses.append(f"no significant difference for {listed(same)}")
    for each in comparisons:
        clauses += [f"{plain(each.b.system)}: {clause}" for clause in not_comparable_clauses(each.apart)]
    return f"Compared with {plain(comparisons[0].a.system)}: {'; '.join(clauses) or 'no metric was tested'}"


def _items_needed(comparison: Comparison) -> str:
    """Return how many items the first difference that is not significant would need to be detected."""
    rows = {name: row for name, row in comparison.items() if row.p_adjusted is not None}
    if any(is_significant(row.p_adjusted) for row in rows.values()):
        return ""
    for name, row in rows.items():
        if row.items_needed and row.difference and row.items_needed > row.n:
            part = comparison.a.parts[name][1]
            difference = number(row.difference, part, signed=True)
            if not round(row.difference * part.scale, part.digits):  # a difference that is shown as 0 is no goal
                continue
            return (
                f"Detecting {difference} {row.label} with 80 % power would take about {row.items_needed:,} items "
                "(assay analyze power)."
            )
    return ""


def overstated(comparison: Comparison) -> str:
    """Return how far the weakest significant difference of a small sample may be overstated, if much.

    Power, type M (exaggeration) and type S (wrong sign) errors of Gelman and Carlin (2014), if the true difference is
    the observed one, and if it is half of it: significant estimates are too large on average.
    """
    significant = [
        (abs(row.difference) / row.error, name, row)
        for name, row in comparison.items()
        if is_significant(row.p_adjusted) and row.difference and row.error
    ]
    if not significant or comparison.a.units >= SMALL:
        return ""
    _, name, row = min(significant, key=lambda each: each[0])
    difference, error, critical = row.difference or 0.0, row.error or 1.0, row.critical or CRITICAL
    whole, half = (design_errors(size, error, critical) for size in (difference, difference / 2))
    shown = number(difference, comparison.a.parts[name][1], signed=True)
    if half.power >= ENOUGH_POWER:
        return ""
    return (
        f"Significant differences of a small sample are overstated: if {row.label} really differed by half of {shown}, "
        f"power would be {share(half.power)}, and significant estimates {half.type_m:.1f} times too large (type M), "
        f"{_rare(half.type_s)} with the wrong sign (type S); if by {shown}: {share(whole.power)}, "
        f"{whole.type_m:.1f} times, {_rare(whole.type_s)}."
    )


def _rare(chance: float) -> str:
    return "<0.1%" if chance < RARE else share(chance, 1)


def margin_sentences(comparisons: Sequence[Comparison]) -> list[str]:
    """Return one sentence for each equivalence or non-inferiority test and each posterior probability."""
    several = len(comparisons) > 1
    sentences = []
    for each in comparisons:
        of = f" of {plain(each.b.system)}" if several else ""
        for name, row in each.items():
            margin = size(row.margin, each.a.parts[name][1])
            if row.p_adjusted is not None and (words := margin_verdict(row, margin)):
                sentences.append(f"{row.label}{of}: {words}.")
    for each in comparisons:
        of = f" of {plain(each.b.system)}" if several else ""
        sentences += [f"{row.label}{of}: {_posterior(each, row)}." for row in each.values() if row.chances]
    return sentences


def margin_verdict(row: Compared, margin: str) -> str | None:
    """Return the result of the tests against a margin; None without one.

    Args:
        row: A compared metric.
        margin: The margin as a table shows it.
    """
    if row.margin is None:
        return None
    if row.p_equal is None:
        return f"not tested against the margin of {margin}: no confidence interval"
    if row.p_equal < LEVEL:
        return f"equivalent within ±{margin} (two one-sided tests, {_margin_p(row, row.p_equal)})"
    if row.p_not_worse is not None and row.p_not_worse < LEVEL:
        return f"not worse by {margin} or more (one-sided test, {_margin_p(row, row.p_not_worse)})"
    ends = (row.difference or 0.0,) if row.low is None or row.high is None else (row.low, row.high)
    if len(ends) > 1 and (min(ends) > row.margin or max(ends) < -row.margin):
        return f"not equivalent: the 95 % CI excludes differences within ±{margin}"
    unseen = " (rare large ones may be absent from the items)" if max(map(abs, ends)) < row.margin else ""
    return f"inconclusive: a difference of {margin} or more cannot be excluded{unseen}"


def _margin_p(row: Compared, p: float) -> str:
    """Return p; one by betting is an upper bound."""
    return p_words(p, floor=(row.margin_method or "").startswith("betting"))


def _posterior(comparison: Comparison, row: Compared) -> str:
    """Return `t5 is better with posterior probability 97%, equivalent within the margin with 2%`."""
    first, equal, second = row.chances or (0.0, 0.0, 0.0)
    side, chance = (comparison.b.system, second) if second >= first else (comparison.a.system, first)
    inside = f", equivalent within the margin with {share(equal)}" if row.margin is not None else ""
    return f"{plain(side)} is better with posterior probability {share(chance)}{inside}"


def null_test_conclusion(checked: NullTest) -> str:
    """Return the false-positive rate over all metrics, the highest one, and whether the test keeps its level."""
    rates = list(checked.by_name.values())
    rejected, draws = sum(each.rejected for each in rates), sum(each.draws for each in rates)
    highest = max(checked.by_name, key=lambda name: checked.by_name[name].share)
    above = [name for name, each in checked.by_name.items() if not each.kept]
    condition = f"for clusters by {checked.cluster}" if checked.cluster else "if items are independent"
    kept = f"the test keeps its level {condition}"
    verdict = f"the test rejects too often on {', '.join(above)}" if above else kept
    sentence = (
        f"False-positive rate on your data: {share(rejected / draws, 1)} at level .05 (highest: {highest} "
        f"{share(checked.by_name[highest].share, 1)}); {verdict} ({checked.test})."
    )
    if above and checked.with_clusters and checked.by_name is checked.without_clusters:
        inside = max(each.share for each in checked.with_clusters.values())
        sentence += f" With --cluster {checked.cluster} it rejects at most {share(inside, 1)}."
    return sentence
