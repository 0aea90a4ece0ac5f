"""Familywise error of comparisons by subset: any significant difference in any of 19 subsets of a true null hypothesis.

python -m benchmarks subgroups                       # into docs/evidence/statistics.md
python -m benchmarks.subgroups --simulations 50      # read here
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np

from assay.results.compare import CompareRequest
from assay.results.many_systems import ManySystems, SubsetFamily
from assay.results.null_test import exchange_outputs
from assay.results.paper_table import subsets_of
from assay.results.result import Result
from assay.results.verdict import is_significant
from assay.stats.interval import wilson_interval
from benchmarks.inference import PAGE, population_of
from benchmarks.page_section import print_simulated, write_section

SIMULATIONS = 300
SUBSETS = 19
METRICS = ("rouge1", "bleu", "chrf")
BEGIN, END = "<!-- subgroups -->", "<!-- end of subgroups -->"


def rejects(results: list[Result], request: CompareRequest, together: bool) -> bool:
    """Whether any difference is significant in any subset."""
    family = SubsetFamily() if together else None
    tested = [
        ManySystems(members, request, intervals=False, family=family) for _, members in subsets_of(results, "subset")
    ]
    rows = [row for each in tested for row in each.with_first()[0].values()]
    return any(is_significant(row.p_adjusted) for row in rows)


def measure(simulations: int) -> dict[str, int]:
    """Simulations with any false claim, corrected within each subset and over all."""
    a, b = (result.only(*METRICS) for result in population_of("WebNLG", False))
    names = {"tags.subset": [str(i * SUBSETS // a.n) for i in range(a.n)]}
    a, b = (replace(result, index=result.index.with_columns(names)) for result in (a, b))
    false = {"within each subset": 0, "over all subsets": 0}
    for seed in range(simulations):
        null = list(exchange_outputs(a, b, np.random.default_rng(seed)))
        request = CompareRequest(samples=500, seed=1000 * seed, intervals=False)
        for how, together in (("within each subset", False), ("over all subsets", True)):
            false[how] += rejects(null, request, together)
    return false


def report(false: dict[str, int], simulations: int) -> str:
    """The table of familywise error rates."""
    lines = [
        f"Measured {date.today()} with `python -m benchmarks subgroups`, {simulations} simulations, seeds from 0.",
        "",
        "| p corrected | simulations with any significant difference | 95 % CI |",
        "|---|--:|---|",
    ]
    for how, count in false.items():
        low, high = wilson_interval(count, simulations)
        lines.append(f"| {how} | {100 * count / simulations:.1f} % | {100 * low:.1f} to {100 * high:.1f} |")
    return "\n".join(lines)


def write() -> None:
    """Measure and write into the page."""
    write_section(PAGE, BEGIN, END, report(measure(SIMULATIONS), SIMULATIONS))


if __name__ == "__main__":
    print_simulated(__doc__, SIMULATIONS, lambda simulations: report(measure(simulations), simulations))
