"""How many planted faults `assay store anomalies` finds in texts, and how often it accuses sound systems.

    python -m benchmarks anomalies        # a minute, written to docs/evidence/metrics.md

Sound are the released outputs of 98 systems on eight datasets. In each of them five faults are planted, one at a time.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from assay.metrics.checks.implausible import find_implausible
from assay.records import Items
from benchmarks.damage import DAMAGE, PAGE, Texts, sets, some, table
from benchmarks.page_section import write_section

BEGIN, END = "<!-- measured: anomalies -->\n", "<!-- end: anomalies -->\n"
MOST = 2_000
"""Number of items of a set that are used."""


def leaked(items: Items, share: float) -> Texts:
    return some(tuple(items.outputs), share, lambda i, text: (items.examples[i].references or (text,))[0])


def copied(items: Items) -> Texts:
    """The outputs of the same system, of which 5 % are those of other items."""
    draw = random.Random(2)
    return some(tuple(items.outputs), 0.05, lambda _i, _t: draw.choice(items.outputs))


FAULTS: dict[str, tuple[str, Callable[[Items], Texts]]] = {
    "shifted by one line": ("misaligned", lambda items: DAMAGE["shifted by one line"][0](tuple(items.outputs))),
    "shuffled": ("misaligned", lambda items: DAMAGE["shuffled"][0](tuple(items.outputs))),
    "2 % empty": ("empty", lambda items: ("", *some(tuple(items.outputs[1:]), 0.02, lambda _i, _t: ""))),
    "20 % equal to a reference": ("leak", lambda items: leaked(items, 0.2)),
    "95 % copied from another system": ("copy", copied),
}
"""The kind of anomaly that should be found, and the outputs with the fault."""


def measure() -> tuple[Counter[str], Counter[str], Counter[tuple[str, str]]]:
    """The number of systems; anomalies of sound systems by kind; planted faults found, by fault and dataset."""
    by_set: dict[str, list[Items]] = {}
    for name, items in sets():
        systems = by_set.setdefault(name, [])
        short = Items(tuple(items.outputs[:MOST]), tuple(items.examples[:MOST]), f"{len(systems)} {items.system}")
        systems.append(short)
    alarms: Counter[str] = Counter()
    found: Counter[tuple[str, str]] = Counter()
    for name, systems in by_set.items():
        for each in find_implausible(systems):
            print(f"{name}: {each.kind}: {', '.join(each.systems)}: {each.problem}")
            alarms[each.kind] += 1
        for items in systems:
            for fault, (kind, plant) in FAULTS.items():
                faulty = replace(items, outputs=plant(items), system="faulty")
                checked = [items, faulty] if kind == "copy" else [faulty]
                found[fault, name] += any(each.kind == kind for each in find_implausible(checked))
    return Counter({name: len(systems) for name, systems in by_set.items()}), alarms, found


def report() -> str:
    systems, alarms, found = measure()
    rows = table("planted fault", FAULTS, systems, found)
    kinds = ", ".join(f"{kind} {alarms[kind]}" for kind in ("misaligned", "empty", "leak", "copy", "damaged"))
    rows.append(f"\nAnomalies in the {systems.total()} published files as they are: {kinds}.")
    return f"Measured {date.today()} with `python -m benchmarks anomalies`, seeds 0 to 2.\n\n" + "\n".join(rows) + "\n"


def write() -> None:
    """Write the table of docs/evidence/metrics.md."""
    write_section(PAGE, BEGIN, END, report())
