"""Coverage of intervals of scores with 30 and 60 items, and 15 and 40 clusters, of published outputs.

python -m benchmarks few_items                     # written to docs/evidence/statistics.md
python -m benchmarks.few_items --simulations 100   # printed
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date

import numpy as np

from benchmarks.inference import PAGE, drawn_items, population_of, sample
from benchmarks.page_section import print_simulated, write_section

SIMULATIONS, RESAMPLES, SEED = 1000, 500, 29
POPULATION = "WebNLG (TGen, FBConvAI)"
METRICS = ("rouge1", "bleu", "chrf", "ter", "wer")
SIZES = ((30, False), (60, False), (15, True), (40, True))
BEGIN, END = "<!-- few items -->", "<!-- end of few items -->"


def covered(units: int, clustered: bool, simulations: int) -> Iterator[tuple[str, str, float | None]]:
    """Yield system, metric and the share of printed intervals that hold the score of all items; None: none printed."""
    for full in population_of(POPULATION, clustered):
        full = full.only(*METRICS)
        held: Counter[str] = Counter()
        printed: Counter[str] = Counter()
        for seed in range(simulations):
            drawn = drawn_items(full.n, units, clustered, np.random.default_rng([SEED, seed, units, clustered]))
            for name, score in sample(full, drawn, clustered).with_intervals(RESAMPLES, seed).scores.items():
                if score.low is not None and score.high is not None:
                    printed[name] += 1
                    held[name] += score.low <= full.values[name] <= score.high
        for name in METRICS:
            yield full.system, name, held[name] / printed[name] if printed[name] else None


def report(simulations: int) -> str:
    """The table of the page; bold: outside 93 to 97 %."""
    rows: dict[tuple[str, str], list[str]] = {}
    for units, clustered in SIZES:
        for system, name, share in covered(units, clustered, simulations):
            shown = "–" if share is None else f"{100 * share:.1f}"
            outside = share is not None and not 0.93 <= share <= 0.97
            rows.setdefault((system, name), []).append(f"**{shown}**" if outside else shown)
    when = f"Measured {date.today()} with `python -m benchmarks few_items`"
    sizes = " | ".join(f"{units} cl." if clustered else str(units) for units, clustered in SIZES)
    return "\n".join(
        [
            f"{when}, {simulations:,} samples each, seed {SEED}.",
            "",
            f"| system | metric | {sizes} |",
            f"|---|---|{'--:|' * len(SIZES)}",
            *(f"| {system} | {name} | {' | '.join(cells)} |" for (system, name), cells in rows.items()),
        ]
    )


def write() -> None:
    """Measure and write into the page."""
    write_section(PAGE, BEGIN, END, report(SIMULATIONS))


if __name__ == "__main__":
    print_simulated(__doc__, SIMULATIONS, report)
