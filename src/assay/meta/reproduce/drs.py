"""Text from discourse representation structures (Wang et al., 2021): challenge sets, edits and ROSE.

The outputs are not released. Sizes and edits are counted in the released sets; ROSE and the drops follow from print.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from assay.datasets import dataset
from assay.meta.reproduce.cells import Cell, arithmetic, cell, read_rows, require_files, statement
from assay.records.types import Example

SIZES = {"tense": "200", "polarity": "100", "number": "100", "names": "50", "quantity": "50"}
TABLE_4 = """
tense    | 68.4 55.8 50.9 44.8 85.0 76.1 78.0 64.0
polarity | 68.1 37.4 50.8 37.9 85.0 66.1 78.0 49.0
number   | 72.5 69.2 53.7 53.4 85.7 86.4 77.0 69.0
names    | 69.1 71.9 53.0 53.5 87.2 87.8 82.0 74.0
quantity | 69.7 68.0 56.4 50.6 86.0 83.4 86.0 70.0
"""
RATES = """
tense, original     | 80.0 92.0 99.5 78.0
tense, changed      | 71.0 87.5 86.5 64.0
polarity, original  | 80.0 96.0 100.0 78.0
polarity, changed   | 52.0 81.0 99.0 49.0
number, original    | 80.0 95.0 100.0 77.0
number, changed     | 79.0 84.0 95.0 69.0
names, original     | 82.0 94.0 100.0 82.0
names, changed      | 76.0 84.0 98.0 74.0
quantity, original  | 88.0 98.0 92.0 86.0
quantity, changed   | 72.0 90.0 84.0 70.0
"""
TABLE_5 = """
a | 0 0 1 0
b | 0 1 1 0
c | 0 1 0 0
d | 0 1 0 0
e | 0 0 1 0
f | 1 1 1 1
g | 1 1 1 1
h | 1 1 1 1
"""
ITEMS = "a share of {n} items has to be a multiple of {step:g}"


def drs(folder: Path) -> list[Cell]:
    """Return the sizes of the sets, the claims about their edits, and the arithmetic of Tables 4 and 5."""
    gold, sets = require_files(folder / "drs", "pmb-4.0.0-gold", "challenge_set")
    reader = dataset("drs")
    originals = list(reader.read(gold, "test"))
    changed = {name: list(reader.read(sets, f"challenge_{name}")) for name in SIZES}
    return [*sizes(changed), *edits(originals, changed), *arithmetic([*table_4(), *table_5()])]


def sizes(changed: dict[str, list[Example]]) -> Iterator[Cell]:
    for name, printed in SIZES.items():
        yield cell("Table 2", name, "items", printed, float(len(changed[name])))


def edits(originals: list[Example], changed: dict[str, list[Example]]) -> Iterator[Cell]:
    """Yield whether each changed item has a reference of its own.

    Structures are not compared: those of the parents here are of a later release, which writes them differently.
    """
    known = {example.id: example for example in originals}
    for name, items in changed.items():
        pairs = [(known[item.parent or ""], item) for item in items if item.parent in known]
        kept = sum(parent.references == item.references for parent, item in pairs)
        absent = len(items) - len(pairs)
        notes = [f"{kept} with the text of the parent"] if kept else []
        notes += [f"{absent} parents are not in the test part of release 4.0.0"] if absent else []
        counted = f"{len(pairs) - kept} of {len(pairs)}"
        yield statement("Edits", f"{name}: the text is changed", counted, not kept, "; ".join(notes))


def table_4() -> Iterator[Cell]:
    """Yield drops from print, and whether the rates are possible: ROSE is at most the lowest rate."""
    rows = {name: [float(text) for text in printed] for name, printed in read_rows(TABLE_4)}
    for place, metric in enumerate(("BLEU", "METEOR", "ROUGE", "ROSE")):
        order = sorted(rows, key=lambda name: rows[name][2 * place + 1] - rows[name][2 * place])
        hardest = order[0] == "polarity"
        yield statement("Table 4", f"polarity drops most ({metric})", ", ".join(order), hardest)
    for name, printed in read_rows(RATES):
        values = [float(text) for text in printed]
        n = int(SIZES[name.partition(",")[0]])
        whole = all(math.isclose(value * n / 100, round(value * n / 100), abs_tol=1e-6) for value in values)
        note = "" if whole else ITEMS.format(n=n, step=100 / n)
        yield statement(
            "Table 4", f"{name}: rates are shares of {n} items", "possible" if whole else "impossible", whole, note
        )
        bound = max(0.0, sum(values[:3]) - 200.0) - 1e-9 <= values[3] <= min(values[:3]) + 1e-9
        yield statement("Table 4", f"{name}: ROSE is possible", f"at most {min(values[:3]):g}", bound)


def table_5() -> Iterator[Cell]:
    """Yield ROSE of the printed examples as the product of their three judgements."""
    for name, printed in read_rows(TABLE_5):
        semantics, grammar, phenomenon = (int(text) for text in printed[:3])
        yield cell("Table 5", name, "ROSE", printed[3], float(semantics * grammar * phenomenon))
