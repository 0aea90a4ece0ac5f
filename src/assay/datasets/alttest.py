"""AltTest: six data sets with the label of every annotator, and of language models for the same items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.record import Record, RecordError, Report
from assay.datasets.sources import json_items
from assay.errors import AssayError
from assay.records import Example, Judgement

HUMANS, MODELS = "human_annotations.json", "llm_annotations.json"
SUBSETS = {
    "10k_prompts": 1698,
    "cebab_aspects": 1008,
    "cebab_stars": 711,
    "framing": 2552,
    "kilogram": 993,
    "summeval": 100,
}


@dataclass(frozen=True)
class AltTest(Dataset):
    name: ClassVar = "alttest"
    patterns: ClassVar = {name: (f"{name}/{HUMANS}",) for name in SUBSETS}
    card: ClassVar = Card(
        title="AltTest",
        task="annotation",
        goal="labels of annotators and of language models as judges",
        languages=("en",),
        sizes=SUBSETS,
        licence="none stated; local use only",
        references="none",
        input_type="label",
        suite="",
        source="https://github.com/nitaytech/AltTest",
        files=f"a folder per data set with {HUMANS} and {MODELS}: labels by annotator and item",
        notes=(
            "the splits are the data sets; ids are the published ones, and texts are not in the files",
            "--judgements writes the labels of annotators, and those of the models with the method judge",
            "summeval: ARTICLE__SYSTEM__CRITERION becomes id, system and criterion; of the others, what follows the"
            " last `__` is the criterion, and the system is the data set",
        ),
        citation="Calderon, Reichart, Dror: The Alternative Annotator Test for LLM-as-a-Judge (2025)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        seen: set[str] = set()
        for record in report.checked(json_items(file.path), _checked):
            for item in record.value:
                id = _key(self._subset(file), item)[0]
                if id not in seen:
                    seen.add(id)
                    yield Example(id=id, language="en", split=file.split)

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        for file in self.find(path, split):
            subset = self._subset(file)
            models = file.path.with_name(MODELS)
            if not models.is_file():
                raise AssayError(f"{models}: not found; it has the labels of the models")
            for source, method in ((file.path, ""), (models, "judge")):
                for record in Report(self.name).checked(json_items(source), _checked):
                    for item, label in record.value.items():
                        id, system, criterion = _key(subset, item)
                        value = float(label) if isinstance(label, int | float) else label
                        yield Judgement(
                            id=id, system=system, annotator=_name(record),
                            criterion=criterion, value=value, method=method,
                        )  # fmt: skip

    def _subset(self, file: SplitFile) -> str:
        return file.split or file.path.parent.name


def labels_of(path: Path) -> dict[str, Mapping[str, float | str]]:
    """Return the labels by annotator and item of one published file."""
    return {_name(record): record.value for record in Report(AltTest.name).checked(json_items(path), _checked)}


def _checked(record: Record) -> Iterator[Record]:
    """Yield a record that holds labels by item."""
    if not isinstance(record.value, dict):
        raise RecordError(record, "is not an object of labels by item")
    for item, label in record.value.items():
        if isinstance(label, bool) or not isinstance(label, str | int | float) or label == "":
            raise RecordError(record, "has a label that is neither a text nor a number", f"item {item}: no label")
    yield record


def _name(record: Record) -> str:
    return record.where.removeprefix("key ")


def _key(subset: str, item: str) -> tuple[str, str, str]:
    """Return id, system and criterion of a published item."""
    if subset == "summeval" and item.count("__") >= 2:
        article, system, criterion = item.rsplit("__", 2)
        return article, system, criterion
    _, mark, criterion = item.rpartition("__")
    return item, subset, criterion if mark else "label"
