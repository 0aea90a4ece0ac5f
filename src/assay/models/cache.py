"""The cache folder: what is expensive to compute and depends on content alone, kept for all runs and all processes.

    values/NAMESPACE/*.values   vectors and other values of models, many in a file; bounded in size
    endpoints/                  answers of chat models, one file each
    remote/                     copies of what URLs name, and folders on their way to a store
    models/NAME/                weights that came as a package, unpacked

Any number of processes may read and write at once without locks: a file is written beside its place and renamed, is
never changed after that, and may be taken away at any time. Whoever does not find a value computes it again.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.models.cache_segments import SUFFIX, Entry, Index, Key, Segment, segment_files, write_segment
from assay.models.code_digest import callable_digest
from assay.records.cache_folder import cache_home
from assay.specs import did_you_mean

Value: TypeAlias = bytes | NDArray[Any]
V = TypeVar("V", bound=bytes | NDArray[Any])
PIECE = 4096
"""Values that are computed and kept together: what a run that is killed loses at most."""
SEGMENT = 64 << 20
"""Bytes of values that are written to one file."""
SMALL, FEW = 1 << 20, 32
"""More files than this, each smaller than that, are put together."""
ABANDONED = 3600.0
"""Seconds after which a file that was begun and not finished belongs to nobody."""
DEFAULT_SIZE = "5GB"
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
OTHERS = ("endpoints", "models", "remote")
"""What stands beside the values. It is never taken away for lack of room: answers cost money."""


def size_of(text: str) -> int:
    """Bytes from `500MB`, `5GB` or a plain number."""
    read = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]B)?", text.strip().upper())
    if read is None:
        raise AssayError(f"{text}: no size of a cache; give 500MB, 5GB, or 0 for none")
    return int(float(read[1]) * UNITS[read[2] or ""])


class CacheUsage(NamedTuple):
    """What one namespace takes."""

    namespace: str
    entries: int
    bytes: int


class Cache:
    """Values by content: `get_many` and `put_many` under a namespace, usually one for each model.

    A namespace must name all that a value depends on besides its key (the model's fingerprint, the layer, ...);
    `through` adds the code. Keys are texts of any length. A cache holds nothing but its folder and may be sent to other
    processes.
    """

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        self.folder = cache_home() / "values" if folder is None else folder
        self.limit = size_of(os.environ.get("ASSAY_CACHE_SIZE") or DEFAULT_SIZE) if limit is None else limit
        """Most bytes of values; 0 switches the cache off."""
        self._indexes: dict[str, Index] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder, self.limit)

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, Value]:
        """The values that are there. One that is damaged is not."""
        folder = self._folder(namespace)
        if not self.limit:
            return {}
        index = self._indexes.get(namespace)
        try:
            if index is None or not index.is_current(folder):
                index = self._indexes[namespace] = Index(folder, index)
        except OSError:  # a folder that cannot be looked into has nothing for us
            return {}
        different = list(dict.fromkeys(keys)) if len(index.numbers) else []
        found = index.find([Key.of(key) for key in different])
        return {different[i]: _unpacked(value) for i, value in found.items()}

    def put_many(self, namespace: str, values: Mapping[str, Value]) -> None:
        """Keep values for all who ask later. What cannot be written is only warned about: the values are right."""
        folder = self._folder(namespace)
        if not self.limit or not values:
            return
        try:
            for entries in _cut(values):
                write_segment(folder, entries)
            self._join_small(folder)
            self.shrink()
        except OSError as error:
            warnings.warn(
                f"{folder}: values cannot be kept ({error.strerror}); set ASSAY_CACHE to a folder with room",
                stacklevel=2,
            )

    def through(self, namespace: str, keys: Sequence[str], make: Callable[[list[str]], Sequence[V]]) -> list[V]:
        """The value of each key, in order: from the cache, or made, a few thousand at a time, and kept.

        What `make` gives for a key must not depend on the others it is given. Its code is part of the namespace: values
        that other code made are not found. Where that code stands in no file, nothing is taken and nothing kept.
        """
        code = callable_digest(make)
        if code is None:
            warnings.warn(f"cache: the code that makes {namespace} stands in no file; no value is kept", stacklevel=2)
        kept = f"{namespace}@{code}"
        known = cast("dict[str, V]", self.get_many(kept, keys)) if code else {}
        missing = iter([key for key in dict.fromkeys(keys) if key not in known])
        while piece := list(islice(missing, PIECE)):
            made = dict(zip(piece, make(piece), strict=True))
            if code:
                self.put_many(kept, made)
            known |= {key: _as_kept(value) for key, value in made.items()}
        return [known[key] for key in keys]

    def usage(self) -> list[CacheUsage]:
        """What every namespace takes, by name."""
        found = []
        for folder in self._folders():
            files = [file for file in _files(folder) if file.suffix == SUFFIX]
            found.append(CacheUsage(folder.name, sum(map(_count, files)), sum(map(_size, files))))
        return found

    def shrink(self) -> None:
        """Away with what nobody finished, and with what was not used for longest until the rest fits."""
        now, whole = time.time(), []
        for folder in self._folders():
            for file in _files(folder):
                try:
                    about = file.stat()
                except FileNotFoundError:
                    continue
                if file.suffix == SUFFIX:
                    whole.append((about.st_mtime, about.st_size, file))
                elif now - about.st_mtime > ABANDONED:
                    file.unlink(missing_ok=True)
        total = sum(size for _, size, _ in whole)
        for _, size, file in sorted(whole):
            if total <= self.limit:
                break
            file.unlink(missing_ok=True)
            total -= size

    def _folder(self, namespace: str) -> Path:
        if not re.fullmatch(r"[A-Za-z0-9][\w.+@-]*", namespace) or namespace in OTHERS:
            raise AssayError(f"cache: {namespace!r} cannot name a namespace; use letters, digits, dots and hyphens")
        return self.folder / namespace

    def _folders(self) -> list[Path]:
        return sorted(folder for folder in self.folder.iterdir() if folder.is_dir()) if self.folder.is_dir() else []

    def _join_small(self, folder: Path) -> None:
        """One file instead of many small ones. Two processes that do it at once write the same file."""
        small = [file for file in segment_files(folder) if _size(file) < SMALL]
        if len(small) <= FEW:
            return
        entries: dict[tuple[int, int], Entry] = {}
        for file in small:
            try:
                segment = Segment(file)
                entries |= {entry[:2]: entry for entry in segment.read(np.arange(len(segment.numbers)))}
            except (OSError, ValueError):  # gone or damaged: nothing to take over
                continue
        joined = write_segment(folder, entries.values())
        for file in small:
            if file != joined:
                file.unlink(missing_ok=True)


def other_usage() -> list[CacheUsage]:
    """What stands in the cache folder beside the values."""
    answers, models, copies = (cache_home() / name for name in OTHERS)
    folders = [answers, *(sorted(models.iterdir()) if models.is_dir() else []), copies]
    found = [(folder, list(_files(folder))) for folder in folders if folder.is_dir()]
    return [
        CacheUsage(folder.relative_to(cache_home()).as_posix(), len(files), sum(map(_size, files)))
        for folder, files in found
    ]


def clear(namespace: str) -> CacheUsage:
    """Take away one namespace of the cache folder; returns what was in it."""
    cache = Cache()
    known = {row.namespace: row for row in [*cache.usage(), *other_usage()]}
    if namespace not in known:
        listed = f"; there are {', '.join(known)}" if known else "; the cache is empty"
        raise AssayError(f"no namespace called {namespace}{did_you_mean(namespace, known)}{listed}")
    folder = cache_home() / namespace if namespace.partition("/")[0] in OTHERS else cache.folder / namespace
    shutil.rmtree(folder, ignore_errors=True)
    return known[namespace]


def _cut(values: Mapping[str, Value]) -> Iterator[list[Entry]]:
    """As entries, as many at a time as one file takes."""
    entries: list[Entry] = []
    held = 0
    for name, value in values.items():
        key, packed = Key.of(name), _packed(value)
        entries.append(Entry(key.number, key.check(packed), packed))
        held += len(packed)
        if held >= SEGMENT:
            yield entries
            entries, held = [], 0
    if entries:
        yield entries


def _packed(value: Value) -> bytes:
    if isinstance(value, bytes):
        return msgspec.msgpack.encode(value)
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.hasobject or value.dtype.kind == "V":
        kind = getattr(value, "dtype", type(value).__name__)
        raise AssayError(f"cache: {kind} cannot be kept; give arrays of numbers, or bytes")
    return msgspec.msgpack.encode((value.dtype.str, value.shape, value.tobytes()))


def _as_kept(value: V) -> V:
    """A new value as it will come back from the cache, so that nothing that is done with it can differ: the numbers in
    the order of C, not to be written to."""
    if isinstance(value, bytes):
        return value
    kept = np.asarray(value, order="C").view()
    kept.flags.writeable = False
    return cast("V", kept)


def _unpacked(packed: bytes) -> Value:
    found = msgspec.msgpack.decode(packed)
    if isinstance(found, bytes):
        return found
    kind, shape, numbers = found
    return np.frombuffer(numbers, dtype=kind).reshape(shape)


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else iter(())


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _count(file: Path) -> int:
    try:
        return len(Segment(file).numbers)
    except (OSError, ValueError):
        return 0
