"""Where an item stands in its file, for errors about it that are found long after the file was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError
from assay.records.fields import has_ids, id_of
from assay.records.recognise import read_table
from assay.records.types import Example


def place_of(path: Path, id: str) -> str:
    """Where in its file an item stands (`line 17`); empty where that cannot be said."""
    if not path.is_file():
        return ""
    table = read_table(path, skip_bad=True)
    rows = table.rows if has_ids(table) else []
    return next((row.where for row in rows if id_of(row, table) == id), "")


@contextmanager
def placed(path: Path, examples: Sequence[Example]) -> Iterator[None]:
    """An error that begins with the id of one of the examples also names the file and the line.

    The file is read once more for it: only whoever has made a mistake pays for the place.
    """
    try:
        yield
    except AssayError as error:
        said = str(error)
        ids = [example.id for example in examples if said.startswith((f"id {example.id}:", f"id {example.id} "))]
        if not ids:
            raise
        place = place_of(path, max(ids, key=len))  # of `a` and `a b`, the longer is meant
        raise AssayError(" ".join(filter(None, (f"{path}", place, said)))) from None
