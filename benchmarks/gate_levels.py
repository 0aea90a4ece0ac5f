"""Does `assay check` keep its level where failures are rare, and what do its guarantee and looking early cost?

    python -m benchmarks gate_levels        # some minutes, into docs/evidence/statistics.md

Every verdict "not worse" is wrong here: the true loss is exactly the margin.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

import assay
from assay.metrics.engine.statistics import Dense
from assay.results.index import ItemIndex
from assay.results.margin_bounds import margin_units
from assay.results.result import Result
from assay.stats.betting import binomial_at_most, mean_rejected
from assay.stats.confidence_sequence import evidence_above
from benchmarks.page_section import write_section

Values = NDArray[np.float64]
DATA = Path(os.environ.get("ASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "statistics.md"
BEGIN, END = "<!-- gate -->", "<!-- end of gate -->"
LEVEL, SEED = 0.05, 29
RATES = (0.01, 0.02, 0.03, 0.05, 0.10)
REAL_RATES = (0.02, 0.05, 0.10)
SIZES = (20, 50, 100, 200, 500, 1000)
DRAWS = {50: 300, 200: 800, 1000: 200}
"""Simulated sets by number of items."""
METRICS = ("bleu", "chrf")


def passes(values: Values, margin: float, down: float = 1.0, weights: Values | None = None) -> bool:
    """Whether a loss of the margin is excluded, as in `assay check`."""
    one = np.ones(len(values)) if weights is None else weights
    return bool(mean_rejected(values, one, down, np.array([-margin]), LEVEL)[0])


def cell(share: float) -> str:
    return f"**{100 * share:.1f}**" if share > LEVEL + 1e-9 else f"{100 * share:.1f}"


def table(headings: list[str], rows: list[list[str]]) -> list[str]:
    lines = (f"| {' | '.join(row)} |" for row in (headings, *rows))
    return [next(lines), f"|---|{'--:|' * (len(headings) - 1)}", *lines]


def enumerated(n: int, rate: float, accepts: Callable[[Values], bool]) -> float:
    """P(pass) over all numbers of empty outputs, which lose the whole range; the other outputs are unchanged."""
    chance, passed = np.random.default_rng(SEED), 0.0
    for failures in range(n + 1):
        values = np.zeros(n)
        values[:failures] = -1.0
        if not accepts(chance.permutation(values)):
            break
        passed += binomial_at_most(failures, n, rate) - binomial_at_most(failures - 1, n, rate)
    return passed


def student(margin: float) -> Callable[[Values], bool]:
    """The one-sided t test, which a check used until this was measured where few outputs had changed."""
    from assay.stats.distributions import t_quantile

    def accepts(values: Values) -> bool:
        error = float(values.std(ddof=1)) / len(values) ** 0.5
        return bool(float(values.mean()) - t_quantile(1 - LEVEL, len(values) - 1) * error > -margin)

    return accepts


def rare_failures() -> Iterator[str]:
    yield "P(pass) in per cent, enumerated; empty outputs lose the whole range, the others are unchanged:"
    yield ""
    rows = []
    for n in SIZES:
        exact = [cell(enumerated(n, rate, lambda values, rate=rate: passes(values, rate))) for rate in RATES]  # type: ignore[misc]
        by_t = cell(enumerated(n, 0.02, student(0.02)))
        rows.append([f"{n:,}", *exact, by_t])
    yield from table(["items", *(f"q = {rate:.0%}" for rate in RATES), "Student's t, q = 2%"], rows)


def population() -> tuple[Result, Result]:
    """A real system on WebNLG 2020, and the same items with empty outputs."""
    from assay.datasets import DATASETS

    examples = [
        {"id": e.id, "references": list(e.references)}
        for e in DATASETS.get("web_nlg_en")().read(DATA / "webnlg/en", "test")
    ]
    texts = (DATA / "webnlg/outputs-2020/en/bt5.txt").read_text(encoding="utf-8").splitlines()
    outputs = {e["id"]: text for e, text in zip(examples, texts, strict=True)}
    made = [outputs, dict.fromkeys(outputs, "")]
    full, empty = (assay.score(each, examples=examples, metrics=",".join(METRICS)) for each in made)
    return full, empty


def rows_of(result: Result, name: str) -> Values:
    rows = result.parts[name][0].rows
    assert isinstance(rows, Dense)
    return rows.values


def with_rows(result: Result, name: str, values: Values) -> Result:
    """One metric of a result on other statistics."""
    measurement = result.parts[name][0]
    assert isinstance(measurement.rows, Dense)
    rows = replace(measurement.rows, values=values)
    index = ItemIndex({"id": [f"{i:05}" for i in range(len(values))]})
    return replace(result, index=index, measurements=(replace(measurement, rows=rows),))


def real_rows(name: str) -> list[list[str]]:
    """P(pass) of one metric by number of items and share of empty outputs."""
    full, empty = population()
    chance, rows = np.random.default_rng([SEED, METRICS.index(name)]), []
    metric, part = full.parts[name][0].metric, full.parts[name][1]
    good, bad = rows_of(full, name), rows_of(empty, name)
    for n, draws in DRAWS.items():
        cells = []
        for rate in REAL_RATES:
            sums = np.vstack([good.sum(axis=0), (1 - rate) * good.sum(axis=0) + rate * bad.sum(axis=0)])
            before, after = metric.values(sums)[part.name]
            passed = 0
            for _ in range(draws):
                items = chance.integers(0, len(good), n)
                failed = chance.random(n) < rate
                old = with_rows(full, name, good[items])
                new = with_rows(full, name, np.where(failed[:, None], bad[items], good[items]))
                units = margin_units(old, new, name)
                assert units is not None
                passed += passes(units.values, float(before - after), units.down, units.weights)
            cells.append(cell(passed / draws))
        rows.append([name, f"{n:,}", f"{draws:,}", *cells])
    return rows


def real_outputs() -> Iterator[str]:
    yield "P(pass) in per cent, simulated on the outputs of bt5 on WebNLG 2020, of which q are replaced by empty ones:"
    yield ""
    rows = [row for name in METRICS for row in real_rows(name)]
    yield from table(["metric", "items", "sets", *(f"q = {rate:.0%}" for rate in REAL_RATES)], rows)


def graded(n: int, mean: float, spread: float, chance: np.random.Generator) -> Values:
    return np.clip(chance.normal(mean, spread, n), -1, 1)


def items_for(power: Callable[[int], float], planned: int) -> str:
    """The smallest multiple of the planned number of items that reaches 80 %."""
    for factor in (1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 6.0, 10.0):
        if power(int(planned * factor)) >= 0.8:
            return f"{factor:g}"
    return "over 10"


def price() -> Iterator[str]:
    yield "Items that an equal system takes to pass in 80 %, as a multiple of those of the z test:"
    yield ""
    chance, rows = np.random.default_rng(SEED), []
    z = NormalDist().inv_cdf(0.95) + NormalDist().inv_cdf(0.8)
    for spread, margin in ((0.05, 0.01), (0.1, 0.02), (0.2, 0.03), (0.3, 0.05)):
        planned = int(np.ceil((z * spread / margin) ** 2))

        def power(n: int, spread: float = spread, margin: float = margin) -> float:
            return float(np.mean([passes(graded(n, 0.0, spread, chance), margin) for _ in range(100)]))

        least = int(np.ceil(np.log(LEVEL) / np.log1p(-margin)))
        rows.append([f"{100 * spread:g}", f"{100 * margin:g}", f"{planned:,}", items_for(power, planned), f"{least:,}"])
    yield from table(
        ["standard deviation of differences, points", "margin", "items of the z test", "multiple", "least possible"],
        rows,
    )


def peeking() -> Iterator[str]:
    yield "Sequences in which any look after every item, up to 1,000, rejects a true hypothesis, per cent of 1,000:"
    yield ""
    chance, n, sets, one = np.random.default_rng(SEED), 1000, 1000, np.ones(1000)
    kinds: dict[str, tuple[Callable[[], Values], float]] = {
        "check: 2 % empty outputs, margin 2 points": (lambda: -(chance.random(n) < 0.02).astype(float), -0.02),
        "check: loss of the margin, deviation 10 points": (lambda: graded(n, -0.02, 0.1, chance), -0.02),
        "compare: no difference, deviation 20 points": (lambda: graded(n, 0.0, 0.2, chance), 0.0),
        "compare: skewed, 5 % lose 50 points, the rest gains": (
            lambda: np.where(chance.random(n) < 0.05, -0.5, 0.025 / 0.95), 0.0,
        ),
    }  # fmt: skip
    rows = []
    places = np.arange(20, n + 1)
    for name, (draw, mean) in kinds.items():
        both = name.startswith("compare")
        wrong = naive = 0
        for _ in range(sets):
            values = draw()
            level = LEVEL / 2 if both else LEVEL
            found = evidence_above(values, one, 1.0, mean).first_above(level) is not None
            found |= both and evidence_above(-values, one, 1.0, -mean).first_above(level) is not None
            wrong += found
            means, squares = np.cumsum(values)[19:] / places, np.cumsum(values**2)[19:] / places
            errors = np.sqrt(np.maximum(squares - means**2, 0) / places)
            z = NormalDist().inv_cdf(1 - level)
            far = (means - mean) > z * errors
            naive += bool((far | ((mean - means) > z * errors)).any()) if both else bool(far.any())
        rows.append([name, cell(wrong / sets), cell(naive / sets)])
    yield from table(["hypothesis", "confidence sequence", "z test after every item from the 20th"], rows)


def price_of_looking() -> Iterator[str]:
    yield "Items until `compare --sequential` decides, one metric, as a multiple of a z test planned for 80 % power:"
    yield ""
    chance, rows = np.random.default_rng(SEED), []
    z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    for spread, difference in ((0.1, 0.02), (0.2, 0.05), (0.3, 0.05), (0.3, 0.1)):
        planned = int(np.ceil((z * spread / difference) ** 2))
        longest = planned * 12
        found = []
        for _ in range(300):
            values = graded(longest, difference, spread, chance)
            found.append(evidence_above(values, np.ones(longest), 1.0, 0.0).first_above(LEVEL / 2) or longest)
        median, most = (float(np.quantile(found, q)) / planned for q in (0.5, 0.8))
        rows.append([f"{100 * spread:g}", f"{100 * difference:g}", f"{planned:,}", f"{median:.2f}", f"{most:.2f}"])
    yield from table(
        [
            "standard deviation of differences, points",
            "difference",
            "items of the z test",
            "median",
            "80 % of sequences",
        ],
        rows,
    )


def write() -> None:
    """Measure everything and replace the section of the page."""
    lines = [f"Measured {date.today()} with `python -m benchmarks gate_levels`, seed {SEED}."]
    for part in (rare_failures, real_outputs, price, peeking, price_of_looking):
        lines += ["", *part()]
        print("\n".join(lines[-12:]), flush=True)
    write_section(PAGE, BEGIN, END, "\n".join(lines))


if __name__ == "__main__":
    write()
