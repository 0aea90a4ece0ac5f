"""True null hypotheses whose differences are not symmetric: equal means, in simulated and in published outputs.

    python -m benchmarks equal_means                      # written to docs/evidence/statistics.md
    python -m benchmarks.equal_means --simulations 100    # printed

Labels that are swapped at random make differences symmetric, which is what a permutation test assumes. Here differences
keep their shape and lose their mean only. All tests are those of `assay compare`, of two systems or of four.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

import assay
from assay.results.compare import CompareRequest, compare_systems
from assay.results.comparison import Comparison
from assay.results.equal_means import with_equal_means, with_scores
from assay.results.result import Result
from benchmarks.inference import PAGE, drawn_items, population_of, sample
from benchmarks.page_section import print_simulated, write_section
from benchmarks.released import MissingDataError, released

Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Values]
SIMULATIONS, PERMUTATIONS, SEED = 600, 299, 29
SIZES = (12, 30, 60, 120, 300)
REAL_SIZES = (20, 50, 200)
GOAL = 0.06
BEGIN, END = "<!-- equal means -->", "<!-- end of equal means -->"


def two_values(share: float, loss: float) -> Draw:
    """Return differences of which a share is a loss, and the others a gain that makes up for it."""
    return lambda random, shape: np.where(random.random(shape) < share, -loss, loss * share / (1 - share))


SHAPES: dict[str, Draw] = {
    "normal": lambda random, shape: random.normal(size=shape),
    "Student's t, 3 degrees of freedom": lambda random, shape: random.standard_t(3, shape),
    "lognormal (skewness 6)": lambda random, shape: random.lognormal(0, 1, shape) - np.exp(0.5),
    "10 % lose .45, the others gain .05": two_values(0.1, 0.45),
    "2 % lose .49, the others gain .01": two_values(0.02, 0.49),
}
LEARNED = ("BertScore F1", "FactCC", "FEQA", "Dep Entail", "QAGS")
PAIRS = {
    "WebNLG, FBConvAI and bt5": ("WebNLG", ("rouge1", "bleu", "chrf", "ter", "mean_length")),
    "WebNLG, TGen and FBConvAI": ("WebNLG (TGen, FBConvAI)", ("rouge1", "bleu", "chrf", "ter", "wer", "mean_length")),
    "TurkCorpus, ACCESS and DMASS-DCSS": ("Turk", ("sari", "fkgl", "compression_ratio")),
    "MUCSUM, BART and T5": ("MUCSUM", ("rouge1", "rouge2", "rougeL", "density", "compression")),
}


FOUR = (("TGen", "FBConvAI", "bt5", "RALI"), ("CycleGT", "FBConvAI", "bt5", "RALI"))
FOUR_METRICS = ("rouge1", "chrf", "ter")


def blank(items: int) -> Result:
    """A result whose scores are replaced."""
    return assay.score(["x"] * items, ["x"] * items, metrics="rouge1")


def compared_as_printed(a: Result, b: Result, seed: int, cluster: str | None = None) -> Comparison:
    """The comparison of two systems as `assay.compare` makes it, without its intervals, which take most of the time."""
    request = CompareRequest(samples=PERMUTATIONS, seed=seed, cluster=cluster, intervals=False)
    return compare_systems([(a, b)], request)[0]


def permutation_rejects(differences: Values, random: np.random.Generator) -> bool:
    """Whether the permutation test alone rejects at .05, without regard to skewness."""
    signs = random.choice((-1.0, 1.0), (PERMUTATIONS, len(differences)))
    reached = np.abs(signs @ differences) >= abs(differences.sum()) * (1 - 1e-9)
    return bool((reached.sum() + 1) / (PERMUTATIONS + 1) < 0.05)


def cell(share: float) -> str:
    """A share in per cent, bold above the goal."""
    return f"**{100 * share:.1f}**" if share > GOAL else f"{100 * share:.1f}"


def shapes(simulations: int) -> Iterator[str]:
    """Rejections of two systems with equal means: by permutations alone, as printed, and as printed unwarned."""
    yield "| differences | test | " + " | ".join(f"{n}" for n in SIZES) + " |"
    yield "|---|---|" + "--:|" * len(SIZES)
    for title, draw in SHAPES.items():
        rows: dict[str, list[float]] = {"permutation alone": [], "`compare`": [], "`compare`, without a warning": []}
        for n in SIZES:
            random, some = np.random.default_rng([SEED, n]), blank(n)
            counts = np.zeros(3)
            for seed in range(simulations):
                values = draw(random, (n,))
                two = (with_scores(some, {"s": 0.5 + 0 * values}), with_scores(some, {"s": 0.5 + values}))
                compared = compared_as_printed(*two, seed)
                found = (compared["s"].p or 1) < 0.05
                warned = any("contradicts the difference" in warning for warning in compared.warnings)
                counts += [permutation_rejects(values, random), found, found and not warned]
            for row, count in zip(rows.values(), counts.tolist(), strict=True):
                row.append(count / simulations)
        for test, found_shares in rows.items():
            yield f"| {title} | {test} | {' | '.join(map(cell, found_shares))} |"


def four_systems(simulations: int) -> Iterator[str]:
    """Any significant difference between four systems with equal means, after correction over six pairs."""
    yield "| three systems differ from the first by | table | " + " | ".join(f"{n}" for n in SIZES[1:]) + " |"
    yield "|---|---|" + "--:|" * (len(SIZES) - 1)
    for title, draw in list(SHAPES.items())[2:]:
        rows: dict[str, list[float]] = {"any": [], "without a warning": []}
        for n in SIZES[1:]:
            random, some = np.random.default_rng([SEED, 4, n]), blank(n)
            counts = np.zeros(2)
            for seed in range(simulations):
                values = np.vstack([np.zeros(n), draw(random, (3, n))])
                results = [replace(with_scores(some, {"s": row}), system=str(i)) for i, row in enumerate(values)]
                counts += any_significant(results, seed)
            for row, count in zip(rows.values(), counts.tolist(), strict=True):
                row.append(count / simulations)
        for kind, shares in rows.items():
            yield f"| {title} | {kind} | {' | '.join(map(cell, shares))} |"


def any_significant(results: Sequence[Result], seed: int) -> tuple[bool, bool]:
    """Whether any difference of any pair is significant after correction, and whether it is without a warning."""
    rankings = assay.compare_pairs(results, samples=PERMUTATIONS, seed=seed)
    found = any(pair.p_adjusted < 0.05 for each in rankings.by_name.values() for pair in each.pairs)
    return found, found and not any("contradicts the difference" in warning for warning in rankings.warnings)


def four_published(simulations: int) -> Iterator[str]:
    """Any significant difference between four published systems whose scores are reduced by their mean."""
    yield f"| systems on WebNLG | metrics | tests | {' | '.join(f'{n}' for n in SIZES[1:])} |"
    yield "|---|---|--:|" + "--:|" * (len(SIZES) - 1)
    names = ("WebNLG (TGen, FBConvAI)", "WebNLG", "WebNLG (RALI, CycleGT)")
    known = {result.system: result for name in names for result in population_of(name, False)}
    for systems in FOUR:
        values = {name: {metric: known[name].contributions[metric] for metric in FOUR_METRICS} for name in systems}
        shares = []
        for n in SIZES[1:]:
            random, some, false = np.random.default_rng([SEED, 5, n]), blank(n), 0
            for seed in range(simulations):
                items = random.integers(0, known[systems[0]].n, n)
                results = [
                    replace(
                        with_scores(some, {name: (own - own.mean())[items] for name, own in row.items()}), system=one
                    )
                    for one, row in values.items()
                ]
                false += any_significant(results, seed)[0]
            shares.append(false / simulations)
        tests = 6 * len(FOUR_METRICS)
        yield f"| {', '.join(systems)} | {', '.join(FOUR_METRICS)} | {tests} | {' | '.join(map(cell, shares))} |"


def learned() -> tuple[Result, Result]:
    """Published scores of learned metrics for two systems on CNN/DailyMail, by document (FRANK)."""
    rows = json.loads(released("frank/baseline_factuality_metrics_outputs.json").read_text(encoding="utf-8"))
    by_system = {
        name: {row["hash"]: row for row in rows if (row["dataset"], row["model_name"]) == ("cnndm", name)}
        for name in ("bart", "bert_sum")
    }
    complete = [
        {key for key, row in found.items() if all(row.get(name) is not None for name in LEARNED)}
        for found in by_system.values()
    ]
    shared = sorted(complete[0] & complete[1])  # a document without a score of either system is left out
    pair = []
    for found in by_system.values():
        kept = {name: np.array([float(found[key][name]) for key in shared]) for name in LEARNED}
        pair.append(with_scores(blank(len(shared)), kept))
    return pair[0], pair[1]


def populations() -> Iterator[tuple[str, tuple[Result, Result]]]:
    """Published outputs of two systems; differences of items minus their mean."""
    for title, (name, metrics) in PAIRS.items():
        a, b = (result.only(*metrics) for result in population_of(name, False))
        yield title, with_equal_means(a, b)
    yield "FRANK, BART and BertSum, published scores", with_equal_means(*learned())


def published(simulations: int) -> Iterator[str]:
    """Rejections of equal means on published outputs."""
    heads = [f"{n}{' cl.' if clustered else ''}" for n in REAL_SIZES for clustered in (False, True)]
    yield f"| outputs | metric | {' | '.join(heads)} |"
    yield "|---|---|" + "--:|" * len(heads)
    for title, population in populations():
        rows: dict[str, list[float]] = {name: [] for name in population[0].shown}
        for n in REAL_SIZES:
            for clustered in (False, True):
                for name, share in rejected(population, n, clustered, simulations).items():
                    rows[name].append(share)
        for name, shares in rows.items():
            yield f"| {title} | {name} | {' | '.join(map(cell, shares))} |"


def rejected(population: tuple[Result, Result], n: int, clustered: bool, simulations: int) -> dict[str, float]:
    """Shares of samples of items (or of clusters of three) in which each metric rejects at .05."""
    counts = dict.fromkeys(population[0].shown, 0)
    a, b = population
    if clustered:  # whole clusters only; their mean is 0 again
        whole = np.arange(a.n // 3 * 3, dtype=np.intp)
        a, b = with_equal_means(a.take(whole), b.take(whole))
    for seed in range(simulations):
        items = drawn_items(a.n, n, clustered, np.random.default_rng([SEED, seed, n, clustered]))
        drawn = [sample(each, items, clustered) for each in (a, b)]
        cluster = "group" if clustered else "none"
        for name, row in compared_as_printed(drawn[0], drawn[1], seed, cluster).items():
            counts[name] += (row.p if row.p is not None else 1) < 0.05
    return {name: count / simulations for name, count in counts.items()}


def report(simulations: int) -> str:
    """The tables of the page; without released data, those of simulated differences only."""
    when = f"Measured {date.today()} with `python -m benchmarks equal_means`, {simulations:,} sets of each shape, "
    when += f"{simulations // 2:,} of the others, seed {SEED}."
    tables = [
        ("Two systems, by number of items:", shapes),
        ("Four systems, any of six pairs:", four_systems),
        ("Four published systems, any of six pairs on any metric, by number of items:", four_published),
    ]
    parts = [when]
    for title, table in [*tables, ("Published outputs; *cl.*: clusters of three items:", published)]:
        try:
            parts.append(f"{title}\n\n" + "\n".join(table(simulations if table is shapes else simulations // 2)))
        except MissingDataError as reason:
            parts.append(f"{title} {reason}")
    return "\n\n".join(parts)


def write() -> None:
    """Measure and write into the page."""
    released("webnlg")  # the page has all tables or stays as it is
    write_section(PAGE, BEGIN, END, report(SIMULATIONS))


if __name__ == "__main__":
    print_simulated(__doc__, SIMULATIONS, report)
