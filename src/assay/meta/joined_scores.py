"""Human judgements joined with metric scores by id; rows that are left out are reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars
from numpy.typing import NDArray

from assay.errors import AssayError, first_line
from assay.records.read import to_table

KEYS = (("hash", "model_name"), ("id", "system"), ("id",))
"""Join keys in order of preference; `hash` and `model_name` are the names in the FRANK files."""
NAMES = frozenset(name for key in KEYS for name in key)
DEFAULT_HUMAN = "Factuality"


@dataclass(frozen=True)
class JoinedScores:
    """One row per judged text: the columns of the human file, and the metrics of the score file."""

    frame: polars.DataFrame
    key: tuple[str, ...]
    metrics: tuple[str, ...]
    notes: tuple[str, ...] = ()
    judgements: polars.DataFrame | None = None
    """The single judgements, if the human file contains them."""


def read_frame(data: Any, role: str) -> polars.DataFrame:
    """Read a file or Python table as a data frame; ids stay text, columns of numbers become numeric.

    Args:
        data: A path, records or a data frame.
        role: `human` or `scores`, for messages.
    """
    frame = _read_rows(data, role)
    return _mean_judgements(frame, role) if _is_judgements(frame) else frame


def _is_judgements(frame: polars.DataFrame) -> bool:
    return {"annotator", "criterion", "value"} <= {*frame.columns}


def _read_rows(data: Any, role: str) -> polars.DataFrame:
    if isinstance(data, polars.DataFrame):
        frame = data
    else:
        table = to_table(data, role)
        if table.kind == "text":
            frame = _separated([str(row.fields[""]) for row in table.rows], table.path)
        else:
            frame = _frame([row.fields for row in table.rows], f"{role} {named(data)}")
    if frame.is_empty():
        raise AssayError(f"{role} {named(data)}: no rows. Give a file with one row per judged text.")
    frame = _flat(frame)
    return frame.with_columns(_as_number(column) for column in frame.iter_columns())


def _frame(rows: list[dict[str, object]], where: str) -> polars.DataFrame:
    try:
        return polars.DataFrame(rows, infer_schema_length=None, strict=False)
    except (polars.exceptions.PolarsError, TypeError) as error:
        raise AssayError(f"{where}: a column mixes types ({first_line(error)}).") from None


def _of_whole_texts(frame: polars.DataFrame) -> polars.DataFrame:
    return frame.filter(frame["unit"].is_null() | (frame["unit"] == "summary")) if "unit" in frame.columns else frame


def _mean_judgements(frame: polars.DataFrame, role: str) -> polars.DataFrame:
    """Return the mean of single judgements over annotators, one column per criterion."""
    units = frame
    frame = _of_whole_texts(frame)
    if frame.is_empty() or not frame["value"].dtype.is_numeric():
        of_sentences = "unit" in units.columns and units["unit"].str.starts_with("sentence").any()
        remedy = (
            " Those of sentences become a row per text with `assay study export --as frank`." if of_sentences else ""
        )
        raise AssayError(f"{role}: no numeric judgements of whole texts, so there is nothing to correlate.{remedy}")
    key = [name for name in ("id", "system") if name in frame.columns]
    return frame.pivot("criterion", index=key, values="value", aggregate_function="mean", maintain_order=True)


def join_scores(human: Any, scores: Any, allow_missing: bool = False, two_systems: bool = False) -> JoinedScores:
    """Join human scores and metric scores.

    The key is `hash` and `model_name`, `id` and `system`, or `id`.

    Args:
        human: Human scores or single judgements.
        scores: Metric scores.
        allow_missing: Use the items that both have.
        two_systems: The files are two systems: join on `id` alone.

    Raises:
        AssayError: The files share no key, have duplicates, or have different items.
    """
    rows, right = _read_rows(human, "human"), read_frame(scores, "scores")
    if two_systems:
        rows, right = (frame.drop("system", strict=False) for frame in (rows, right))
    single = _of_whole_texts(rows) if _is_judgements(rows) else None
    left = rows if single is None else _mean_judgements(rows, "human")
    right = right.with_columns(polars.selectors.boolean().cast(polars.Float64))  # true/false is a metric
    right = like_key(right, left)
    key = next((k for k in KEYS if {*k} <= {*left.columns} and {*k} <= {*right.columns}), None)
    judged, scored = named(human, "the judgements"), named(scores, "the scores")
    if key is None:
        raise AssayError(
            f"{judged} and {scored} have no common key. Both need `id` (and `system` if several systems are judged), "
            "or `hash` and `model_name`."
        )
    for frame, data in ((left, human), (right, scores)):
        refuse_duplicates(frame, key, data)
    notes = compare_items(left, right, key, judged, scored, allow_missing)
    notes += [note for name in right.columns if name not in key and (note := _nearly_numbers(right[name]))]
    metrics = [name for name in right.columns if name not in key and right[name].dtype.is_numeric()]
    taken = [name for name in metrics if name in left.columns]
    if taken and isinstance(human, str | Path) and isinstance(scores, str | Path) and human == scores:
        metrics = [name for name in metrics if name not in taken] or metrics
        taken = []
        joined = left
    else:
        labels = [name for name in right.columns if name not in left.columns and name not in metrics]
        right = right.select(*key, *metrics, *labels).rename({name: f"{name} (scores)" for name in taken})
        metrics = [f"{name} (scores)" if name in taken else name for name in metrics]
        joined = left.join(right, on=key, how="inner", maintain_order="left")
    return JoinedScores(joined, key, tuple(metrics), tuple(notes), single)


def like_key(right: polars.DataFrame, left: polars.DataFrame) -> polars.DataFrame:
    """Return score rows with the key columns of the human rows: `hash` and `model_name` are `id` and `system`, and an
    id such as `input/system` is that of its input where the other rows have inputs as ids."""
    pairs = (KEYS[0], KEYS[1])
    for own, other in (pairs, pairs[::-1]):
        if {*own} <= {*left.columns} and not {*own} <= {*right.columns} and {*other} <= {*right.columns}:
            right = right.drop([name for name in own if name in right.columns]).rename(
                dict(zip(other, own, strict=True))
            )
    key = next((pair for pair in pairs if {*pair} <= {*left.columns} and {*pair} <= {*right.columns}), None)
    if key is None:
        return right
    id, system = key
    if not left[id].is_in(right[id].to_list()).any():
        right = right.with_columns(_of_input(right, id, system))
    return right


def _of_input(frame: polars.DataFrame, id: str, system: str) -> polars.Series:
    pairs = zip(frame[id].to_list(), frame[system].to_list(), strict=True)
    return polars.Series(id, [None if a is None else a.removesuffix(f"/{b}") for a, b in pairs], dtype=polars.String)


def read_runs(
    paths: Sequence[Any], columns: Sequence[str] = (), allow_missing: bool = False
) -> tuple[dict[str, NDArray[np.float64]], list[str]]:
    """Read several score files; return the metrics that all have as arrays of items x files, and notes."""
    frames = [read_frame(path, "scores") for path in paths]
    for frame, path in zip(frames, paths, strict=True):
        if "id" not in frame.columns:
            raise AssayError(f"{named(path)}: no column `id`. Give files of `assay score --per-example`.")
        refuse_duplicates(frame, ["id"], path)
    whole, notes = frames[0], []
    for frame, path in zip(frames[1:], paths[1:], strict=True):
        notes += compare_items(whole, frame, ["id"], named(paths[0]), named(path), allow_missing)
        whole = whole.join(frame.select("id"), on="id", how="semi", maintain_order="left")
    numeric = [name for name in whole.columns if name != "id" and whole[name].dtype.is_numeric()]
    shared = [n for n in numeric if all(n in each.columns and each[n].dtype.is_numeric() for each in frames)]
    chosen = [name for name in shared if not columns or name in columns]
    if not chosen:
        wanted = f" called {', '.join(columns)}" if columns else ""
        raise AssayError(f"The files have no common numeric column{wanted}. Give files of `assay score --per-example`.")
    tables = {}
    for name in chosen:
        joined = whole.select("id")
        for number, frame in enumerate(frames):
            one = frame.select("id", polars.col(name).alias(str(number)))
            joined = joined.join(one, on="id", how="inner", maintain_order="left")
        full = joined.drop_nulls()
        if len(full) < len(joined):
            notes.append(f"{name}: {len(joined) - len(full)} of {len(joined)} items without a score are left out.")
        tables[name] = full.drop("id").to_numpy().astype(np.float64)
    return tables, notes


def human_column(frame: polars.DataFrame, key: Sequence[str], column: str | None, metrics: Sequence[str]) -> str:
    """Return the column of human scores: the requested one, else `Factuality`, else the only numeric one.

    Raises:
        AssayError: The column does not exist or is not numeric, or there are several candidates.
    """
    numeric = [n for n in frame.columns if n not in key and n not in metrics and frame[n].dtype.is_numeric()]
    if column is not None:
        if column not in frame.columns:
            raise AssayError(f"The human file has no column '{column}'. Numeric columns: {', '.join(numeric)}.")
        if not frame[column].dtype.is_numeric():
            raise AssayError(f"The human column '{column}' is text, not numbers.")
        return column
    if DEFAULT_HUMAN in numeric:
        return DEFAULT_HUMAN
    if len(numeric) == 1:
        return numeric[0]
    if not numeric:
        raise AssayError(
            "The file of --human has no numeric column. Add human scores, or give judgements (id, system, annotator, "
            "criterion, value)."
        )
    raise AssayError(f"Choose the human column with --column. Numeric columns: {', '.join(numeric)}.")


def columns_of(frame: polars.DataFrame, names: Sequence[str], what: str) -> list[str]:
    """Return the names of columns; raise AssayError if one does not exist."""
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise AssayError(f"{what} {missing[0]}: no such column. Columns: {', '.join(frame.columns[:30])}.")
    return list(names)


def _flat(frame: polars.DataFrame) -> polars.DataFrame:
    """Expand columns of objects (`"human": {"coherence": 3}`) to one column per field."""
    for name, kind in frame.schema.items():
        if isinstance(kind, polars.Struct):
            fields = [f"{name}.{field.name}" if field.name in frame.columns else field.name for field in kind.fields]
            frame = frame.with_columns(frame[name].struct.rename_fields(fields)).unnest(name)
    return frame


def _separated(lines: Sequence[str], path: str) -> polars.DataFrame:
    """Read a CSV or TSV whose header has none of the names that the record readers know."""
    if not lines:
        raise AssayError(f"{path}: empty. Give JSON, JSONL, CSV, TSV or Parquet with named columns.")
    header = lines[0]
    separator = "\t" if "\t" in header else ","
    if separator not in header:
        raise AssayError(f"{path}: not a table. Give JSON, JSONL, CSV, TSV or Parquet with named columns.")
    try:
        return polars.read_csv("\n".join(lines).encode(), separator=separator, infer_schema=False)
    except polars.exceptions.PolarsError as error:
        raise AssayError(f"{path}: malformed table ({first_line(error)}). Check commas and quotes.") from None


def _as_number(column: polars.Series) -> polars.Series:
    if column.name in NAMES:
        return column.cast(polars.String)
    if column.dtype == polars.Boolean:
        return column
    if column.dtype == polars.String:
        filled = column.str.strip_chars().replace(["", "NaN", "nan", "null", "NA"], None)
        number = filled.cast(polars.Float64, strict=False)
        return number if number.null_count() == filled.null_count() and number.null_count() < len(number) else column
    return column.cast(polars.Float64).fill_nan(None) if column.dtype.is_numeric() else column


def _nearly_numbers(column: polars.Series) -> str | None:
    """Return a note about a column that is not a metric because a few of its values are not numbers."""
    if column.dtype != polars.String or column.name in NAMES:
        return None
    filled = column.str.strip_chars().drop_nulls()
    odd = filled.filter(filled.cast(polars.Float64, strict=False).is_null())
    if 2 * len(odd) >= len(filled) or not len(odd):
        return None
    return f"{column.name}: not used as a metric; {len(odd)} values are not numbers (first: {odd[0]!r})."


def refuse_duplicates(frame: polars.DataFrame, key: Sequence[str], data: Any) -> None:
    repeated = frame.filter(frame.select(key).is_duplicated())
    if not repeated.is_empty():
        raise AssayError(
            f"{named(data)}: {_shown(repeated.row(0, named=True), key)} is repeated. Keep one row of each, or add a "
            "column `system`."
        )


def compare_items(
    left: polars.DataFrame,
    right: polars.DataFrame,
    key: Sequence[str],
    left_name: str,
    right_name: str,
    allow_missing: bool,
) -> list[str]:
    notes = []
    for one, other, holder, lacking in ((left, right, left_name, right_name), (right, left, right_name, left_name)):
        missing = one.join(other, on=key, how="anti")
        if missing.is_empty():
            continue
        first = _shown(missing.row(0, named=True), key)
        if len(missing) == len(one):
            raise AssayError(f"{left_name} and {right_name} have no common {' and '.join(key)} (first: {first}).")
        if not allow_missing:
            raise AssayError(
                f"{lacking}: {len(missing)} of the {len(one)} items of {holder} are missing (first: {first}). "
                "Add them, or use --allow-missing."
            )
        notes.append(f"{len(missing)} of {len(one)} items of {holder} are not in {lacking} and are left out.")
    return notes


def _shown(row: dict[str, object], key: Sequence[str]) -> str:
    return ", ".join(f"{name} {row[name]}" for name in key)


def named(data: Any, otherwise: str = "the table") -> str:
    """Return the path of a file, or what data without a path are called in messages."""
    return str(data) if isinstance(data, str | Path) else otherwise
