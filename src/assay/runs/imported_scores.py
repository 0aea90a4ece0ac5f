"""Scores of others read from files and put beside ours: per item, for one system or for several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.errors import AssayError
from assay.metrics import MetricRequest
from assay.metrics.imported import Imported
from assay.records.fields import has_ids, id_of, optional
from assay.records.files import digest_of
from assay.records.items import Items
from assay.records.read import stem_of, to_table
from assay.records.types import Data
from assay.results.measurement import Measurement
from assay.runs.measure import Measured, StatisticsStore
from assay.specs import Spec

LOWER = frozenset("ter wer cer perplexity ppl loss latency toxicity slot_error edit_distance metricx mqm".split())
"""Beginnings of names of numbers that are better when lower."""
KEYS = frozenset("id gem_id instance_id example_id system parent epoch n index row number".split())


class ImportedScores(NamedTuple):
    """The scores of one file: by system (None where it names none), by column, by id."""

    name: str
    values: dict[str | None, dict[str, dict[str, float]]]
    has_ids: bool


def read_scores(data: Data, *, dataset: str | None = None) -> ImportedScores:
    """Every column of numbers in a file of items; ids are needed where there is more than one order."""
    table = to_table(data, "scores", dataset=dataset)
    named = has_ids(table)
    values: dict[str | None, dict[str, dict[str, float]]] = {}
    counts: dict[str | None, int] = {}
    for row in table.rows:
        system = optional(row, table, "system") or table.system
        counts[system] = counts.get(system, 0) + 1
        id = id_of(row, table) if named else str(counts[system])
        for column, cell in row.fields.items():
            number = _number(cell)
            if column in KEYS or not column or number is None:
                continue
            scores = values.setdefault(system, {}).setdefault(column.replace(":", "_").replace(",", "_"), {})
            if id in scores:
                raise AssayError(f"{table.path} {row.where}: a second {column} of item {id}; keep one of each")
            scores[id] = number
    if not values:
        raise AssayError(f"{table.path}: no column of numbers in it; it needs an id and a score a row")
    return ImportedScores(table.path, values, named)


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return float(cell)
    if isinstance(cell, str):
        try:
            cell = float(cell)
        except ValueError:
            return None
    return float(cell) if isinstance(cell, int | float) and math.isfinite(cell) else None


def add_scores(
    files: Sequence[ImportedScores], items: Items, measured: Measured, store: StatisticsStore | None = None
) -> list[str]:
    """Put the scores of a system beside what was measured of it; says which items have none."""
    notes = []
    for file in files:
        for column, scores in _of_system(file, items.system, len(files)).items():
            ids = items.ids if file.has_ids else [str(i) for i in range(1, len(items) + 1)]
            found = [id for id in ids if id in scores]
            if not found:
                continue
            better = "lower" if any(column.lower().startswith(name) for name in LOWER) else "higher"
            options = (
                ("column", column),
                ("better", better),
                ("digest", digest_of([[id, scores[id]] for id in found])),
            )
            metric = Imported(column, "lower" if better == "lower" else "higher", options[2][1])
            rows = metric.given(scores, ids)
            if store:
                store.put(metric.stored_as(), rows)
            request = MetricRequest(Spec(metric.name, options), metric, None)
            measured.computed.append(Measurement(request, metric.signature("any"), rows))
            if len(found) < len(ids):
                missing = [id for id in ids if id not in scores]
                notes.append(
                    f"{items.system}: {len(missing)} of {len(ids)} items have no {column} in {file.name} "
                    f"({', '.join(missing[:3])}{' …' if len(missing) > 3 else ''}); it is the mean of the others"
                )
    if files and not any(isinstance(each.metric, Imported) for each in measured.computed):
        named = ", ".join(file.name for file in files)
        raise AssayError(f"{named}: no score of an item of {items.system}; check the ids, and the column system")
    return notes


def _of_system(file: ImportedScores, system: str, files: int) -> Mapping[str, dict[str, float]]:
    """The scores that are about a system: those that name it; of a file that names none, all where it is the only file
    or is called like the system."""
    if system in file.values:
        return file.values[system]
    if None in file.values and (files == 1 or stem_of(file.name) == system):
        return file.values[None]
    return next(iter(file.values.values())) if len(file.values) == 1 and stem_of(file.name) == system else {}
