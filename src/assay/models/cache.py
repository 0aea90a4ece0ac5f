"""The cache folder: expensive values that depend on content only, shared by all runs and processes.

    values/NAMESPACE/*.values   vectors and other outputs of models, many per file; bounded in size
    endpoints/                  answers of chat models, one file each
    remote/                     copies of files at URLs, and folders that are being uploaded
    models/NAME/                converted weights of packaged models
    unfinished/                 statistics of interrupted runs that were not saved (`store.scratch`)

Any number of processes may read and write at the same time without locks: a file is written under a temporary name and
renamed, is not changed afterwards, and may be deleted at any time. A value that is not found is computed again.
"""

from __future__ import annotations

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
from assay.records.cache_folder import UNFINISHED_RUNS, cache_home, cache_limit
from assay.specs import did_you_mean

Value: TypeAlias = bytes | NDArray[Any]
V = TypeVar("V", bound=bytes | NDArray[Any])
CHUNK = 4096
"""Number of values that are computed and stored together: a run that is killed loses no more."""
SEGMENT = 64 << 20
"""Target size of a file, in bytes."""
SMALL, FEW = 1 << 20, 32
"""Files smaller than the first number of bytes are merged when there are more than the second."""
ABANDONED = 3600.0
"""Age in seconds at which an unfinished file is deleted."""
OTHERS = ("endpoints", "models", "remote", UNFINISHED_RUNS)
"""Other folders of the cache. They are not deleted for lack of space: answers cost money."""


class CacheUsage(NamedTuple):
    """Number of entries and bytes of one namespace."""

    namespace: str
    entries: int
    bytes: int


class Cache:
    """Values by namespace and key; usually one namespace per model.

    A namespace must contain everything that a value depends on besides its key (the digest of the model, the layer, …);
    `through` adds a digest of the code. Keys are texts of any length. A cache object refers to its folder only and can
    be sent to other processes.

    Args:
        folder: Folder of the values (default: `values` in the cache folder).
        limit: Maximum number of bytes; 0 turns the cache off (default: ASSAY_CACHE_SIZE, else 5 GB).
    """

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        self.folder = cache_home() / "values" if folder is None else folder
        self.limit = cache_limit() if limit is None else limit
        """Maximum number of bytes; 0 turns the cache off."""
        self._indexes: dict[str, Index] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.folder, self.limit)

    def get_many(self, namespace: str, keys: Sequence[str]) -> dict[str, Value]:
        """Return the stored values of these keys; damaged values are left out."""
        folder = self._folder(namespace)
        if not self.limit:
            return {}
        index = self._indexes.get(namespace)
        try:
            if index is None or not index.is_current(folder):
                index = self._indexes[namespace] = Index(folder, index)
        except OSError:  # an unreadable folder counts as empty
            return {}
        different = list(dict.fromkeys(keys)) if len(index.numbers) else []
        stored = index.find([Key.of(key) for key in different])
        return {different[i]: _unpacked(value) for i, value in stored.items()}

    def put_many(self, namespace: str, values: Mapping[str, Value]) -> None:
        """Store values. A failure to write is a warning, because the values themselves are valid."""
        folder = self._folder(namespace)
        if not self.limit or not values:
            return
        try:
            for entries in _entry_lists(values):
                write_segment(folder, entries)
            self._join_small(folder)
            self.shrink()
        except OSError as error:
            warnings.warn(
                f"{folder}: values cannot be stored ({error.strerror}). Set ASSAY_CACHE to a folder with space.",
                stacklevel=2,
            )

    def through(self, namespace: str, keys: Sequence[str], make: Callable[[list[str]], Sequence[V]]) -> list[V]:
        """Return the value of each key, from the cache, or computed in chunks and stored.

        Args:
            namespace: Everything that the values depend on besides keys and code.
            keys: The keys, in the order of the result.
            make: Computes the values of a list of keys; a value must not depend on the other keys of the list. A digest
                of its code is added to the namespace. If the code is in no file, nothing is read or stored.

        Example:
            >>> context.cache.through("my-encoder-3f2a", texts, encode)  # doctest: +SKIP
        """
        code = callable_digest(make)
        if code is None:
            warnings.warn(
                f"cache: the code that computes {namespace} is in no file, so no value is stored", stacklevel=2
            )
        versioned = f"{namespace}@{code}"
        known = cast("dict[str, V]", self.get_many(versioned, keys)) if code else {}
        missing = iter([key for key in dict.fromkeys(keys) if key not in known])
        while chunk := list(islice(missing, CHUNK)):
            computed = dict(zip(chunk, make(chunk), strict=True))
            if code:
                self.put_many(versioned, computed)
            known |= {key: _as_stored(value) for key, value in computed.items()}
        return [known[key] for key in keys]

    def usage(self) -> list[CacheUsage]:
        """Return the entries and bytes of each namespace, by name."""
        rows = []
        for folder in self._folders():
            files = [file for file in _files(folder) if file.suffix == SUFFIX]
            rows.append(CacheUsage(folder.name, sum(map(_count, files)), sum(map(_size, files))))
        return rows

    def shrink(self) -> None:
        """Delete old unfinished files, and the least recently used files until the rest fits the limit."""
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
            raise AssayError(f"cache: {namespace!r} is not a valid namespace. Use letters, digits, dots and hyphens.")
        return self.folder / namespace

    def _folders(self) -> list[Path]:
        return sorted(folder for folder in self.folder.iterdir() if folder.is_dir()) if self.folder.is_dir() else []

    def _join_small(self, folder: Path) -> None:
        """Merge many small files into one. Two processes that do so at the same time write the same file."""
        small = [file for file in segment_files(folder) if _size(file) < SMALL]
        if len(small) <= FEW:
            return
        entries: dict[tuple[int, int], Entry] = {}
        for file in small:
            try:
                segment = Segment(file)
                entries |= {entry[:2]: entry for entry in segment.read(np.arange(len(segment.numbers)))}
            except (OSError, ValueError):  # deleted meanwhile, or damaged
                continue
        joined = write_segment(folder, entries.values())
        for file in small:
            if file != joined:
                file.unlink(missing_ok=True)


def other_usage() -> list[CacheUsage]:
    """Return the entries and bytes of the other folders of the cache."""
    answers, models, *more = (cache_home() / name for name in OTHERS)
    folders = [answers, *(sorted(models.iterdir()) if models.is_dir() else []), *more]
    contents = [(folder, list(_files(folder))) for folder in folders if folder.is_dir()]
    return [
        CacheUsage(folder.relative_to(cache_home()).as_posix(), len(files), sum(map(_size, files)))
        for folder, files in contents
    ]


def clear(namespace: str) -> CacheUsage:
    """Delete one namespace of the cache folder, and return what was in it.

    Raises:
        AssayError: If there is no such namespace.
    """
    cache = Cache()
    known = {row.namespace: row for row in [*cache.usage(), *other_usage()]}
    if namespace not in known:
        listed = f". Namespaces: {', '.join(known)}." if known else ". The cache is empty."
        raise AssayError(f"no namespace {namespace}{did_you_mean(namespace, known)}{listed}")
    folder = cache_home() / namespace if namespace.partition("/")[0] in OTHERS else cache.folder / namespace
    shutil.rmtree(folder, ignore_errors=True)
    return known[namespace]


def _entry_lists(values: Mapping[str, Value]) -> Iterator[list[Entry]]:
    """Yield lists of entries, one list per file."""
    entries: list[Entry] = []
    size = 0
    for name, value in values.items():
        key, packed = Key.of(name), _packed(value)
        entries.append(Entry(key.number, key.check(packed), packed))
        size += len(packed)
        if size >= SEGMENT:
            yield entries
            entries, size = [], 0
    if entries:
        yield entries


def _packed(value: Value) -> bytes:
    if isinstance(value, bytes):
        return msgspec.msgpack.encode(value)
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.hasobject or value.dtype.kind == "V":
        kind = getattr(value, "dtype", type(value).__name__)
        raise AssayError(f"cache: {kind} cannot be stored. Use arrays of numbers, or bytes.")
    return msgspec.msgpack.encode((value.dtype.str, value.shape, value.tobytes()))


def _as_stored(value: V) -> V:
    """Return a new value in the form in which the cache returns it: in C order and read-only."""
    if isinstance(value, bytes):
        return value
    kept = np.asarray(value, order="C").view()
    kept.flags.writeable = False
    return cast("V", kept)


def _unpacked(packed: bytes) -> Value:
    decoded = msgspec.msgpack.decode(packed)
    if isinstance(decoded, bytes):
        return decoded
    kind, shape, numbers = decoded
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
