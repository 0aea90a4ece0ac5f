"""Dependent items: error rates of `compare` with and without clusters, warnings, false alarms, and the null test.

    python -m benchmarks dependence                     # written to docs/evidence/statistics.md
    python -m benchmarks.dependence --simulations 60    # printed

Sets of 20 documents with 10 items each; two systems lose words at random, by document (dependent) or by item
(independent), with equal means. Every simulation is a new set.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import NamedTuple

import numpy as np

import assay
from assay.results.dependence import diagnose
from assay.results.null_test import exchange_outputs
from assay.results.result import Result
from assay.stats.interval import wilson_interval
from benchmarks.inference import PAGE, population_of
from benchmarks.page_section import print_simulated, write_section
from benchmarks.released import MissingDataError

SIMULATIONS = 500
PERMUTATIONS = 199
GROUPED = 500
"""Resamples of each side of a group difference."""
DOCUMENTS, EACH = 20, 10
WORDS = [f"word{i}" for i in range(5000)]
PUBLISHED = (("WebNLG", 400), ("Turk", 2000), ("MUCSUM", 2000))
"""Two systems each, and the number of items that are used: the first of WebNLG are about few subjects."""
BEGIN, END = "<!-- dependence -->", "<!-- end of dependence -->"


class Scenario(NamedTuple):
    """What items of a document share: words of their references, and a tag of some name."""

    title: str
    length: int = 20
    changed: int = 20
    """Words of a reference that are drawn again; all of them: references have nothing in common."""
    tag: str | None = None
    more: int = 0
    """Other tags, with random values."""
    cluster: str | None = None
    """What the warning recommends; None where clusters are the default."""
    context: bool = False
    """Whether items of a document share a context, next to another one that is their own."""
    numbered: bool = False
    """Whether ids are the number of the document and that of the item."""


SCENARIOS = (
    Scenario("tag `document`", changed=1, tag="document"),
    Scenario("tag `video`", tag="video"),
    Scenario("tag of any other name", tag="footage", cluster="footage"),
    Scenario("no tag, references differ in 1 of 20 words", changed=1, cluster="similar-references"),
    Scenario("no tag, references differ in 4 of 14 words", length=14, changed=4, cluster="similar-references"),
    Scenario("no tag, one of two contexts", cluster="contexts", context=True),
    Scenario("no tag, the beginning of their ids", cluster="id-prefix", numbered=True),
)
INDEPENDENT = (
    Scenario("items share a tag", tag="footage"),
    Scenario("items share one of five tags", tag="footage", more=4),
    Scenario("items share references, 1 of 20 words changed", changed=1),
    Scenario("items share one of two contexts and the beginning of their ids", context=True, numbered=True),
)


def systems(scenario: Scenario, seed: int, by_document: bool, count: int = 2) -> list[Result]:
    """Systems without a true difference."""
    draw = random.Random(seed)
    examples: list[dict[str, object]] = []
    outputs = [dict[str, str]() for _ in range(count)]
    for document in range(DOCUMENTS):
        base = draw.choices(WORDS, k=scenario.length)
        lost = [draw.randrange(1, scenario.length // 2) for _ in outputs]
        for number in range(EACH):
            words = list(base)
            for place in draw.sample(range(scenario.length), scenario.changed):
                words[place] = draw.choice(WORDS)
            id = f"{document:02}{'-' if scenario.numbered else ''}{number}"
            tags = {f"tag{i}": f"v{draw.randrange(DOCUMENTS)}" for i in range(scenario.more)}
            tags |= {scenario.tag: f"d{document}"} if scenario.tag else {}
            contexts = [{"id": "a", "text": f"document {document}"}, {"id": "b", "text": f"passage {id}"}]
            examples.append({"id": id, "references": [" ".join(words)], "tags": tags})
            examples[-1] |= {"contexts": contexts} if scenario.context else {}
            for side, texts in enumerate(outputs):
                texts[id] = " ".join(words[lost[side] if by_document else draw.randrange(1, scenario.length // 2) :])
    named = {f"system {number}": texts for number, texts in enumerate(outputs)}
    return list(assay.score_all(named, examples=examples, metrics="rouge1").values())


def rejected(results: list[Result], seed: int, cluster: str | None = None) -> bool:
    """Whether a true null hypothesis is rejected at .05: that of two systems, or any of all pairs after correction."""
    if len(results) == 2:
        return (assay.compare(*results, samples=PERMUTATIONS, seed=seed, cluster=cluster)["rouge1"].p or 1) < 0.05
    ranked = assay.compare_pairs(results, samples=PERMUTATIONS, seed=seed, cluster=cluster).by_name["rouge1"]
    return any(pair.p_adjusted < 0.05 for pair in ranked.pairs)


def warned(two: list[Result]) -> bool:
    """Whether compare would warn of dependence."""
    return any(each.dependent for each in diagnose(two))


def rate(count: int, simulations: int) -> str:
    """A share in per cent, with its sampling error."""
    low, high = wilson_interval(count, simulations)
    return f"{100 * count / simulations:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def dependent_table(simulations: int) -> Iterator[str]:
    """Error rates where items of a document depend on each other."""
    yield "| items of a document share | rejected by default | warned | rejected with clusters | `--cluster none` |"
    yield "|---|--:|--:|--:|--:|"
    for scenario in SCENARIOS:
        counts: Counter[str] = Counter()
        for seed in range(simulations):
            two = systems(scenario, seed, by_document=True)
            counts["default"] += rejected(two, seed)
            counts["warned"] += warned(two)
            counts["clusters"] += rejected(two, seed, scenario.cluster) if scenario.cluster else 0
            counts["none"] += rejected(two, seed, "none") if not scenario.cluster else 0
        if scenario.cluster:
            counts["none"] = counts["default"]  # no clusters is the default here
        clusters = rate(counts["clusters"], simulations) if scenario.cluster else "the default"
        shown = [rate(counts["default"], simulations), f"{100 * counts['warned'] / simulations:.0f}", clusters]
        yield f"| {scenario.title} | {' | '.join(shown)} | {rate(counts['none'], simulations)} |"


def independent_table(simulations: int) -> Iterator[str]:
    """False alarms where items vary by item only."""
    yield "| independent items | warned |"
    yield "|---|--:|"
    for scenario in INDEPENDENT:
        alarms = sum(warned(systems(scenario, seed, by_document=False)) for seed in range(simulations))
        yield f"| {scenario.title} | {rate(alarms, simulations)} |"


def published_table(simulations: int) -> Iterator[str]:
    """False alarms on published outputs whose systems change sides at random, item by item."""
    yield "| published outputs that change sides at random | items | warned |"
    yield "|---|--:|--:|"
    for name, most in PUBLISHED:
        try:
            a, b = (result.clustered("none") for result in population_of(name, False))
        except MissingDataError as reason:
            yield f"| {name}: {reason} | | |"
            continue
        a, b = (result.take(np.arange(min(most, a.n), dtype=np.intp)) for result in (a, b))
        swapped = (exchange_outputs(a, b, np.random.default_rng(seed)) for seed in range(simulations))
        alarms = sum(warned(list(pair)) for pair in swapped)
        yield f"| {name} | {a.n:,} | {rate(alarms, simulations)} |"


def four_systems_table(simulations: int) -> Iterator[str]:
    """Sets in which any of six pairs of four systems is called different."""
    yield "| four systems; items of a document share | clustered by | with clusters | `--cluster none` |"
    yield "|---|---|--:|--:|"
    for scenario in (SCENARIOS[0], SCENARIOS[4]):
        counts: Counter[str] = Counter()
        for seed in range(simulations):
            four = systems(scenario, seed, by_document=True, count=4)
            counts["clusters"] += rejected(four, seed, scenario.cluster)
            counts["none"] += rejected(four, seed, "none")
        shown = [rate(counts["clusters"], simulations), rate(counts["none"], simulations)]
        yield f"| {scenario.title} | `{scenario.cluster or scenario.tag}` | {' | '.join(shown)} |"


def few_documents_table(simulations: int) -> Iterator[str]:
    """False differences in subsets and between groups of documents, all of which are equally difficult."""
    yield "| documents | test | by documents | no result possible | `--cluster none` |"
    yield "|---|---|--:|--:|--:|"
    for title, parts in (("10 in each of 2 groups", 2), ("5 in each of 4 groups", 4)):
        counts: Counter[str] = Counter()
        for seed in range(simulations):
            two = in_groups(systems(SCENARIOS[0], seed, by_document=True), parts)
            first = [result.subset("group=0") for result in two]
            for side, cluster in (("default", None), ("none", "none")):
                groups = assay.group_differences(two[0], "group", samples=GROUPED, seed=seed, cluster=cluster)
                counts[f"{side} groups"] += any(row.significant for row in groups.rows)
                counts[f"{side} groups refused"] += all(row.low is None for row in groups.rows)
                compared = assay.compare(*first, samples=PERMUTATIONS, seed=seed, cluster=cluster)
                counts[f"{side} subset"] += (compared["rouge1"].p or 1) < 0.05
                counts[f"{side} subset refused"] += (compared["rouge1"].smallest_p or 0) >= 0.05
        for name, kind in (("`analyze groups`", "groups"), ("`compare --subset`, one group", "subset")):
            refused = f"{100 * counts[f'default {kind} refused'] / simulations:.0f}"
            mine, theirs = (rate(counts[f"{side} {kind}"], simulations) for side in ("default", "none"))
            yield f"| {title} | {name} | {mine} | {refused} | {theirs} |"


def in_groups(results: list[Result], parts: int) -> list[Result]:
    """The same results, whose documents are members of groups."""
    ids = results[0].index.ids
    columns: dict[str, list[str | None]] = {"tags.group": [str(int(id[:2]) % parts) for id in ids]}
    return [replace(result, index=result.index.with_columns(columns)) for result in results]


def null_test_table() -> Iterator[str]:
    """What the null test says of one set."""
    yield "| null test of one set, 200 simulations | with clusters | without |"
    yield "|---|--:|--:|"
    for scenario in (SCENARIOS[0], SCENARIOS[2], SCENARIOS[4]):
        checked = assay.null_test(systems(scenario, 0, by_document=True), draws=200, samples=PERMUTATIONS)
        shares = [100 * rates["rouge1"].share for rates in (checked.with_clusters, checked.without_clusters)]
        yield f"| {scenario.title} (clusters by `{checked.cluster}`) | {shares[0]:.1f} | {shares[1]:.1f} |"


def report(simulations: int) -> str:
    """The tables of the page."""
    when = f"Measured {date.today()} with `python -m benchmarks dependence`, {simulations:,} sets each, seeds from 0."
    four = four_systems_table(simulations)
    few = few_documents_table(simulations)
    independent = [independent_table(simulations), published_table(simulations)]
    parts = [[when], dependent_table(simulations), four, few, *independent, null_test_table()]
    return "\n\n".join("\n".join(part) for part in parts)


def write() -> None:
    """Measure and write into the page."""
    write_section(PAGE, BEGIN, END, report(SIMULATIONS))


if __name__ == "__main__":
    print_simulated(__doc__, SIMULATIONS, report)
