"""What is known of each item besides its texts: enough to name any subset without reading them."""

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
    """One row an item; a column for each tag that any item has."""
    bare = items.bare
    if isinstance(bare, BareExamples):
        return _laid_out(bare.frame)
    columns: dict[str, list[str | None]] = {name: [getattr(example, name) for example in bare] for name in PLAIN}
    for key in sorted({key for example in bare if example.tags for key in example.tags}):
        columns[TAG + key] = [example.tags.get(key) for example in bare]
    return polars.DataFrame([polars.Series(name, values, polars.String) for name, values in columns.items()])


def _laid_out(frame: polars.DataFrame) -> polars.DataFrame:
    """The same from columns: those that nobody has are empty."""
    tags = sorted(name for name in frame.columns if name not in PLAIN)
    nothing = polars.lit(None, polars.String)
    return frame.select(*(polars.col(name) if name in frame.columns else nothing.alias(name) for name in PLAIN), *tags)


def languages_of(index: polars.DataFrame) -> list[str | None]:
    """What is said of the language of each item."""
    return index["language"].to_list() if "language" in index.columns else [None] * len(index)


def column_of(index: polars.DataFrame, key: str) -> str:
    """The column that a person's word for it means: `topic` and `tags.topic` are the same."""
    for name in (key, TAG + key):
        if name in index.columns:
            return name
    known = [name.removeprefix(TAG) for name in index.columns]
    raise AssayError(f"no property {key} to choose items by{did_you_mean(key, known)}; there are {', '.join(known)}")


def select(index: polars.DataFrame, conditions: tuple[str, ...]) -> NDArray[np.intp]:
    """The items for which all conditions hold; a condition is `key=value` or `key=value,value`."""
    chosen = np.ones(len(index), dtype=bool)
    for condition in conditions:
        key, sign, values = condition.partition("=")
        if not sign:
            raise AssayError(f"--subset {condition}: write key=value, e.g. language=de")
        column = column_of(index, key)
        wanted = values.split(",")
        matching = index[column].is_in(wanted).fill_null(False).to_numpy()
        if not matching.any():
            known = index[column].drop_nulls().unique().sort().to_list()
            shown = ", ".join(known[:10]) + (" …" if len(known) > 10 else "")
            raise AssayError(f"--subset {condition}: no item has it; {key} is one of: {shown or 'nothing at all'}")
        chosen &= matching
    if not chosen.any():
        raise AssayError(f"no item fits all of: {' and '.join(conditions)}")
    return np.flatnonzero(chosen)


def groups(index: polars.DataFrame, key: str) -> dict[str, NDArray[np.intp]]:
    """The items by value of a property; items without it under `(none)`."""
    values = index[column_of(index, key)].fill_null(NONE)
    found = in_order(list(map(str, values.unique(maintain_order=True).to_list())))
    return {value: np.flatnonzero((values == value).to_numpy()) for value in found}


def in_order(values: list[str]) -> list[str]:
    """Sizes by size: 2 before 10, 2-5 before 6-9; whatever else there is in the order given. `(none)` stands last."""
    sizes = {value: NUMBER.match(value) for value in values if value != NONE}
    if not all(sizes.values()):
        return values
    ordered = sorted(sizes, key=lambda value: (float(sizes[value][0]), value))  # type: ignore[index]
    return [*ordered, *(value for value in values if value == NONE)]


def cluster_keys(named: str | None) -> list[str]:
    """The properties that were named, one or two with a comma between them; none where nothing was."""
    keys = [key.strip() for key in named.split(",")] if named else []
    if "" in keys or len(set(keys)) < len(keys) or len(keys) > 2:
        raise AssayError(f"--cluster {named}: name one property, or two different ones with a comma between them")
    return keys


def cluster_codes(index: polars.DataFrame, key: str) -> NDArray[np.int64]:
    """A number for each item, the same for items that share a value of the property; items without it stand alone."""
    values = index[column_of(index, key)].to_list()
    numbers: dict[object, int] = {}
    return np.array(
        [numbers.setdefault(("alone", i) if value is None else value, len(numbers)) for i, value in enumerate(values)],
        dtype=np.int64,
    )
