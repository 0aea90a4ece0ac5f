"""What datasets of judged summaries share: the output stands in the input, with what people said about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Dataset
from assay.records import Judgement, Output, kinds
from assay.records.inputs import read_input


class JudgedOutputs(Dataset):
    """Readers whose examples carry the judged output in their input."""

    criteria: ClassVar[tuple[str, ...]]

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        for example in self.read(path, split):
            summary = read_input(example, kinds.Judged).summary
            if summary is not None:
                yield Output(id=example.id, output=summary, system=example.tags["system"])

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """The published aggregates, one a criterion; single annotators are not published."""
        for example in self.read(path, split):
            human = read_input(example, kinds.Judged).human or {}
            for criterion in self.criteria:
                yield Judgement(
                    id=example.id,
                    system=example.tags["system"],
                    annotator="aggregate",
                    criterion=criterion,
                    value=human[criterion],
                )
