"""Statistics and items as files: verified against their digests, then against the items."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from assay.errors import AssayError, first_line
from assay.metrics.engine.statistics import KINDS, DamagedError, Rows
from assay.records.digests import FileDigest
from assay.records.files import jsonl_chunks, replacing
from assay.records.parquet import check_parquet_file
from assay.records.size_limit import open_regular, read_regular

if TYPE_CHECKING:
    import polars


def read_rows(folder: Path, name: str, ids: list[str], digests: Mapping[str, FileDigest]) -> Rows:
    """Read statistics of a run, one row per id."""
    frame = read_frame(folder, name, len(ids), digests)
    if "id" in frame.columns and frame["id"].to_list() != ids:
        raise AssayError(
            f"{folder / name}: damaged (its ids are not those of the items; it belongs to another run); "
            f"`assay store verify {folder} --repair` recomputes it"
        )
    frame = frame.drop("id", strict=False)
    kind = "tokens" if frame.columns == ["tokens"] else "dense"
    try:
        return KINDS[kind].from_frame(frame)
    except DamagedError as error:
        again = f"`assay store verify {folder} --repair` recomputes it"
        raise AssayError(f"{folder / name}: damaged ({error}); {again}") from None


def read_frame(folder: Path, name: str, n: int, digests: Mapping[str, FileDigest]) -> polars.DataFrame:
    import polars

    path = folder / name
    try:
        if name in digests and (why := digests[name].change(path)):
            again = f"`assay store verify {folder} --repair` recomputes it"
            raise AssayError(f"{path}: damaged ({why}); {again}")
        check_parquet_file(path, natural=True)
        with open_regular(path) as stream:  # by its handle: a name may be no UTF-8
            frame = polars.read_parquet(stream)
    except FileNotFoundError:
        raise AssayError(f"{path}: missing from the run folder. Score again with --save.") from None
    except AssayError:
        raise
    except (Exception, polars.exceptions.PanicException) as error:  # the latter is no Exception: flipped bits make it
        reason = first_line(error)
        raise AssayError(f"{path}: damaged ({reason}). Delete it and score again with --save.") from None
    if len(frame) != n:
        raise AssayError(f"{path}: damaged ({len(frame)} rows for {n} items). Delete it and score again with --save.")
    return frame


def read_shard(path: Path) -> Rows:
    """Return the rows of some items."""
    try:
        with np.load(io.BytesIO(read_regular(path)), allow_pickle=False) as arrays:
            return KINDS["tokens" if "ids" in arrays else "dense"].from_arrays(arrays)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, msgspec.DecodeError) as error:
        raise AssayError(f"{path}: damaged ({error}). Delete it and score again with --save.") from None


def write_texts(path: Path, records: Iterable[Any]) -> FileDigest:
    """Write one record per line, and return the digest without reading the file again."""

    def written() -> Iterator[bytes]:
        for piece in jsonl_chunks(records):
            stream.write(piece)
            yield piece

    with replacing(path, "wb") as stream:
        return FileDigest.of_chunks(written())


def write_frame(path: Path, frame: polars.DataFrame) -> None:
    import polars

    try:
        with replacing(path, "wb") as stream:
            frame.write_parquet(stream, compression="lz4")
    except polars.exceptions.PolarsError as error:  # which is how a full disk looks from there
        raise AssayError(f"{path}: cannot be written ({first_line(error)})") from None
