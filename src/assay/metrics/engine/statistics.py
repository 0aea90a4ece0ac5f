"""Per-item statistics: one row per item, which can be summed, stored, split into shards and concatenated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import AssayError
from assay.metrics.engine import spill
from assay.stats.threads import compute_once
from assay.text._kernels.pieces import pieced

if TYPE_CHECKING:
    import polars

Floats: TypeAlias = NDArray[np.float64]
FRAMED = 50_000
"""Items converted to a data frame at once; the conversion needs several times the memory of its result."""
T = TypeVar("T")


class DamagedError(AssayError, ValueError):
    """Invalid statistics. Kernels do not check their input, so invalid statistics must not reach them."""


def _damaged(why: str) -> DamagedError:
    return DamagedError(f"invalid statistics: {why}; score again to rebuild them")


def _packed(texts: tuple[str, ...]) -> NDArray[np.uint8]:
    return np.frombuffer(msgspec.json.encode(texts), dtype=np.uint8)


def _unpacked(array: NDArray[np.uint8]) -> tuple[str, ...]:
    return msgspec.json.decode(array.tobytes(), type=tuple[str, ...])


def _integers(values: NDArray[Any], kind: type[np.signedinteger[Any]], what: str) -> NDArray[Any]:
    """Return a one-dimensional array of integers as kernels read it."""
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise _damaged(f"{what} are {array.dtype} of shape {array.shape}, expected one row of integers")
    if array.dtype != kind and len(array):
        limits = np.iinfo(kind)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise _damaged(f"{what} are out of range for {np.dtype(kind)}")
    return np.ascontiguousarray(array, dtype=kind)


def divide(part: ArrayLike, whole: ArrayLike, empty: float = np.nan) -> Floats:
    """Return part / whole, and `empty` where the whole is not positive."""
    a: Floats = np.asarray(part, dtype=np.float64)
    b: Floats = np.asarray(whole, dtype=np.float64)
    out: Floats = np.full(np.broadcast(a, b).shape, empty)
    return np.asarray(np.divide(a, b, out=out, where=b > 0))


@dataclass(frozen=True)
class Dense:
    """Dense rows that are summed column by column: counts of matches and lengths, or scores and a count of one."""

    columns: tuple[str, ...]
    values: Floats
    """Items x columns."""

    def __post_init__(self) -> None:
        try:
            values: Floats = np.ascontiguousarray(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise _damaged("values are not numbers") from None
        if values.ndim != 2 or values.shape[1] != len(self.columns):
            raise _damaged(f"{len(self.columns)} column names for values of shape {values.shape}")
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(values.sum())  # a finite sum has finite terms; this needs no array of booleans
        if not finite and len(wrong := np.argwhere(~np.isfinite(values))):
            row, column = wrong[0].tolist()
            raise _damaged(f"{self.columns[column]} of row {row + 1} is not finite")
        spill.release_pages(values)
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    def release(self) -> None:
        """Free the memory that pages of a mapped file use."""
        spill.release_pages(self.values)

    def take(self, indices: NDArray[np.intp]) -> Dense:
        """Return the rows of these items."""
        return Dense(self.columns, self.values[indices])

    def to_frame(self) -> polars.DataFrame:
        import polars

        return polars.DataFrame({name: self.values[:, i] for i, name in enumerate(self.columns)})

    @staticmethod
    def from_frame(frame: polars.DataFrame) -> Dense:
        for column in frame:
            if not column.dtype.is_numeric():
                raise _damaged(f"column {column.name} is {column.dtype}, expected numbers")
            if column.has_nulls():
                raise _damaged(f"column {column.name} contains a null")
        return Dense(tuple(frame.columns), frame.to_numpy())

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"columns": _packed(self.columns), "values": self.values}

    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Dense:
        return Dense(_unpacked(arrays["columns"]), arrays["values"])

    @staticmethod
    def concat(parts: Sequence[Dense]) -> Dense:
        return Dense(parts[0].columns, np.concatenate([part.values for part in parts]))


@dataclass(frozen=True)
class Tokens:
    """The tokens of each item as indices into a vocabulary; bags of n-grams and token streams are derived from them."""

    ids: NDArray[np.int32]
    """Tokens of all items, one item after the other."""
    starts: NDArray[np.int64]
    """Where each item starts in `ids`, and the end of the last."""
    vocabulary: tuple[str, ...]
    _derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = _integers(self.starts, np.int64, "starts")
        if not len(starts) or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
            raise _damaged("starts of items are not in ascending order from 0")
        ids = _integers(self.ids, np.int32, "tokens")
        if starts[-1] != len(ids):
            raise _damaged(f"items span {starts[-1]} tokens, but there are {len(ids)}")
        if len(ids) and ids.view(np.uint32).max() >= len(self.vocabulary):  # as unsigned, negative ids are too large
            raise _damaged(f"a token is outside the vocabulary of {len(self.vocabulary)} words")
        spill.release_pages(ids)
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "ids", ids)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def once(self, key: str, make: Callable[[], T]) -> T:
        """Return what `make` derives from these tokens, cached under this key: folds over many resamples reuse it."""
        return compute_once(self._derived, key, make)

    def release(self) -> None:
        """Free the memory that pages of mapped files use, those of derived data included."""
        spill.release_pages(self.ids)
        for made in list(self._derived.values()):  # a copy: another thread may add to it
            if isinstance(made, Tokens):
                made.release()
            elif isinstance(made, np.ndarray):
                spill.release_pages(made)

    def lengths(self) -> NDArray[np.int64]:
        """Return the number of tokens of each item."""
        return np.diff(self.starts)

    @property
    def large(self) -> bool:
        """Whether derived data is computed on disk instead of in memory."""
        return len(self.ids) > spill.LARGE

    def cuts(self) -> list[tuple[int, int]]:
        """Return ranges of items with at most `spill.BLOCK` tokens each; an item is never split."""
        cuts = []
        low = 0
        while low < len(self):
            high = int(np.searchsorted(self.starts, self.starts[low] + spill.BLOCK, side="right")) - 1
            cuts.append((low, min(max(high, low + 1), len(self))))
            low = cuts[-1][1]
        return cuts

    def cut(self, low: int, high: int) -> Tokens:
        """Return the items of a range, in memory."""
        begin, end = self.starts[[low, high]].tolist()
        ids = np.array(self.ids[begin:end])
        spill.release_pages(self.ids)
        return Tokens(ids, self.starts[low : high + 1] - begin, self.vocabulary)

    def keep(self, wanted: Callable[[str], bool]) -> Tokens:
        """Return the tokens whose word is wanted; items without any stay as empty items."""
        words = np.fromiter(map(wanted, self.vocabulary), dtype=bool, count=len(self.vocabulary))
        if not self.large:
            return self._keep(words)
        ids, lengths = spill.Spill(np.int32), []
        for cut in self.cuts():
            kept = self.cut(*cut)._keep(words)
            ids.append(kept.ids)
            lengths.append(kept.lengths())
        starts = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
        return Tokens(ids.mapped(), starts, self.vocabulary)

    def _keep(self, words: NDArray[np.bool_]) -> Tokens:
        kept = words[self.ids]
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts].astype(np.int64)
        return Tokens(self.ids[kept], starts, self.vocabulary)

    def take(self, indices: NDArray[np.intp]) -> Tokens:
        """Return the tokens of these items."""
        lengths = self.lengths()[indices]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        nothing = np.full(len(lengths), -1, dtype=np.int32)
        return Tokens(pieced(self.ids, self.starts[:-1][indices], lengths, nothing), starts, self.vocabulary)

    def to_frame(self) -> polars.DataFrame:
        """Return a single column of lists of words. Words are categories, which Parquet stores once in a dictionary."""
        import polars

        words = polars.Series("tokens", self.vocabulary, dtype=polars.Enum(self.vocabulary))
        cuts = range(0, max(len(self), 1), FRAMED)
        return polars.concat([self._framed(words, low, min(low + FRAMED, len(self))) for low in cuts], rechunk=False)

    def _framed(self, words: polars.Series, low: int, high: int) -> polars.DataFrame:
        """Return the frame of a range of items."""
        import polars

        lengths = self.lengths()[low:high]
        of = polars.Series("item", np.repeat(np.arange(high - low, dtype=np.int32), lengths)).set_sorted()
        ids = self.ids[self.starts[low] : self.starts[high]]
        frame = polars.DataFrame({"item": of, "tokens": words.gather(ids.astype(np.uint32))})
        lists = frame.group_by("item", maintain_order=True).agg("tokens")
        if not lengths.all():  # items without tokens form no group
            items = polars.DataFrame({"item": np.arange(high - low, dtype=np.int32)})
            lists = items.join(lists, on="item", how="left", maintain_order="left")
            lists = lists.with_columns(polars.col("tokens").fill_null(polars.lit([], dtype=lists["tokens"].dtype)))
        return lists.select("tokens")

    @staticmethod
    def from_frame(frame: polars.DataFrame) -> Tokens:
        import polars

        column = frame["tokens"]
        inner = column.dtype.inner if isinstance(column.dtype, polars.List) else None
        if not isinstance(inner, polars.Enum):
            raise _damaged(f"column tokens is {column.dtype}, expected lists of words")
        if column.has_nulls():
            raise _damaged("column tokens contains a null")
        starts = np.concatenate([[0], np.cumsum(column.list.len().to_numpy().astype(np.int64))]).astype(np.int64)
        # An empty item also explodes to a null; nulls inside an item make the number of tokens too small below.
        flat = column.list.explode().drop_nulls()
        return Tokens(flat.to_physical().to_numpy().astype(np.int32), starts, tuple(inner.categories))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"words": _packed(self.vocabulary), "ids": self.ids, "starts": self.starts}

    @staticmethod
    def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Tokens:
        return Tokens(arrays["ids"], arrays["starts"], _unpacked(arrays["words"]))

    @staticmethod
    def concat(parts: Sequence[Tokens]) -> Tokens:
        numbers: dict[str, int] = {}
        ids = []
        for part in parts:
            renumber = [numbers.setdefault(word, len(numbers)) for word in part.vocabulary]
            ids.append(np.array(renumber, dtype=np.int32)[part.ids] if renumber else part.ids)
        lengths = np.concatenate([part.lengths() for part in parts])
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Tokens(np.concatenate(ids), starts, tuple(numbers))


Rows: TypeAlias = Dense | Tokens
KINDS: dict[str, type[Dense] | type[Tokens]] = {"dense": Dense, "tokens": Tokens}
K = TypeVar("K", Dense, Tokens)


def expect(rows: Rows, kind: type[K], n: int | None = None) -> K:
    """Return the rows if they are of this kind and, if n is given, of n items.

    Raises:
        DamagedError: If they are not; they are then rows of another metric or of other items.
    """
    if not isinstance(rows, kind):
        raise _damaged(f"{type(rows).__name__} rows, expected {kind.__name__}")
    if n is not None and len(rows) != n:
        raise _damaged(f"{len(rows)} rows for {n} items")
    return rows


def concat(parts: Sequence[Rows]) -> Rows:
    """Concatenate shards, or the rows of several systems."""
    first = parts[0]
    if len(parts) == 1:
        return _writable(first)
    return type(first).concat(parts)  # type: ignore[arg-type]


def _writable(rows: Rows) -> Rows:
    """Return the rows, copied if their memory is read-only: Ray's is, and kernels need writable arrays."""
    if isinstance(rows, Dense):
        return rows if rows.values.flags.writeable else Dense(rows.columns, rows.values.copy())
    if rows.ids.flags.writeable and rows.starts.flags.writeable:
        return rows
    return Tokens(rows.ids.copy(), rows.starts.copy(), rows.vocabulary)
