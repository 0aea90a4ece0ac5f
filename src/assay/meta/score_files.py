"""Several score files as one table: one file per system, one per metric, or both, joined by id and system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars

from assay.errors import AssayError
from assay.meta.joined_scores import KEYS, compare_items, like_key, named, read_frame, refuse_duplicates

NEEDED = (
    "The scores need the columns `id` and `system`, one row for each output: those of `assay score --per-example FILE`."
)


def read_scores(paths: Sequence[Any], allow_missing: bool = False) -> tuple[Any, list[str]]:
    """Return one file unchanged, and several as one table, with notes on what was left out.

    Files of other texts are concatenated (one file per system, named by its `system` column or file name); files of
    the same texts are joined, so that each adds its metrics. `hash` and `model_name` are `id` and `system`.

    Raises:
        AssayError: Files of the same texts have different items, and `allow_missing` is not set.
    """
    if len(paths) == 1:
        return paths[0], []
    blocks: list[tuple[str, polars.DataFrame]] = []
    first: polars.DataFrame | None = None
    for path in paths:
        frame = read_frame(path, "scores")
        if not {"system", "model_name"} & {*frame.columns}:
            frame = frame.with_columns(polars.lit(Path(path).name.split(".")[0]).alias("system"))
        if not _metrics(frame):
            raise AssayError(f"{named(path)}: no numeric column, so it adds no metric. Give scores of single texts.")
        frame = frame if first is None else like_key(frame, first)
        first = frame if first is None else first
        if _key(frame) is not None:
            refuse_duplicates(frame, _key(frame) or (), path)
        same = next((i for i, (_, block) in enumerate(blocks) if _fits_below(block, frame)), None)
        if same is None:
            blocks.append((named(path), frame))
        else:
            name, block = blocks[same]
            blocks[same] = name, polars.concat([block, frame], how="diagonal_relaxed")
    notes: list[str] = []
    name, table = blocks[0]
    for other, block in blocks[1:]:
        if not _overlap(table, block):
            table = polars.concat([table, block], how="diagonal_relaxed")
            continue
        key = _key(table) or ("id",)
        notes += compare_items(table, block, key, name, other, allow_missing)
        table = _joined(table, block, key, other)
    return table, notes


def without_scores(frame: polars.DataFrame, names: Sequence[str], what: str) -> list[str]:
    """Return a note for each score that some texts of a table lack, with the systems that are concerned.

    Args:
        frame: One row per text.
        names: Scores.
        what: What happens to these texts.
    """
    notes = []
    for name in names:
        if missing := frame[name].null_count():
            system = next((each for each in ("system", "model_name") if each in frame.columns), None)
            own = sorted({*frame.filter(frame[name].is_null())[system].cast(polars.String)}) if system else []
            of = f" ({', '.join(own[:3])}{' …' if len(own) > 3 else ''})" if own else ""
            notes.append(f"{name}: {missing:,} of {len(frame):,} texts have no score{of}; {what}")
    return notes


def _key(frame: polars.DataFrame) -> tuple[str, ...] | None:
    return next((key for key in KEYS if {*key} <= {*frame.columns}), None)


def _metrics(frame: polars.DataFrame) -> set[str]:
    numbers = (name for name in frame.columns if frame[name].dtype.is_numeric() or frame[name].dtype == polars.Boolean)
    return {*numbers} - {name for key in KEYS for name in key}


def _overlap(one: polars.DataFrame, other: polars.DataFrame) -> bool:
    key = _key(one)
    if key is None or key != _key(other):
        return False
    return not one.select(key).join(other.select(key), on=key, how="inner").is_empty()


def _fits_below(block: polars.DataFrame, frame: polars.DataFrame) -> bool:
    """Return whether a file has the same metrics for other texts: those of another system."""
    return _metrics(block) == _metrics(frame) and not _overlap(block, frame)


def _joined(table: polars.DataFrame, block: polars.DataFrame, key: Sequence[str], name: str) -> polars.DataFrame:
    """Return a table with the columns of another; a metric that both have gets the name of its file."""
    stem = Path(name).name.split(".")[0]
    labels = [column for column in block.columns if column in table.columns and column not in {*key, *_metrics(block)}]
    block = block.drop(labels)
    shared = [column for column in block.columns if column in table.columns and column not in key]
    renamed = {column: f"{column} ({stem})" for column in shared}
    if twice := [column for column in renamed.values() if column in table.columns]:
        raise AssayError(f"{name}: its metric {twice[0]} is in another file of the same name. Rename the column.")
    return table.join(block.rename(renamed), on=list(key), how="inner", maintain_order="left")
