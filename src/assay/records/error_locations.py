"""File and line of an item, for errors that are raised after its file was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError, location
from assay.records.fields import has_ids, id_of
from assay.records.recognize import read_table
from assay.records.types import Example


def find_item(path: Path, id: str) -> str:
    """Return the position of an item in its file (`line 17`), or "" if it is unknown."""
    if not path.is_file():
        return ""
    table = read_table(path, skip_bad=True)
    rows = table.rows if has_ids(table) else []
    return next((row.where for row in rows if id_of(row, table) == id), "")


@contextmanager
def with_location(path: Path, examples: Sequence[Example]) -> Iterator[None]:
    """Prefix an error that starts with the id of one of the examples with the file and the line of that item.

    The file is read a second time, but only if there is an error.
    """
    try:
        yield
    except AssayError as error:
        message = str(error)
        ids = [example.id for example in examples if message.startswith((f"id {example.id}:", f"id {example.id} "))]
        if not ids:
            raise
        where = find_item(path, max(ids, key=len))  # ids may start alike: `a` and `a b`
        raise AssayError(f"{location(path, where)} {message}") from None
