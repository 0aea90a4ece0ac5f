"""What datasets of judged summaries share: the output stands in the input, with what people said about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Dataset
from assay.records import Judgement, Output


class Judged(Dataset):
    """Readers whose examples carry the judged output in their input."""

    criteria: ClassVar[tuple[str, ...]]

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        for example in self.read(path, split):
            made = example.input or {}
            if made.get("summary") is not None:
                yield Output(id=example.id, output=made["summary"], system=example.tags["system"])

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """The published aggregates, one a criterion; single annotators are not published."""
        for example in self.read(path, split):
            human = (example.input or {})["human"]
            for criterion in self.criteria:
                yield Judgement(
                    id=example.id,
                    system=example.tags["system"],
                    annotator="aggregate",
                    criterion=criterion,
                    value=human[criterion],
                )
