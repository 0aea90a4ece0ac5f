"""Do the marks of a table, and groups of systems, hold their family-wise level? Systems of which the truth is known.

python -m benchmarks.table_marks        # 300 simulations of each kind, some minutes
python -m benchmarks table_marks        # the same, written to docs/evidence/tables.md

Each item of a synthetic system has the output of one of the nine WebNLG 2020 systems, drawn at random: systems that
draw from the same ones do not differ, those that draw from worse ones do. Items are drawn again each time.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path

import numpy as np

import assay
from assay.metrics.engine.statistics import Rows, concat
from assay.results.paper_table import table
from assay.results.result import Result
from assay.results.verdict import Family, is_significant
from benchmarks.page_section import write_section
from benchmarks.released import released

PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "tables.md"
BEGIN, END = "<!-- marks -->", "<!-- end of marks -->"
METRICS = "bleu,chrf,rougeL"
SYSTEMS = (2, 3, 5, 10, 20)
SIZES = (50, 200)
SIMULATIONS = 300
GOOD, BAD = ("Amazon_AI_(Shanghai)", "FBConvAI", "bt5", "NUIG-DSI"), ("RALI", "Baseline-FORGE2020", "DANGNT-SGU")


@dataclass
class Tally:
    """Out of so many simulations: in how many any two equal systems were told apart, or an equal one lost its mark."""

    simulations: int = 0
    groups: int = 0
    marks: int = 0


@lru_cache
def population() -> dict[str, Result]:
    outputs = {path.stem: path for path in sorted(released("webnlg/outputs-2020/en").glob("*.txt"))}
    return assay.score_all(outputs, examples=f"web_nlg_en:{released('webnlg/en/test')}", metrics=METRICS)


@lru_cache
def every_row() -> list[Rows]:
    """Of each metric the statistics of all systems, one after the other."""
    held = [result.measurements for result in population().values()]
    return [concat([measurement.rows for measurement in of_metric]) for of_metric in zip(*held, strict=True)]


def drawn(sources: Sequence[Sequence[str]], items: Sequence[int], rng: np.random.Generator) -> list[Result]:
    """A system for each set of names, whose outputs are those of any of them."""
    results = population()
    names = list(results)
    first = results[names[0]]
    made = []
    for number, allowed in enumerate(sources):
        among = np.array([names.index(name) for name in allowed])
        places = (rng.choice(among, len(items)) * first.n + np.array(items)).astype(np.intp)
        measured = tuple(
            replace(m, rows=held.take(places)) for m, held in zip(first.measurements, every_row(), strict=True)
        )
        made.append(
            replace(first, system=f"s{number}", index=first.index.take(np.arange(len(items))), measurements=measured)
        )
    return made


def simulate(
    systems: int, n: int, family: Family, partial: bool, simulations: Iterable[int], samples: int = 200
) -> Tally:
    """Equal systems, or (`partial`) half of them equal and the others worse: what is wrongly told apart."""
    tally = Tally()
    better = (systems + 1) // 2 if partial else systems
    sources = [GOOD] * better + [BAD] * (systems - better)
    for number in simulations:
        rng = np.random.default_rng([number, systems, n, partial])
        items = rng.integers(0, population()["bt5"].n, n).tolist()
        made = drawn(sources, items, rng)
        (held,) = table(made, samples=samples, seed=number, family=family).sets
        assert held.rankings
        equal = {result.system for result in made[:better]}, {result.system for result in made[better:]}
        wrong = [
            is_significant(gap.p_adjusted)
            for ranking in held.rankings.by_name.values()
            for gap in ranking.pairs
            if any(gap.a in alike and gap.b in alike for alike in equal)
        ]
        lost = [
            held.verdict(name, system) == "behind"
            for name, ranking in held.rankings.by_name.items()
            for system in equal[0]
            if ranking.best[0] in equal[0]
        ]
        tally.simulations += 1
        tally.groups += any(wrong)
        tally.marks += any(lost)
    return tally


def report(simulations: int, sizes: Sequence[int] = SIZES, systems: Sequence[int] = SYSTEMS) -> str:
    """A line for every kind, per cent."""
    lines = [
        "| systems | items | equal: groups | equal: marks | half worse: groups | half worse: marks |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for count in systems:
        for n in sizes:
            cells = []
            for partial in (False, True):
                if partial and count < 3:
                    cells += ["–", "–"]
                    continue
                tally = simulate(count, n, "all", partial, range(simulations))
                cells += [f"{100 * wrong / tally.simulations:.1f}" for wrong in (tally.groups, tally.marks)]
            lines.append(f"| {count} | {n} | {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def write() -> None:
    """Write the table of docs/evidence/tables.md."""
    made = report(SIMULATIONS)
    when = f"Measured {date.today()} with `python -m benchmarks table_marks`, {SIMULATIONS} simulations a cell."
    write_section(PAGE, BEGIN, END, f"{when}\n\n{made}")


if __name__ == "__main__":
    print(report(SIMULATIONS))
