"""The index of items: id, language, split, parent and tags, so that subsets need no texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.records.id_column import PLAIN, TAG, BareExamples
from assay.specs import did_you_mean

if TYPE_CHECKING:
    from assay.records.items import Items

NONE = "(none)"
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")


def index_of(items: Items) -> polars.DataFrame:
    """Return a data frame with one row per item and a column for each tag."""
    bare = items.bare
    if isinstance(bare, BareExamples):
        return _laid_out(bare.frame)
    columns: dict[str, list[str | None]] = {name: [getattr(example, name) for example in bare] for name in PLAIN}
    for key in sorted({key for example in bare if example.tags for key in example.tags}):
        columns[TAG + key] = [example.tags.get(key) for example in bare]
    return polars.DataFrame([polars.Series(name, values, polars.String) for name, values in columns.items()])


def _laid_out(frame: polars.DataFrame) -> polars.DataFrame:
    """Return the same from columns; missing ones are empty."""
    tags = sorted(name for name in frame.columns if name not in PLAIN)
    nothing = polars.lit(None, polars.String)
    return frame.select(*(polars.col(name) if name in frame.columns else nothing.alias(name) for name in PLAIN), *tags)


def languages_of(index: polars.DataFrame) -> list[str | None]:
    """Return the language of each item; None if unknown."""
    return index["language"].to_list() if "language" in index.columns else [None] * len(index)


def column_of(index: polars.DataFrame, key: str) -> str:
    """Return the column of a field: `topic` and `tags.topic` are the same.

    Raises:
        AssayError: There is no such field.
    """
    for name in (key, TAG + key):
        if name in index.columns:
            return name
    known = [name.removeprefix(TAG) for name in index.columns]
    raise AssayError(f"{key}: items have no such field{did_you_mean(key, known)}. Fields: {', '.join(known)}.")


def select(index: polars.DataFrame, conditions: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the positions of the items that meet all conditions, each `key=value` or `key=value,value`.

    Raises:
        AssayError: A condition is malformed, or no item meets it.
    """
    chosen = np.ones(len(index), dtype=bool)
    for condition in conditions:
        key, sign, values = condition.partition("=")
        if not sign:
            raise AssayError(f"--subset {condition}: use key=value, e.g. language=de.")
        column = column_of(index, key)
        wanted = values.split(",")
        matching = index[column].is_in(wanted).fill_null(False).to_numpy()
        if not matching.any():
            known = index[column].drop_nulls().unique().sort().to_list()
            shown = ", ".join(known[:10]) + (" …" if len(known) > 10 else "")
            raise AssayError(f"--subset {condition}: no item matches. Values of {key}: {shown or 'none'}.")
        chosen &= matching
    if not chosen.any():
        raise AssayError(f"--subset: no item matches {' and '.join(conditions)}.")
    return np.flatnonzero(chosen)


def groups(index: polars.DataFrame, key: str) -> dict[str, NDArray[np.intp]]:
    """Return the positions of items by value of a field; items without it are under `(none)`."""
    values = index[column_of(index, key)].fill_null(NONE)
    ordered = in_order(list(map(str, values.unique(maintain_order=True).to_list())))
    return {value: np.flatnonzero((values == value).to_numpy()) for value in ordered}


def in_order(values: list[str]) -> list[str]:
    """Return values that begin with numbers in numeric order, others in their order; `(none)` is last."""
    sizes = {value: NUMBER.match(value) for value in values if value != NONE}
    if not all(sizes.values()):
        return values
    ordered = sorted(sizes, key=lambda value: (float(sizes[value][0]), value))  # type: ignore[index]
    return [*ordered, *(value for value in values if value == NONE)]


def cluster_keys(named: str | None) -> list[str]:
    """Return the cluster fields, none, one or two comma-separated.

    Raises:
        AssayError: A field is empty or repeated, or there are more than two.
    """
    keys = [key.strip() for key in named.split(",")] if named else []
    if "" in keys or len(set(keys)) < len(keys) or len(keys) > 2:
        raise AssayError(f"--cluster {named}: give one field, or two different fields separated by a comma.")
    return keys


def cluster_codes(index: polars.DataFrame, key: str) -> NDArray[np.int64]:
    """Return a cluster number for each item; items without a value are clusters of their own."""
    values = index[column_of(index, key)].to_list()
    numbers: dict[object, int] = {}
    return np.array(
        [numbers.setdefault(("alone", i) if value is None else value, len(numbers)) for i, value in enumerate(values)],
        dtype=np.int64,
    )
