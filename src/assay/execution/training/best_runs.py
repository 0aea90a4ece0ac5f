"""The rule "train N seeds, keep the M that are best on validation data, report their mean on test data"."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

from assay.errors import AssayError
from assay.records.documents import JSONObject


def best_runs(trained: Sequence[JSONObject], number: int, lower: bool = False) -> JSONObject:
    """Return folders of the runs with the best validation score, and mean and standard deviation of their test scores.

    Args:
        trained: Descriptions of trained models, with `selected` (validation) and `test` (rows by set).
        number: How many to keep. Ties go to the earlier run.
        lower: Whether a lower validation score is better.
    """
    if not 0 < number <= len(trained):
        raise AssayError(f"--best {number}: {len(trained)} models were trained; give a number from 1 to {len(trained)}")
    order = sorted(trained, key=lambda one: one["selected"] if lower else -one["selected"])[:number]
    rows: dict[str, list[JSONObject]] = {}
    for one in order:
        for row in one["test"]:
            rows.setdefault(row["set"], []).append(row)
    return {
        "of": len(trained),
        "folders": [one["folder"] for one in order],
        "test": [{"set": name, "runs": len(some), **_summary(some)} for name, some in rows.items()],
    }


def _summary(rows: Sequence[JSONObject]) -> JSONObject:
    """Return mean and standard deviation of each score; a score that is undefined in a run is undefined."""
    names = [
        name for name, value in rows[0].items()
        if name not in ("set", "n") and not name.endswith(("_low", "_high")) and not isinstance(value, str)
    ]  # fmt: skip
    made: JSONObject = {}
    for name in names:
        values = [row.get(name) for row in rows]
        known = [float(value) for value in values if value is not None]
        complete = len(known) == len(values)
        made[name] = fmean(known) if complete else None
        made[f"{name}_sd"] = stdev(known) if complete and len(known) > 1 else None
    return made
