"""Does `analyze power` keep its promise? Planned on one half of real outputs, realised by `compare` on the other half.

    python -m benchmarks planning                          # into docs/evidence/statistics.md
    python -m benchmarks.planning --simulations 100        # read here

Standard deviations and correlations come from one half of a published set; the true differences are those of the
other half, from which samples are drawn with replacement and compared with the same correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np

from assay.meta.comparison_power import PowerRequest, plan_comparison
from assay.results.compare import CompareRequest, compare_systems
from assay.results.result import Result
from assay.results.verdict import is_significant
from benchmarks.inference import CLUSTER, PAGE, drawn_items, population_of, sample
from benchmarks.page_section import print_simulated, write_section

SIMULATIONS = 500
SPLITS = 50
"""Divisions of a population into pilot and held-out half: promises of single pilots differ by 10 points and more."""
PERMUTATIONS = 1000
"""As `compare` draws by default: with fewer, corrected tests of skewed differences have less power."""
BEGIN, END = "<!-- planning -->", "<!-- end of planning -->"
Case = tuple[str, tuple[str, ...], int, bool]
CASES: Sequence[Case] = (
    ("WebNLG (TGen, FBConvAI)", ("rouge1", "rougeL", "bleu", "chrf", "ter", "wer", "mean_length"), 150, False),
    ("WebNLG (TGen, FBConvAI)", ("rouge1", "rougeL", "bleu", "chrf", "ter", "wer", "mean_length"), 50, True),
    ("Turk", ("sari", "fkgl", "compression_ratio"), 100, False),
)
"""Population, metrics tested together, items or clusters of a sample, and whether they are clusters."""
Row = tuple[str, str, float, float]
"""Sample, metric, promised and realised power."""


def halves(name: str, clustered: bool, split: int) -> tuple[list[Result], list[Result]]:
    """The pilot and the held-out half of a population, divided at random (neighbours stay together)."""
    population = population_of(name, clustered)
    blocks = np.random.default_rng(split).permutation(population[0].n // CLUSTER)
    sides = []
    for part in (blocks[: len(blocks) // 2], blocks[len(blocks) // 2 :]):
        items = (np.sort(part)[:, None] * CLUSTER + np.arange(CLUSTER)).ravel().astype(np.intp)
        sides.append([sample(result, items, clustered) for result in population])
    return sides[0], sides[1]


def promised(pilot: list[Result], held_out: list[Result], units: int, clustered: bool) -> dict[str, float]:
    """The power that is planned on the pilot, for the true differences of the held-out half."""
    names = held_out[0].shown
    parts = held_out[0].parts
    effect = {each: (held_out[1].values[each] - held_out[0].values[each]) * parts[each][1].scale for each in names}
    compared = CompareRequest(cluster="group" if clustered else None)
    items = units * (CLUSTER if clustered else 1)
    planned = plan_comparison(pilot[0], pilot[1], PowerRequest(effect=effect, items=items, compare=compared)).rows
    return {row.metric: row.power for row in planned if row.power is not None}


def realised(held_out: list[Result], units: int, clustered: bool, seeds: range) -> dict[str, list[bool]]:
    """Whether each metric is significant in comparisons of samples of the held-out half."""
    rejected: dict[str, list[bool]] = {}
    for seed in seeds:
        random = np.random.default_rng([seed, units, clustered])
        drawn = drawn_items(held_out[0].n, units, clustered, random)
        a, b = (sample(result, drawn, clustered) for result in held_out)
        cluster = "group" if clustered else None
        asked = CompareRequest(samples=PERMUTATIONS, seed=seed, cluster=cluster, intervals=False)
        for each, row in compare_systems([(a, b)], asked)[0].items():
            rejected.setdefault(each, []).append(is_significant(row.p_adjusted))
    return rejected


def measure(simulations: int, cases: Sequence[Case] = CASES) -> list[Row]:
    """Promised and realised power of every metric, averaged over divisions of the population."""
    rows: list[Row] = []
    for name, metrics, units, clustered in cases:
        promises: dict[str, list[float]] = {}
        rejected: dict[str, list[bool]] = {}
        for split in range(SPLITS):
            pilot, held_out = ([each.only(*metrics) for each in half] for half in halves(name, clustered, split))
            for each, power in promised(pilot, held_out, units, clustered).items():
                promises.setdefault(each, []).append(power)
            some = range(split * simulations // SPLITS, (split + 1) * simulations // SPLITS)
            for each, decisions in realised(held_out, units, clustered, some).items():
                rejected.setdefault(each, []).extend(decisions)
        what = f"{name}, {units} {'clusters' if clustered else 'items'}"
        rows += [(what, each, float(np.mean(promises[each])), float(np.mean(rejected[each]))) for each in promises]
    return rows


def report(rows: list[Row], simulations: int) -> str:
    """The table of promised and realised power."""
    lines = [
        f"Measured {date.today()} with `python -m benchmarks planning`, {simulations} simulations each, seeds from 0.",
        "",
        "| sample | metric | promised | realised | difference |",
        "|---|---|--:|--:|--:|",
    ]
    for what, metric, promised, realised in rows:
        apart = 100 * (realised - promised)
        bold = "**" if abs(apart) > 5 else ""
        lines.append(f"| {what} | {metric} | {100 * promised:.1f} | {100 * realised:.1f} | {bold}{apart:+.1f}{bold} |")
    return "\n".join(lines)


def write() -> None:
    """Measure and write into the page."""
    write_section(PAGE, BEGIN, END, report(measure(SIMULATIONS), SIMULATIONS))


if __name__ == "__main__":
    print_simulated(__doc__, SIMULATIONS, lambda simulations: report(measure(simulations), simulations))
