"""Statistics of examples: one row an item, in a form that can be added up, stored, cut and put together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import AssayError
from assay.metrics.engine import spill
from assay.stats.threads import made_once
from assay.text._kernels.pieces import pieced

if TYPE_CHECKING:
    import polars

Floats: TypeAlias = NDArray[np.float64]
FRAMED = 50_000
"""Items that are made into a frame at once; what that takes besides is several times what it yields."""
T = TypeVar("T")


class DamagedError(AssayError, ValueError):
    """Statistics that cannot be what a metric gave. Kernels trust what they are given, so none may reach them."""


def _damaged(why: str) -> DamagedError:
    return DamagedError(f"{why}, so these are no statistics; score again to write them anew")


def _packed(texts: tuple[str, ...]) -> NDArray[np.uint8]:
    return np.frombuffer(msgspec.json.encode(texts), dtype=np.uint8)


def _unpacked(array: NDArray[np.uint8]) -> tuple[str, ...]:
    return msgspec.json.decode(array.tobytes(), type=tuple[str, ...])


def _whole_numbers(given: NDArray[Any], kind: type[np.signedinteger[Any]], what: str) -> NDArray[Any]:
    """One row of them, as a kernel reads it."""
    array = np.asarray(given)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise _damaged(f"{what} are {array.dtype} of shape {array.shape} where one row of whole numbers belongs")
    if array.dtype != kind and len(array):
        most = np.iinfo(kind)
        if int(array.min()) < most.min or int(array.max()) > most.max:
            raise _damaged(f"{what} have a number that is too large")
    return np.ascontiguousarray(array, dtype=kind)


def divide(part: ArrayLike, whole: ArrayLike, empty: float = np.nan) -> Floats:
    """part / whole, and `empty` where there is no whole."""
    a: Floats = np.asarray(part, dtype=np.float64)
    b: Floats = np.asarray(whole, dtype=np.float64)
    out: Floats = np.full(np.broadcast(a, b).shape, empty)
    return np.asarray(np.divide(a, b, out=out, where=b > 0))


@dataclass(frozen=True)
class Dense:
    """Numbers that may simply be added: matches and lengths, or a score and a one."""

    columns: tuple[str, ...]
    values: Floats

    def __post_init__(self) -> None:
        try:
            values: Floats = np.ascontiguousarray(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise _damaged("values are not numbers") from None
        if values.ndim != 2 or values.shape[1] != len(self.columns):
            raise _damaged(f"{len(self.columns)} columns are named, the values have shape {values.shape}")
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(values.sum())  # then every value is, without an array of answers
        if not finite and len(wrong := np.argwhere(~np.isfinite(values))):
            row, column = wrong[0].tolist()
            raise _damaged(f"{self.columns[column]} of row {row + 1} is no finite number")
        spill.forget(values)
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    def release(self) -> None:
        """Have the memory back that parts of a mapped file take."""
        spill.forget(self.values)

    def take(self, indices: NDArray[np.intp]) -> Dense:
        return Dense(self.columns, self.values[indices])

    def to_frame(self) -> polars.DataFrame:
        import polars

        return polars.DataFrame({name: self.values[:, i] for i, name in enumerate(self.columns)})

    @staticmethod
    def from_frame(frame: polars.DataFrame) -> Dense:
        for column in frame:
            if not column.dtype.is_numeric():
                raise _damaged(f"{column.name} has {column.dtype} where numbers belong")
            if column.has_nulls():
                raise _damaged(f"{column.name} has a null")
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
    """The tokens of each item, as numbers into a vocabulary; bags of n-grams and ordered streams come from it."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    vocabulary: tuple[str, ...]
    _derived: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = _whole_numbers(self.starts, np.int64, "starts")
        if not len(starts) or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
            raise _damaged("an item begins before the last has ended")
        ids = _whole_numbers(self.ids, np.int32, "tokens")
        if starts[-1] != len(ids):
            raise _damaged(f"the items have {starts[-1]} tokens together, and there are {len(ids)}")
        if len(ids) and ids.view(np.uint32).max() >= len(self.vocabulary):  # one look: below zero is far above
            raise _damaged(f"a token is none of the {len(self.vocabulary)} words")
        spill.forget(ids)
        object.__setattr__(self, "starts", starts)
        object.__setattr__(self, "ids", ids)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def once(self, key: str, make: Callable[[], T]) -> T:
        """What was derived from these tokens under this key, made once: folding many draws asks again and again."""
        return made_once(self._derived, key, make)

    def release(self) -> None:
        """Have the memory back that parts of mapped files take, and what was derived from them."""
        spill.forget(self.ids)
        for made in list(self._derived.values()):  # another thread may derive more meanwhile
            if isinstance(made, Tokens):
                made.release()
            elif isinstance(made, np.ndarray):
                spill.forget(made)

    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    @property
    def large(self) -> bool:
        """Whether what is derived from them is better made on disk."""
        return len(self.ids) > spill.LARGE

    def cuts(self) -> list[tuple[int, int]]:
        """From which item to which, so that each cut has some millions of tokens at most (an item is never cut)."""
        cuts = []
        low = 0
        while low < len(self):
            high = int(np.searchsorted(self.starts, self.starts[low] + spill.BLOCK, side="right")) - 1
            cuts.append((low, min(max(high, low + 1), len(self))))
            low = cuts[-1][1]
        return cuts

    def cut(self, low: int, high: int) -> Tokens:
        """The items from one to another, in memory."""
        begin, end = self.starts[[low, high]].tolist()
        ids = np.array(self.ids[begin:end])
        spill.forget(self.ids)
        return Tokens(ids, self.starts[low : high + 1] - begin, self.vocabulary)

    def keep(self, wanted: Callable[[str], bool]) -> Tokens:
        """Without the tokens that are not wanted; items stay, perhaps empty."""
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
        lengths = self.lengths()[indices]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        nothing = np.full(len(lengths), -1, dtype=np.int32)
        return Tokens(pieced(self.ids, self.starts[:-1][indices], lengths, nothing), starts, self.vocabulary)

    def to_frame(self) -> polars.DataFrame:
        """A single column of lists of words. The words are categories, which Parquet keeps once, in its dictionary."""
        import polars

        words = polars.Series("tokens", self.vocabulary, dtype=polars.Enum(self.vocabulary))
        cuts = range(0, max(len(self), 1), FRAMED)
        return polars.concat([self._framed(words, low, min(low + FRAMED, len(self))) for low in cuts], rechunk=False)

    def _framed(self, words: polars.Series, low: int, high: int) -> polars.DataFrame:
        """Some of the items."""
        import polars

        lengths = self.lengths()[low:high]
        of = polars.Series("item", np.repeat(np.arange(high - low, dtype=np.int32), lengths)).set_sorted()
        ids = self.ids[self.starts[low] : self.starts[high]]
        frame = polars.DataFrame({"item": of, "tokens": words.gather(ids.astype(np.uint32))})
        lists = frame.group_by("item", maintain_order=True).agg("tokens")
        if not lengths.all():  # items without tokens made no group
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
            raise _damaged(f"tokens has {column.dtype} where lists of words belong")
        if column.has_nulls():
            raise _damaged("tokens has a null")
        starts = np.concatenate([[0], np.cumsum(column.list.len().to_numpy().astype(np.int64))]).astype(np.int64)
        # An item without tokens leaves a null, too; one that holds nulls has too few tokens afterwards.
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
    """Rows as a metric folds them: of its kind and, if told, of so many items. Others are another metric's."""
    if not isinstance(rows, kind):
        raise _damaged(f"{type(rows).__name__} stand where {kind.__name__} are folded")
    if n is not None and len(rows) != n:
        raise _damaged(f"{len(rows)} rows stand for {n} items")
    return rows


def concat(parts: Sequence[Rows]) -> Rows:
    """Put shards together again, or the rows of two systems one after the other."""
    first = parts[0]
    if len(parts) == 1:
        return _writable(first)
    return type(first).concat(parts)  # type: ignore[arg-type]


def _writable(rows: Rows) -> Rows:
    """The rows, or a copy of those in memory that is only read: Ray's, which kernels refuse and others wait for."""
    if isinstance(rows, Dense):
        return rows if rows.values.flags.writeable else Dense(rows.columns, rows.values.copy())
    if rows.ids.flags.writeable and rows.starts.flags.writeable:
        return rows
    return Tokens(rows.ids.copy(), rows.starts.copy(), rows.vocabulary)
