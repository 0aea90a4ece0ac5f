"""Common reader of judged summaries: the input contains the output and its human judgements."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Dataset
from assay.records import Judgement, Output, kinds
from assay.records.inputs import read_input


class JudgedOutputs(Dataset):
    """Readers whose examples have the judged output in their input."""

    criteria: ClassVar[tuple[str, ...]]

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        for example in self.read(path, split):
            summary = read_input(example, kinds.Judged).summary
            if summary is not None:
                yield Output(id=example.id, output=summary, system=example.tags["system"])

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """Yield the published aggregates, one per criterion; single annotators are not published."""
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
