"""Ids, tags and other metadata of a large file as columns, which take a tenth of the memory of Python objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from assay.records.types import Example

if TYPE_CHECKING:
    import polars

PLAIN = ("id", "language", "split", "parent")
TAG = "tags."
STEP = 10_000
"""Records that are converted to columns, or back, at once."""


class Ids(Sequence[str]):
    """The ids of many items; equal to a list with the same ids."""

    def __init__(self, column: polars.Series) -> None:
        self.column = column

    def __len__(self) -> int:
        return len(self.column)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Ids: ...
    def __getitem__(self, index: int | slice) -> str | Ids:
        return Ids(self.column[index]) if isinstance(index, slice) else str(self.column[index])

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), STEP):
            yield from self.column[start : start + STEP].to_list()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Ids):
            return self.column.equals(other.column, check_names=False)
        return (
            isinstance(other, list)
            and len(self) == len(other)
            and all(a == b for a, b in zip(self, other, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def distinct(self) -> bool:
        """Return whether no id is repeated. Sorted ids, which most files have, are checked without a hash table."""
        return bool((self.column[1:] > self.column[:-1]).all()) or self.column.n_unique() == len(self)


class IdColumn:
    """Builder of `Ids`."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._columns: list[polars.Series] = []

    def add(self, id: str) -> None:
        self._waiting.append(id)
        if len(self._waiting) == STEP:
            self._pack()

    def _pack(self) -> None:
        import polars

        self._columns.append(polars.Series("id", self._waiting, polars.String))
        self._waiting = []

    def ids(self) -> Ids:
        import polars

        self._pack()
        return Ids(polars.concat(self._columns, rechunk=True))


class BareExamples(Sequence[Example]):
    """Examples without texts, created on access."""

    def __init__(self, frame: polars.DataFrame) -> None:
        self.frame = frame
        """One column per field or tag that any example has; ids first."""

    @property
    def ids(self) -> Ids:
        return Ids(self.frame["id"])

    def __len__(self) -> int:
        return len(self.frame)

    def take(self, chosen: Any) -> BareExamples:
        return BareExamples(self.frame[chosen])

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> BareExamples: ...
    def __getitem__(self, index: int | slice) -> Example | BareExamples:
        if isinstance(index, slice):
            return self.take(index)
        return next(iter(self.take([range(len(self))[index]])))

    def __iter__(self) -> Iterator[Example]:
        for start in range(0, len(self), STEP):
            for row in self.frame[start : start + STEP].iter_rows(named=True):
                tags = {name.removeprefix(TAG): value for name, value in row.items() if name not in PLAIN}
                yield Example(
                    id=row["id"],
                    language=row.get("language"),
                    split=row.get("split"),
                    parent=row.get("parent"),
                    tags={key: value for key, value in tags.items() if value is not None},
                )


class BareColumns:
    """Builder of `BareExamples`."""

    def __init__(self) -> None:
        self._waiting: list[Example] = []
        self._frames: list[polars.DataFrame] = []

    def add(self, example: Example) -> None:
        self._waiting.append(example)
        if len(self._waiting) == STEP:
            self._pack()

    def _pack(self) -> None:
        import polars

        examples, self._waiting = self._waiting, []
        columns: dict[str, list[str | None]] = {name: [getattr(each, name) for each in examples] for name in PLAIN}
        for key in sorted({key for each in examples if each.tags for key in each.tags}):
            columns[TAG + key] = [each.tags.get(key) for each in examples]
        used = [name for name, values in columns.items() if name == "id" or any(value is not None for value in values)]
        self._frames.append(polars.DataFrame([polars.Series(name, columns[name], polars.String) for name in used]))

    def examples(self) -> BareExamples:
        import polars

        self._pack()
        return BareExamples(polars.concat(self._frames, how="diagonal", rechunk=True))
