"""Human perception of generated text (De Mattei et al., 2021): what follows from its printed tables.

The judgements are not released. Printed r and n give a range of p, printed bins give means, and systems give a ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from assay.meta.reproduce.cells import Cell, arithmetic, cell, read_rows, statement
from assay.meta.reproduce.perception_tables import TEST_GENERATED, TEST_HUMAN, TRAIN_GENERATED, TRAIN_HUMAN
from assay.stats.correlation import correlate, of_r

LENGTHS = ("10", "15", "20", "25", "30", "35", "40")
SYSTEMS = ("GePpeTto", "GePpeTto-F", "GePpeTto-R", "Human")
PEOPLE = """
GePpeTto   | 2.80 2.83 3.05 2.89 3.08 2.55 2.77 2.85
GePpeTto-F | 2.44 2.68 2.57 2.85 2.74 2.97 2.93 2.74
GePpeTto-R | 2.61 3.01 2.87 2.83 2.97 2.85 2.78 2.84
Human      | 2.59 2.45 2.38 2.37 2.48 2.39 2.18 2.41
"""
REGRESSOR = """
GePpeTto   | 2.79 2.78 2.88 2.80 2.76 2.53 2.68 2.74
GePpeTto-F | 2.53 2.62 2.52 2.44 2.44 2.46 2.43 2.49
GePpeTto-R | 2.68 2.67 2.67 2.45 2.63 2.38 2.44 2.56
Human      | 2.74 2.70 2.38 2.55 2.51 2.20 2.16 2.47
"""
MEANS = {"people": "2.61 2.74 2.72 2.74 2.82 2.69 2.67", "regressor": "2.68 2.69 2.61 2.56 2.59 2.39 2.43"}
SHARES = """
GePpeTto, training | 62.3 37.7
Gold, training     | 44.2 55.8
GePpeTto           | 61.1 38.96
GePpeTto-F         | 55.7 44.3
GePpeTto-R         | 59.1 40.9
Gold               | 37.4 62.6
"""
FEATURES = {
    "Table A.3, human": (TRAIN_HUMAN, 1400), "Table A.3, generated": (TRAIN_GENERATED, 1400),
    "Table A.4, human": (TEST_HUMAN, 350), "Table A.4, generated": (TEST_GENERATED, 350),
}  # fmt: skip
ROUNDED = "means of rounded values; the printed ones are of all items"
NOT_R = "no r that rounds to the printed one has this p at this number of items"


def perception(folder: Path) -> list[Cell]:
    """Return what the printed tables say about each other."""
    tables = {"people": _numbers(PEOPLE), "regressor": _numbers(REGRESSOR)}
    cells = [*shares(), *means(tables), *rankings(tables), *p_values()]
    return list(arithmetic(cells))


def _numbers(block: str) -> dict[str, list[float]]:
    return {row: [float(text) for text in printed] for row, printed in read_rows(block)}


def shares() -> Iterator[Cell]:
    """Yield the second share of Tables 1 and 2 from the first."""
    for row, (machine, human) in read_rows(SHARES):
        note = "printed with a digit too many" if human == "38.96" else ""
        yield cell("Tables 1 and 2", row, "human-perceived, %", human, 100 - float(machine), note)


def means(tables: Mapping[str, Mapping[str, list[float]]]) -> Iterator[Cell]:
    """Yield means over lengths and over systems, to two hundredths: the values behind them are rounded."""
    for who, rows in tables.items():
        for system, values in rows.items():
            computed = float(np.mean(values[:-1]))
            yield _close(f"Mean scores, {who}", system, "all lengths", values[-1], computed)
        for place, (length, printed) in enumerate(zip(LENGTHS, MEANS[who].split(), strict=True)):
            computed = float(np.mean([values[place] for values in rows.values()]))
            yield _close(f"Mean scores, {who}", "all systems", length, float(printed), computed)


def _close(table: str, row: str, column: str, printed: float, computed: float) -> Cell:
    return Cell(table, row, column, printed, computed, abs(printed - computed) <= 0.0101, ROUNDED)


def rankings(tables: Mapping[str, Mapping[str, list[float]]]) -> Iterator[Cell]:
    """Yield the claims about rankings and lengths."""
    people, metric = (tables[who] for who in ("people", "regressor"))
    orders = [sorted(SYSTEMS, key=lambda name: rows[name][-1]) for rows in (people, metric)]
    yield statement(
        "Rankings", "people and regressor order the systems alike", " < ".join(orders[1]), orders[0] == orders[1]
    )
    machine = np.mean([people[name][:-1] for name in SYSTEMS[:-1]], axis=0)
    gaps = machine - np.array(people["Human"][:-1])
    largest = LENGTHS[int(gaps.argmax())]
    yield statement("Rankings", "people separate best at 40 words", f"{gaps.max():.3f} at {largest}", largest == "40")
    flat = [[value for name in SYSTEMS for value in rows[name][:-1]] for rows in (people, metric)]
    r = correlate(flat[0], flat[1], "pearson")
    yield Cell("Rankings", "28 cells", "Pearson", None, float(r.r), None, "not printed")


def p_values() -> Iterator[Cell]:
    """Yield whether a printed p is possible for the printed r, which is rounded, and the number of items."""
    for table, (block, n) in FEATURES.items():
        for feature, (r, p) in read_rows(block):
            size = abs(float(r))
            low, high = (of_r(min(max(size + step, 0.0), 1.0), n).p for step in (0.00501, -0.00501))
            possible = low <= float(p) * 1.005 and float(p) * 0.995 <= high
            note = "" if possible else NOT_R
            yield Cell(table, feature, "p", float(p), float(of_r(size, n).p), possible, note)
