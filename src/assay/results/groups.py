"""Systems that ran with several seeds or prompts: the mean of their scores and the deviation between runs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.records import to_json, write_text
from assay.results.result import Result

if TYPE_CHECKING:
    from assay.results.benchmark import Benchmark


def grouped(benchmark: Benchmark, results: Mapping[str, Mapping[str, Result]]) -> list[dict[str, Any]]:
    """For each dataset, group and number: the mean over runs, the sample deviation, and how many runs there are."""
    members: dict[str, list[str]] = {}
    for system in benchmark.systems:
        if system.group:
            members.setdefault(system.group, []).append(system.name)
    rows = []
    for dataset, by_system in results.items():
        for group, names in members.items():
            ran = [by_system[name] for name in names if name in by_system]
            for label in ran[0].labels if ran else ():
                values = [result.values[label] for result in ran if label in result.values]
                known = [value for value in values if value == value]
                if known:
                    spread = statistics.stdev(known) if len(known) > 1 else None
                    rows.append({
                        "dataset": dataset, "group": group, "number": label, "mean": statistics.fmean(known),
                        "sd": spread, "runs": len(known),
                    })  # fmt: skip
    return rows


def write_groups(
    out: Path, benchmark: Benchmark, results: Mapping[str, Mapping[str, Result]], say: Callable[[str], None]
) -> None:
    """Keep and show the means of the numbers that tables show."""
    rows = grouped(benchmark, results)
    if not rows:
        return
    write_text(out / "groups.json", to_json({"groups": rows}) + "\n")
    for dataset, by_system in results.items():
        some = next(iter(by_system.values()), None)
        for group in dict.fromkeys(row["group"] for row in rows if row["dataset"] == dataset):
            cells = []
            for row in rows:
                if some and (row["dataset"], row["group"]) == (dataset, group) and row["number"] in some.shown:
                    part = some.labels[row["number"]][1]
                    spread = "" if row["sd"] is None else f" ± {row['sd'] * part.scale:.{part.digits}f}"
                    cells.append(f"{row['number']} {row['mean'] * part.scale:.{part.digits}f}{spread}")
            runs = sum(system.group == group for system in benchmark.systems)
            say(f"{dataset:<12} {group:<12} mean of {runs}: {' · '.join(cells[:6])}")
