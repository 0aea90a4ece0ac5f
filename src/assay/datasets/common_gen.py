"""CommonGen: a plausible sentence that mentions all concepts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from assay.datasets.base import Card, Dataset, Group, SplitFile, gem_id
from assay.datasets.sources import json_lines, parallel_lines, text_lines
from assay.records import Example, kinds

if TYPE_CHECKING:
    from assay.datasets.record import Record, Report

SOURCE, TARGET = ".src_alpha.txt", ".tgt.txt"


class CommonGen(Dataset):
    name: ClassVar = "common_gen"
    patterns: ClassVar = {
        split: (f"commongen.{file}.jsonl", f"commongen.{file}_noref.jsonl", f"commongen.{file}{SOURCE}")
        for split, file in (("train", "train"), ("validation", "dev"), ("test", "test"))
    }
    card: ClassVar = Card(
        title="CommonGen",
        task="data-to-text",
        goal="a likely everyday sentence that mentions all source concepts",
        languages=("en",),
        sizes={"train": 67389, "validation": 993, "test": 1497},
        licence="MIT (code); data by form",
        references="about 4; the test references are not public",
        input_type="concept set",
        suite="data-to-text",
        source="https://github.com/INK-USC/CommonGen",
        files="commongen.{train,dev}.jsonl, or commongen.dev.src_alpha.txt next to commongen.dev.tgt.txt",
        hub=("GEM/common_gen", None),
        notes=("the published train size counts sentences; the reader returns one example per concept set",),
        citation="Lin et al.: CommonGen: A Constrained Text Generation Challenge (2020)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        if file.path.name.endswith((SOURCE, TARGET)):
            return self._parallel(file, report)
        return super().read_file(file, report)

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_lines(file.path)

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        scenes = record.texts("scene") if record.has("scene") else []
        yield self._example(record.text("concept_set").split("#"), scenes, record.index, file.split)

    def _parallel(self, file: SplitFile, report: Report) -> Iterator[Example]:
        """Merge lines with the same concepts into one example; a line has one sentence."""
        stem = file.path.name.removesuffix(SOURCE).removesuffix(TARGET)
        paths = {"concepts": file.path.with_name(stem + SOURCE), "text": file.path.with_name(stem + TARGET)}
        if not paths["text"].exists():
            for record in report.checked(text_lines(paths["concepts"]), lambda line: [line]):
                yield self._example(record.value.split(), [], record.index, file.split)
            return
        group = Group()
        for record in report.checked(parallel_lines(paths), _checked_row):
            group.add(record.value["concepts"], record.value["text"], record)
        for index, (concepts, references, _) in enumerate(group):
            yield self._example(concepts.split(), references, index, file.split)

    def _example(self, concepts: list[str], references: list[str], index: int, split: str | None) -> Example:
        return Example(
            id=gem_id(self.name, split, index),
            references=tuple(references),
            source=" ".join(concepts),
            input=kinds.Concepts(concepts=concepts).plain(),
            language="en",
            split=split,
            tags={"size": str(len(concepts))},
        )


def _checked_row(record: Record) -> Iterable[Record]:
    record.text("concepts")
    record.text("text")
    yield record
