"""Statistics of large sets as files: the arrays of `Dense` and `Tokens`, mapped instead of loaded.

An uncompressed `.npz` with aligned arrays, readable by `numpy.load`. It also contains a digest of the ids of its items.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.metrics.engine.spill import release_pages
from assay.metrics.engine.statistics import KINDS, DamagedError, Rows
from assay.records.digests import FileDigest
from assay.records.files import replacing

SUFFIX = ".npz"
ALIGNED = 64
STEP = 1 << 22
"""Approximate number of bytes to write at once."""
HEAD, ZIP64 = 30, 20
"""Bytes of a member's header before its name, and of its length field."""
PADDING = 0x4147


def write_columns(path: Path, rows: Rows, items: str) -> None:
    """Write the rows of the items whose ids have this digest."""
    arrays = {"items": np.frombuffer(items.encode(), dtype=np.uint8), **rows.to_arrays()}
    with replacing(path, "wb") as stream, zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            with archive.open(_member(f"{name}.npy", stream.tell()), "w", force_zip64=True) as member:
                for piece in _pieces(array):
                    member.write(piece)


def _member(name: str, at: int) -> zipfile.ZipInfo:
    """Return a member that begins at `at`, padded so that its content is aligned."""
    member = zipfile.ZipInfo(name)
    bare = at + HEAD + len(name) + ZIP64 + 4
    padding = -bare % ALIGNED
    member.extra = PADDING.to_bytes(2, "little") + padding.to_bytes(2, "little") + bytes(padding)
    return member


def _pieces(array: NDArray[Any]) -> Iterator[bytes | memoryview]:
    import io

    head = io.BytesIO()
    npy.write_array_header_1_0(head, npy.header_data_from_array_1_0(array))
    yield head.getvalue()
    step = max(1, STEP // max(1, array[:1].nbytes))
    for first in range(0, len(array), step):
        yield np.ascontiguousarray(array[first : first + step]).data.cast("B")
        release_pages(array)


def read_columns(folder: Path, name: str, items: str, digests: Mapping[str, FileDigest]) -> Rows:
    """Map a file of `write_columns`, with one row per item."""
    path = folder / name
    again = f"`assay store verify {folder} --repair` recomputes it"
    try:
        if name in digests and (why := digests[name].change(path)):
            raise AssayError(f"{path}: damaged ({why}); {again}")
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            arrays = {each.filename.removesuffix(".npy"): _mapped(stream, each) for each in archive.infolist()}
        if arrays.pop("items").tobytes() != items.encode():
            why = "its ids are not those of the items; it belongs to another run"
            raise AssayError(f"{path}: damaged ({why}); {again}")
        return KINDS["tokens" if "ids" in arrays else "dense"].from_arrays(arrays)
    except FileNotFoundError:
        raise AssayError(f"{path}: missing from the run folder. Score again with --save.") from None
    except AssayError as error:
        if isinstance(error, DamagedError):
            raise AssayError(f"{path}: damaged ({error}); {again}") from None
        raise
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, msgspec.DecodeError) as error:
        raise AssayError(f"{path}: damaged ({error}); {again}") from None


def _mapped(stream: IO[bytes], member: zipfile.ZipInfo) -> NDArray[Any]:
    stream.seek(member.header_offset + HEAD - 4)
    names, extra = (int.from_bytes(stream.read(2), "little") for _ in range(2))
    stream.seek(names + extra, 1)
    npy.read_magic(stream)
    shape, _, kind = npy.read_array_header_1_0(stream)
    if not np.prod(shape):
        return np.empty(shape, dtype=kind)
    return np.memmap(stream, dtype=kind, mode="c", offset=stream.tell(), shape=shape)
