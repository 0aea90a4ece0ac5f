"""The index of items: id, language, split, parent and tags, so that subsets need no texts.

It is a data frame only when one is requested: loading polars takes longer than comparing two small systems.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.records.id_column import PLAIN, TAG, BareExamples
from assay.records.types import IDENTIFIERS
from assay.specs import did_you_mean

if TYPE_CHECKING:
    import polars

    from assay.records.items import Items

OTHERS = "Write further fields of examples under `tags`."

NONE = "(none)"
LISTED = 1000
"""Number of items above which a data frame is faster than lists."""
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")


class ItemIndex:
    """Columns of the items of a result, from lists or from a data frame."""

    def __init__(self, columns: Mapping[str, Sequence[str | None]] | polars.DataFrame) -> None:
        self._columns = columns

    def __len__(self) -> int:
        columns = self._columns
        return len(next(iter(columns.values()), ())) if isinstance(columns, Mapping) else len(columns)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns) if isinstance(self._columns, Mapping) else self._columns.columns

    def values(self, name: str) -> list[Any]:
        """Return the values of a column, None where an item has none."""
        column = self._columns[name]
        return list(column) if isinstance(self._columns, Mapping) else column.to_list()  # type: ignore[union-attr]

    @property
    def ids(self) -> list[str]:
        return self.values("id")

    @cached_property
    def frame(self) -> polars.DataFrame:
        """The index as a data frame."""
        if not isinstance(self._columns, Mapping):
            return self._columns
        import polars

        return polars.DataFrame([polars.Series(name, values, polars.String) for name, values in self._columns.items()])

    def __getitem__(self, name: str) -> polars.Series:
        """Return a column as a series."""
        return self.frame[name]

    def take(self, places: NDArray[np.intp]) -> ItemIndex:
        """Return the index of the items at these places, in their order."""
        if not isinstance(self._columns, Mapping) or len(self) > LISTED:
            return ItemIndex(self.frame[places])
        listed = places.tolist()
        return ItemIndex({name: [values[place] for place in listed] for name, values in self._columns.items()})

    def with_columns(self, columns: Mapping[str, Sequence[str | None]]) -> ItemIndex:
        """Return the index with some columns replaced or added."""
        if isinstance(self._columns, Mapping):
            return ItemIndex({**self._columns, **columns})
        import polars

        return ItemIndex(self.frame.with_columns(polars.Series(name, each) for name, each in columns.items()))


def index_of(items: Items) -> ItemIndex:
    """Return the index of items, with a column for each tag."""
    bare = items.bare
    if isinstance(bare, BareExamples):
        return ItemIndex(_laid_out(bare.frame))
    columns: dict[str, list[str | None]] = {name: [getattr(example, name) for example in bare] for name in PLAIN}
    for key in sorted({key for example in bare if example.tags for key in example.tags}):
        columns[TAG + key] = [example.tags.get(key) for example in bare]
    return ItemIndex(columns)


def _laid_out(frame: polars.DataFrame) -> polars.DataFrame:
    """Return the same from columns; missing ones are empty."""
    import polars

    tags = sorted(name for name in frame.columns if name not in PLAIN)
    nothing = polars.lit(None, polars.String)
    return frame.select(*(polars.col(name) if name in frame.columns else nothing.alias(name) for name in PLAIN), *tags)


def languages_of(index: ItemIndex) -> list[str | None]:
    """Return the language of each item; None if unknown."""
    return index.values("language") if "language" in index.columns else [None] * len(index)


def column_of(index: ItemIndex, key: str) -> str:
    """Return the column of a field: `topic` and `tags.topic` are the same.

    Raises:
        AssayError: There is no such field.
    """
    for name in (key, TAG + key):
        if name in index.columns:
            return name
    known = [name.removeprefix(TAG) for name in index.columns]
    meant = did_you_mean(key, known)
    remedy = "" if meant else f" {OTHERS}"
    raise AssayError(f"{key}: items have no such field{meant}. Fields: {', '.join(known)}.{remedy}")


def select(index: ItemIndex, conditions: tuple[str, ...]) -> NDArray[np.intp]:
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


def groups(index: ItemIndex, key: str) -> dict[str, NDArray[np.intp]]:
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


FEWEST_DOCUMENTS = 2
"""Items of a single document are all that can be compared; with few documents no p below .05 exists, and results say
so."""
INDEPENDENT, DEFAULT = "none", "auto"
"""Values of `--cluster`: items are independent; clusters by the fields that items have."""


def default_cluster(index: ItemIndex, fewest: int = FEWEST_DOCUMENTS) -> str | None:
    """Return the field whose clusters are resampled by default; None if no field shows that items depend.

    It is `parent` if several items are variants of one original item (or one is a variant of another), or a tag that
    identifies a document or dialogue with several items. Of several fields, it is that with the fewest clusters.

    Args:
        index: The fields of the items.
        fewest: Number of documents or dialogues from which such a tag counts.
    """
    sizes: dict[str, int] = {}
    if "parent" in index.columns and any(value is not None for value in index.values("parent")):
        sizes["parent"] = int(cluster_codes(index, "parent").max()) + 1
    for name in index.columns:
        if name.startswith(TAG) and IDENTIFIERS.fullmatch(name.removeprefix(TAG)):
            known = [value for value in index.values(name) if value is not None]
            if len(set(known)) >= fewest:
                sizes[name.removeprefix(TAG)] = len(set(known)) + len(index) - len(known)
    repeated = {key: size for key, size in sizes.items() if size < len(index)}
    return min(repeated, key=repeated.__getitem__, default=None)


def cluster_keys(named: str | None) -> list[str]:
    """Return the cluster fields, none, one or two comma-separated.

    Raises:
        AssayError: A field is empty or repeated, or there are more than two.
    """
    keys = [key.strip() for key in named.split(",")] if named else []
    if "" in keys or len(set(keys)) < len(keys) or len(keys) > 2:
        raise AssayError(f"--cluster {named}: give one field, or two different fields separated by a comma.")
    return keys


def cluster_codes(index: ItemIndex, key: str) -> NDArray[np.int64]:
    """Return a cluster number for each item; items without a value are clusters of their own.

    An original item is in the cluster of its variants, whose `parent` it is.
    """
    column = column_of(index, key)
    values = index.values(column)
    if column == "parent":
        values = [id if value is None else value for id, value in zip(index.ids, values, strict=True)]
    numbers: dict[object, int] = {}
    return np.array(
        [numbers.setdefault(("alone", i) if value is None else value, len(numbers)) for i, value in enumerate(values)],
        dtype=np.int64,
    )
