"""Imported scores per item, for one system or several."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from assay.errors import AssayError, UsageError, location
from assay.metrics import MetricRequest
from assay.metrics.engine.imported import Imported
from assay.records.fields import has_ids, id_of, optional
from assay.records.files import digest_of
from assay.records.read import stem_of, to_table
from assay.records.recognize import Row, Table
from assay.records.types import Data
from assay.results.measurement import Measurement
from assay.results.result import Result
from assay.specs import Spec

Way = Literal["higher", "lower", "neither"]
LOWER = frozenset("ter wer cer perplexity ppl loss latency toxicity slot_error edit_distance metricx mqm".split())
"""Names of metrics that are better when lower, also with suffixes (`ter-2`, `wer_cased`)."""
KEYS = frozenset("id gem_id instance_id example_id system parent epoch n index row number".split())
TEXTS = frozenset("output reference references source target answer filter prompt".split())
"""Columns with texts of items: a number in them is an answer, not a score."""


class ImportedScores(NamedTuple):
    """Scores of one file: by system (None if it names none), column and id."""

    name: str
    values: dict[str | None, dict[str, dict[str, float]]]
    has_ids: bool
    rows: dict[str | None, int]
    better: Mapping[str, str] = {}
    """Direction of columns whose name does not imply it."""


def read_scores(data: Data, *, dataset: str | None = None, better: Mapping[str, str] | None = None) -> ImportedScores:
    """Read every numeric column of a file of items."""
    for column, way in (better or {}).items():
        if way not in get_args(Way):
            raise UsageError(f"better of {column}: {way} is no direction; use {', '.join(get_args(Way))}")
    table = to_table(data, "scores", dataset=dataset)
    rows = list(_rows(table))
    named = has_ids(table._replace(rows=rows))
    values: dict[str | None, dict[str, dict[str, float]]] = {}
    counts: dict[str | None, int] = {}
    for row in rows:
        system = optional(row, table, "system") or table.system
        counts[system] = counts.get(system, 0) + 1
        id = id_of(row, table) if named else str(counts[system])
        for column, cell in row.fields.items():
            number = _number(cell)
            if column in KEYS or column in TEXTS or number is None:
                continue
            name = (column or stem_of(table.path)).replace(":", "_").replace(",", "_")
            scores = values.setdefault(system, {}).setdefault(name, {})
            if id in scores:
                raise AssayError(f"{location(table.path, row.where)}: a second {name} of item {id}. Keep one.")
            scores[id] = number
    if not values:
        raise AssayError(f"{table.path}: no numeric column with scores. Each row needs an id and a score.")
    return ImportedScores(table.path, values, named, counts, better or {})


def _rows(table: Table) -> Iterator[Row]:
    """Yield one row per item; lists by system, as in COMET, are in the order of items."""
    rows = table.rows
    if table.kind == "text" and len(rows) > 1 and _number(rows[0].fields[""]) is None:  # a column alone has no commas
        column = rows[0].fields[""].strip()
        rows = [Row({column: row.fields[""]}, row.where) for row in rows[1:]]
    for row in rows:
        listed = row.fields.get("")
        if isinstance(listed, list) and listed and all(isinstance(each, Mapping) for each in listed):
            system = stem_of(str(row.fields.get("id", "")))
            for number, each in enumerate(listed, 1):
                yield Row({"system": system, **each}, f"{row.where}, item {number}")
        else:
            yield row


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return float(cell)
    if not isinstance(cell, str | int | float):
        return None
    try:
        number = float(cell)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def add_scores(
    files: Sequence[ImportedScores], system: str, ids: Sequence[str], alone: bool = True
) -> tuple[list[Measurement], list[str]]:
    """Return the scores of a system's items, and warnings. `alone`: no other system is scored."""
    measured: list[Measurement] = []
    notes: list[str] = []
    for file in files:
        for column, scores in _of_system(file, system, len(files), alone).items():
            keys = _keys(file, system, ids)
            known = [(id, key) for id, key in zip(ids, keys, strict=True) if key in scores]
            if not known:
                continue
            metric = Imported(column, _way(file, column), digest_of([[id, scores[key]] for id, key in known]))
            options = (("column", column), ("better", metric.better), ("digest", metric.digest))
            request = MetricRequest(Spec(metric.name, options), metric, None)
            measured.append(Measurement(request, metric.signature("any"), metric.rows_from(scores, keys)))
            if len(known) < len(ids):
                missing = [id for id, key in zip(ids, keys, strict=True) if key not in scores]
                notes.append(
                    f"{system}: {len(missing)} of {len(ids)} items have no {column} in {file.name} "
                    f"({', '.join(missing[:3])}{' …' if len(missing) > 3 else ''}); the score is the mean of the others"
                )
    named = ", ".join(file.name for file in files)
    twice = [name for name, count in _counted(each.metric.parts()[0].name for each in measured) if count > 1]
    if twice:
        raise AssayError(f"{named}: {twice[0]} of {system} occurs twice. Rename a column, or leave one out.")
    if files and not measured and alone:
        raise AssayError(f"{named}: no score of an item of {system}. Check ids and the column system.")
    if files and not measured:
        notes.append(f"{system}: no score of its items in {named}. Check ids and the column system.")
    return measured, notes


def _counted(names: Iterator[str]) -> list[tuple[str, int]]:
    names_given = list(names)
    return [(name, names_given.count(name)) for name in dict.fromkeys(names_given)]


def with_scores(results: Sequence[Result], files: Sequence[ImportedScores]) -> list[Result]:
    """Return results of several systems with imported scores added."""
    if not files:
        return list(results)
    made = []
    for result in results:
        measured, notes = add_scores(files, result.system, result.index["id"].to_list(), alone=len(results) == 1)
        new = {part.name for each in measured for part in each.metric.parts()}
        kept = [each for each in result.measurements if not new & {part.name for part in each.metric.parts()}]
        made.append(replace(result, measurements=(*kept, *measured), notes=[*result.notes, *notes]))
    if not any(isinstance(each.metric, Imported) for result in made for each in result.measurements):
        named = ", ".join(file.name for file in files)
        systems = ", ".join(result.system for result in results)
        raise AssayError(f"{named}: no score of an item of {systems}. Check ids and the column system.")
    return made


def _keys(file: ImportedScores, system: str, ids: Sequence[str]) -> list[str]:
    """Return the keys of items in the file: their ids, or positions if it has none."""
    if file.has_ids:
        return list(ids)
    rows = file.rows.get(system, next(iter(file.rows.values())))
    if rows != len(ids):
        raise AssayError(
            f"{file.name}: {rows} scores without ids for the {len(ids)} outputs of {system}; add ids to the rows"
        )
    return [str(place) for place in range(1, len(ids) + 1)]


def _way(file: ImportedScores, column: str) -> Way:
    stated = file.better.get(column)
    if stated is None:
        lower = any(re.match(rf"{name}(?![a-z])", column.lower()) for name in LOWER)
        return "lower" if lower else "higher"
    return "lower" if stated == "lower" else "higher" if stated == "higher" else "neither"


def _of_system(file: ImportedScores, system: str, files: int, alone: bool) -> Mapping[str, dict[str, float]]:
    """Return the scores of a system: those that name it; of a file without system names, all if it is the only file
    of the only system, or has its name."""
    if system in file.values:
        return file.values[system]
    called = system in (stem_of(file.name), Path(file.name).stem)  # logs of one model are called like their files
    if None in file.values and (called or (files == 1 and alone)):
        return file.values[None]
    if None in file.values and files == 1 and len(file.values) == 1:
        raise AssayError(
            f"{file.name}: no system column, and there are several systems. Add one, or give a file for each, "
            "called like it"
        )
    return next(iter(file.values.values())) if len(file.values) == 1 and called else {}
