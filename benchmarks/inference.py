"""Do intervals cover, and do tests hold their level? Simulated on real outputs, for the numbers of all suites.

    python -m benchmarks inference                               # all of it, into docs/evidence/statistics.md
    python -m benchmarks.inference --simulations 100 --sizes 50  # some of it, to be read here

The population is a published set of outputs. Items (or whole clusters) are drawn from it with replacement, so that the
truth is known; a true null hypothesis is made by swapping the outputs of two real systems at random, item by item.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import assay
from assay.results.compare import compare
from assay.results.null_test import exchange_outputs
from assay.results.result import Result
from benchmarks.page_section import write_section
from benchmarks.released import released

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "statistics.md"
SIMULATIONS = 1000
SIZES = (10, 20, 50, 200, 1000)
RESAMPLES = 300
"""Of each simulated interval and test: enough to read 95 % from, where a thousand of them are averaged."""
BEGIN, END = "<!-- inference -->", "<!-- end of inference -->"
BATCH = 20
"""Simulations that one process does at a time."""
CLUSTER = 3
"""Items of a cluster: neighbours in the file, which are about the same subject."""
WORDS = "vocab-1,vocab-2,unique-1,distinct-1,distinct-2,distinct-3,entropy-2,cond_entropy-2,msttr,ttr,yules_i"


@dataclass(frozen=True)
class Population:
    """Two real systems on a published test set."""

    metrics: str
    dataset: str | None
    folder: str
    outputs: tuple[str, str]
    truth_at_size: tuple[str, ...] = ()
    """Numbers that depend on how many items there are: the truth is their mean over simulations of that size."""


MUCSUM = "eks/model_outputs/{}/temp_and_doc/1337_test_preds.jsonl"
POPULATIONS = {
    "WebNLG": Population(
        f"bleu,chrf,chrf++,rouge,ter,nist,cider,local_recall,lengths,{WORDS}",
        "web_nlg_en",
        "webnlg/en",
        ("webnlg/outputs-2020/en/FBConvAI.txt", "webnlg/outputs-2020/en/bt5.txt"),
        ("nist", "cider", *WORDS.split(",")),
    ),
    "Turk": Population(
        "sari,fkgl,rewriting", "turk", "turkcorpus", ("turkcorpus/outputs/ACCESS", "turkcorpus/outputs/DMASS-DCSS")
    ),
    "MUCSUM": Population(
        "rouge:stemmer=true,novelty,repetition", None, "", (MUCSUM.format("bart-large"), MUCSUM.format("t5-large"))
    ),
}


MORE = {
    "WebNLG (TGen, FBConvAI)": Population(
        "rouge1,rougeL,bleu,chrf,ter,wer,mean_length",
        "web_nlg_en",
        "webnlg/en",
        ("webnlg/outputs-2020/en/TGen.txt", "webnlg/outputs-2020/en/FBConvAI.txt"),
    ),
    "WebNLG (RALI, CycleGT)": Population(
        "rouge1,chrf,ter",
        "web_nlg_en",
        "webnlg/en",
        ("webnlg/outputs-2020/en/RALI.txt", "webnlg/outputs-2020/en/CycleGT.txt"),
    ),
}
"""Systems of other benchmarks: two that differ enough for a power worth planning (`benchmarks.planning`), and two more
for comparisons of four (`benchmarks.equal_means`)."""


@dataclass
class Tally:
    """What came out for one number at one size, simulation by simulation."""

    value: list[float] = field(default_factory=list)
    ends: list[tuple[float, float] | None] = field(default_factory=list)
    gap: list[float] = field(default_factory=list)
    gap_ends: list[tuple[float, float] | None] = field(default_factory=list)
    rejected: list[bool] = field(default_factory=list)
    corrected: list[bool] = field(default_factory=list)
    disagree: int = 0

    def add(self, other: Tally) -> None:
        for name in ("value", "ends", "gap", "gap_ends", "rejected", "corrected"):
            getattr(self, name).extend(getattr(other, name))
        self.disagree += other.disagree


@cache
def systems(name: str) -> tuple[Result, Result]:
    """The two systems with all their items, and clusters of neighbours."""
    from assay.datasets import DATASETS

    chosen = (POPULATIONS | MORE)[name]
    data = {}
    if chosen.dataset:
        data["examples"] = [
            {"id": e.id, "references": list(e.references), "source": e.source, "language": e.language}
            for e in DATASETS.get(chosen.dataset)().read(released(chosen.folder), "test")
        ]
    pair = [assay.score(released(path), metrics=chosen.metrics, **data) for path in chosen.outputs]  # type: ignore[arg-type]
    together = {"tags.group": [str(i // CLUSTER) for i in range(pair[0].n)]}
    indexed = [replace(result, index=result.index.with_columns(together)) for result in pair]
    return indexed[0], indexed[1]


def drawn_items(items: int, units: int, clustered: bool, random: np.random.Generator) -> NDArray[np.intp]:
    """Items drawn with replacement, or whole clusters of them."""
    if not clustered:
        return random.integers(0, items, units).astype(np.intp)
    first = random.integers(0, items // CLUSTER, units) * CLUSTER
    return (first[:, None] + np.arange(CLUSTER)).ravel().astype(np.intp)


def sample(result: Result, items: NDArray[np.intp], clustered: bool) -> Result:
    """These items as a set of their own: what was drawn twice counts as two items."""
    taken = result.take(items)
    numbers = range(len(items))
    columns = {"id": [str(i) for i in numbers], "tags.group": [str(i // CLUSTER) for i in numbers]}
    cluster = "group" if clustered else "none"
    return replace(taken, index=taken.index.with_columns(columns), cluster=cluster, digest="")


def population_of(name: str, clustered: bool, number: str | None = None) -> tuple[Result, Result]:
    """The two systems on what may be drawn, with all their numbers or one: of clusters only whole ones."""
    a, b = systems(name)
    if clustered:
        drawable = np.arange(a.n // CLUSTER * CLUSTER, dtype=np.intp)
        a, b = a.take(drawable), b.take(drawable)
    return (a, b) if number is None else (a.only(number), b.only(number))


@cache
def truths(name: str, clustered: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Every number of the whole population, by system."""
    a, b = population_of(name, clustered)
    return a.values, b.values


def simulate(name: str, units: int, clustered: bool, seeds: Sequence[int]) -> dict[str, Tally]:
    """Some simulations of one size."""
    tallies: dict[str, Tally] = {}
    population = population_of(name, clustered)
    for seed in seeds:
        random = np.random.default_rng([seed, units, clustered])
        items = drawn_items(population[0].n, units, clustered, random)
        a, b = (sample(result, items, clustered) for result in population)
        cluster = "group" if clustered else "none"
        scores = a.with_intervals(RESAMPLES, seed).scores
        real = compare(a, b, samples=RESAMPLES, seed=seed, cluster=cluster)
        null = compare(*exchange_outputs(a, b, random), samples=RESAMPLES, seed=seed, cluster=cluster)
        for number, row in real.items():
            tally = tallies.setdefault(number, Tally())
            score = scores[number]
            if score.value is not None:
                tally.value.append(score.value)
                tally.ends.append(None if score.low is None or score.high is None else (score.low, score.high))
            if row.difference is not None:
                tally.gap.append(row.difference)
                tally.gap_ends.append(None if row.low is None or row.high is None else (row.low, row.high))
            for tested in (row, null[number]):
                if tested.p is not None and tested.low is not None and tested.high is not None:
                    tally.disagree += (tested.p < 0.05) == (tested.low <= 0 <= tested.high)
            if null[number].p is not None:
                tally.rejected.append((null[number].p or 0) < 0.05)
                tally.corrected.append((null[number].p_adjusted or 0) < 0.05)
    return tallies


Found = dict[tuple[str, int, bool], dict[str, Tally]]


def measure(simulations: int, sizes: Sequence[int], names: Sequence[str], workers: int = 2) -> Found:
    """Every population, size and kind of drawing."""
    seeds = [range(i, min(i + BATCH, simulations)) for i in range(0, simulations, BATCH)]
    found: Found = {}
    with ProcessPoolExecutor(workers) as pool:
        for key in [(name, units, clustered) for name in names for units in sizes for clustered in (False, True)]:
            start = time.perf_counter()
            together = found.setdefault(key, {})
            for job in [pool.submit(simulate, *key, some) for some in seeds]:
                for number, tally in job.result().items():
                    together.setdefault(number, Tally()).add(tally)
            name, units, clustered = key
            took = time.perf_counter() - start
            print(f"{name} {units} {'clusters' if clustered else 'items'}: {took:.0f} s", file=sys.stderr, flush=True)
    return found


Rate = Callable[[str, bool, str, Tally], float | None]


def covered(ends: list[tuple[float, float] | None], truth: float) -> float | None:
    """The share of intervals that hold the truth, of those that were printed; None where hardly any was."""
    printed = [low <= truth <= high for low, high in filter(None, ends)]
    return float(np.mean(printed)) if len(printed) >= max(len(ends) / 20, 1) else None


def coverage(name: str, clustered: bool, number: str, tally: Tally) -> float | None:
    """Of the intervals of one system's number."""
    sized = number in POPULATIONS[name].truth_at_size
    return covered(tally.ends, float(np.mean(tally.value)) if sized else truths(name, clustered)[0][number])


def gap_coverage(name: str, clustered: bool, number: str, tally: Tally) -> float | None:
    """Of the intervals of differences."""
    sized = number in POPULATIONS[name].truth_at_size
    a, b = (values[number] for values in truths(name, clustered))
    return covered(tally.gap_ends, float(np.mean(tally.gap)) if sized else b - a)


def error_rate(name: str, clustered: bool, number: str, tally: Tally) -> float | None:
    """How often a true null hypothesis is rejected."""
    return float(np.mean(tally.rejected)) if tally.rejected else None


def family_wise(tallies: dict[str, Tally]) -> float:
    """How often any of all numbers together is called different after Holm's correction."""
    most = max(len(tally.corrected) for tally in tallies.values())
    return float(np.mean(np.any([t.corrected for t in tallies.values() if len(t.corrected) == most], axis=0)))


def table(found: Found, of: Rate, missed: Callable[[int, float], bool]) -> list[str]:
    """Numbers as rows, sizes as columns, in per cent: items, then clusters."""
    sizes = sorted({units for _, units, _ in found})
    kinds = [(units, clustered) for units in sizes for clustered in (False, True)]
    lines = ["| | " + " | ".join(f"{units}{' cl.' if clustered else ''}" for units, clustered in kinds) + " |"]
    lines.append("|---|" + "---|" * len(kinds))
    for name in dict.fromkeys(key[0] for key in found):
        for number in next(tallies for key, tallies in found.items() if key[0] == name):
            cells = []
            for kind in kinds:
                tally = found[(name, *kind)].get(number)
                share = of(name, kind[1], number, tally) if tally else None
                shown = "–" if share is None else f"{100 * share:.1f}"
                cells.append(f"**{shown}**" if share is not None and missed(kind[0], share) else shown)
            lines.append(f"| {name} {number} | " + " | ".join(cells) + " |")
    return lines


def outside(units: int, share: float) -> bool:
    """Not as promised: 93 to 97 % from 50 on, 90 % at least below."""
    return not 0.93 <= share <= 0.97 if units >= 50 else share < 0.90


def family_wise_table(found: Found) -> list[str]:
    """Return the share of sets with at least one rejection, by population and size."""
    kinds = list(dict.fromkeys((units, clustered) for _, units, clustered in found))
    names = list(dict.fromkeys(name for name, _, _ in found))
    heads = [f"{units}{' cl.' if clustered else ''}" for units, clustered in kinds]
    lines = [f"| population | {' | '.join(heads)} |", "|---" * (len(kinds) + 1) + "|"]
    for name in names:
        rates = [family_wise(found[name, units, clustered]) for units, clustered in kinds]
        lines.append(f"| {name} | " + " | ".join(f"{100 * rate:.1f}" for rate in rates) + " |")
    return lines


def report(found: Found, simulations: int) -> str:
    """Return the tables of the page."""
    intervals = sum(len([e for e in t.gap_ends if e]) for tallies in found.values() for t in tallies.values())
    disagree = sum(t.disagree for tallies in found.values() for t in tallies.values())
    return "\n".join(
        [
            f"Coverage of 95 % confidence intervals of one score, per cent of {simulations:,} simulations:",
            "",
            *table(found, coverage, outside),
            "",
            "Coverage of 95 % confidence intervals of a difference between two systems:",
            "",
            *table(found, gap_coverage, outside),
            "",
            "True null hypotheses rejected at .05, per cent:",
            "",
            *table(found, error_rate, lambda _, share: share > 0.06),
            "",
            "Sets in which at least one metric is called different after Holm's correction, per cent:",
            "",
            *family_wise_table(found),
            "",
            f"p and interval contradicted each other in {disagree} of {2 * intervals:,} comparisons.",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--populations", nargs="*", default=list(POPULATIONS), choices=list(POPULATIONS))
    options = parser.parse_args()
    print(report(measure(options.simulations, options.sizes, options.populations), options.simulations))


def write() -> None:
    """Write the tables of docs/evidence/statistics.md."""
    made = report(measure(SIMULATIONS, SIZES, list(POPULATIONS)), SIMULATIONS)
    print(made)
    when = f"Measured {date.today()} with `python -m benchmarks inference`, seeds from 0."
    write_section(PAGE, BEGIN, END, f"{when}\n\n{made}")


if __name__ == "__main__":
    main()
