"""Statistics of examples: one row an item, in a form that can be added up, stored, cut and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Dense:
    """Numbers that may simply be added: matches and lengths, or a score and a one."""

    columns: tuple[str, ...]
    values: Floats

    def __len__(self) -> int:
        return len(self.values)

    def take(self, indices: NDArray[np.intp]) -> Dense:
        return Dense(self.columns, self.values[indices])

    def to_frame(self) -> polars.DataFrame:
        import polars

        return polars.DataFrame({name: self.values[:, i] for i, name in enumerate(self.columns)})

    @staticmethod
    def from_frame(frame: polars.DataFrame) -> Dense:
        return Dense(tuple(frame.columns), np.ascontiguousarray(frame.to_numpy(), dtype=np.float64))

    @staticmethod
    def concat(parts: Sequence[Dense]) -> Dense:
        return Dense(parts[0].columns, np.concatenate([part.values for part in parts]))


@dataclass(frozen=True)
class Tokens:
    """The tokens of each item, as numbers into a vocabulary; bags of n-grams and ordered streams come from it."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    vocabulary: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @staticmethod
    def of(texts: Iterable[str], tokenize: Callable[[str], list[str]]) -> Tokens:
        numbers: dict[str, int] = {}
        ids: list[int] = []
        starts = [0]
        for text in texts:
            ids.extend([numbers.setdefault(token, len(numbers)) for token in tokenize(text)])
            starts.append(len(ids))
        return Tokens(np.array(ids, dtype=np.int32), np.array(starts, dtype=np.int64), tuple(numbers))

    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def keep(self, wanted: Callable[[str], bool]) -> Tokens:
        """Without the tokens that are not wanted; items stay, perhaps empty."""
        kept = np.fromiter(map(wanted, self.vocabulary), dtype=bool, count=len(self.vocabulary))[self.ids]
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts].astype(np.int64)
        return Tokens(self.ids[kept], starts, self.vocabulary)

    def take(self, indices: NDArray[np.intp]) -> Tokens:
        lengths = self.lengths()[indices]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        shift = np.repeat(self.starts[:-1][indices] - starts[:-1], lengths)
        return Tokens(self.ids[np.arange(starts[-1]) + shift], starts, self.vocabulary)

    def to_frame(self) -> polars.DataFrame:
        """A single column of lists of words: Parquet's own dictionary keeps it small, and no side file is needed."""
        import polars

        words = polars.Series("words", self.vocabulary, dtype=polars.String)
        flat = words.gather(self.ids.astype(np.uint32)) if len(self.ids) else words.clear()
        frame = polars.DataFrame({"tokens": flat, "item": np.repeat(np.arange(len(self)), self.lengths())})
        lists = frame.group_by("item", maintain_order=True).agg("tokens")
        items = polars.DataFrame({"item": np.arange(len(self), dtype=np.int64)})
        empty = polars.col("tokens").fill_null(polars.lit([], dtype=polars.List(polars.String)))
        return items.join(lists, on="item", how="left", maintain_order="left").select(empty)

    @staticmethod
    def from_frame(frame: polars.DataFrame) -> Tokens:
        import polars

        column = frame["tokens"]
        starts = np.concatenate([[0], np.cumsum(column.list.len().to_numpy().astype(np.int64))]).astype(np.int64)
        flat = column.list.explode().drop_nulls().rename("words").cast(polars.String)
        vocabulary = flat.unique(maintain_order=True)
        numbers = polars.DataFrame({"words": vocabulary, "id": np.arange(len(vocabulary), dtype=np.int32)})
        ids = flat.to_frame().join(numbers, on="words", how="left", maintain_order="left")["id"]
        return Tokens(ids.to_numpy().astype(np.int32), starts, tuple(vocabulary.to_list()))

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


def concat(parts: Sequence[Rows]) -> Rows:
    """Put shards together again, or the rows of two systems one after the other."""
    first = parts[0]
    if len(parts) == 1:
        return first
    return type(first).concat(parts)  # type: ignore[arg-type]


def kind_of(rows: Rows) -> str:
    return "dense" if isinstance(rows, Dense) else "tokens"
