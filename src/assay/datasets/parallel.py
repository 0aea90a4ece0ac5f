"""Simplification sets with one file of sentences for each annotator, aligned by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from assay.datasets.base import Dataset, SplitFile, gem_id
from assay.datasets.sources import parallel_lines
from assay.errors import AssayError
from assay.records import Example

if TYPE_CHECKING:
    from assay.datasets.record import Record, Report

GOAL = "the same information in simpler words and grammar"


class ParallelReferences(Dataset):
    """A source file and one file for each annotator, aligned by line."""

    count: ClassVar[int]
    reference_names: ClassVar[tuple[tuple[re.Pattern[str], str], ...]]
    """Suffix of a source file and stem of its reference files."""

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        stem = self._stem(file)
        paths = {"source": file.path}
        paths |= {str(i): file.path.with_name(f"{stem}.{i}") for i in range(self.count)}
        missing = next((path for path in paths.values() if not path.is_file()), None)
        if missing:
            raise AssayError(f"{missing}: missing; {self.name} needs {self.card.files}")
        return report.checked(parallel_lines(paths), lambda record: self.examples(record, file))

    def _stem(self, file: SplitFile) -> str:
        for pattern, replacement in self.reference_names:
            if pattern.search(file.path.name):
                return pattern.sub(replacement, file.path.name)
        raise AssayError(f"{file.path}: not a source file of {self.name}; it needs {self.card.files}")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        yield Example(
            id=gem_id(self.name, file.split, record.index),
            references=tuple(self.text(record.text(str(i)), file) for i in range(self.count)),
            source=self.text(record.text("source"), file),
            language="en",
            split=file.split,
        )

    def text(self, text: str, file: SplitFile) -> str:
        """Return the text of a line for the example."""
        return text
