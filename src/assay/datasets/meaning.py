"""Datasets of (meaning representation, text) pairs: one example per pair, or per representation with all its texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.datasets.base import Dataset, Group, SplitFile, gem_id
from assay.datasets.record import Record, Report
from assay.records import Example
from assay.records.kinds import Slots


@dataclass(frozen=True)
class MeaningPairs(Dataset):
    """Rows of one example: a pair, or all texts of a representation; recorded in the tags."""

    meaning: ClassVar[str]
    """Field of the representation."""
    text: ClassVar[str]
    """Field of the text."""

    rows: Literal["mr", "pair"] = "mr"

    def structure(self, record: Record) -> Slots:
        raise NotImplementedError

    def tags(self, record: Record) -> dict[str, str]:
        return {}

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        rows = report.checked(self.records(file), self._checked)
        if self.rows == "pair":
            for record in rows:
                yield self._example(record, [record.value[self.text]], record.index, file.split)
            return
        group = Group()
        for record in rows:
            group.add(record.value[self.meaning], record.value[self.text], record)
        report.note("rows with the same meaning representation are one example (rows=mr)")
        for index, (_, references, record) in enumerate(group):
            yield self._example(record, references, index, file.split)

    def _checked(self, record: Record) -> Iterable[Record]:
        record.text(self.meaning)
        record.text(self.text)
        self.structure(record)
        self.tags(record)
        yield record

    def _example(self, record: Record, references: list[str], index: int, split: str | None) -> Example:
        structure = self.structure(record)
        tags = {"size": str(len(structure.slots)), "rows": self.rows, **self.tags(record)}
        if structure.act:
            tags["act"] = structure.act
        return Example(
            id=gem_id(self.name, split, index),
            references=tuple(references),
            source=record.value[self.meaning],
            input=structure.plain(),
            language=self.card.languages[0],
            split=split,
            tags=tags,
        )
