"""Stories by decoding setting: prompts, stories by GPT-2, and human ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.record import Record, Report
from assay.datasets.tables import table_rows
from assay.records import Example, Judgement, Output

CRITERIA = ("interesting", "coherent", "fluent", "relevant")
FILE = "complete_human_annotations.csv"


@dataclass(frozen=True)
class Narrative(Dataset):
    name: ClassVar = "narrative"
    patterns: ClassVar = {"test": (FILE,)}
    card: ClassVar = Card(
        title="Narratives by decoding setting",
        task="meta-evaluation",
        goal="an interesting story for a prompt",
        languages=("en",),
        sizes={"test": 100},
        licence="none stated (ratings); WritingPrompts texts, local use only",
        references="none",
        input_type="prompt",
        suite="default",
        source="https://github.com/AADeLucia/gpt2-narrative-decoding",
        files=f"{FILE} of the repository",
        notes=(
            "the systems are the seven values of nucleus sampling, p0.0 to p1.0",
            "--judgements writes 3,335 ratings from 1 to 4 of each criterion by 3 to 5 raters per story; raters have"
            " no names, so annotators 1 to 5 are positions in a list and not the same persons throughout",
            "500 stories of the second part are excluded: 127 of its ids occur twice with different texts",
        ),
        citation="DeLucia, Mueller, Li, Sedoc: Decoding Methods for Neural Narrative Generation (2021)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        seen: set[str] = set()
        for record in report.checked(self.records(file), lambda record: [record]):
            prompt, setting = _key(record)
            if not setting:
                report.drop("of the second part, whose labels are damaged")
            elif prompt not in seen:
                seen.add(prompt)
                yield Example(id=prompt, source=record.text("prompt"), language="en", split=file.split)

    def records(self, file: SplitFile) -> Iterable[Record]:
        return table_rows(file.path, ("", *CRITERIA, "prompt", "response"))

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        for prompt, setting, record in self._stories(path, split):
            yield Output(id=prompt, output=record.text("response", empty=True), system=setting)

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        for prompt, setting, record in self._stories(path, split):
            for criterion in CRITERIA:
                for place, value in enumerate(_ratings(record, criterion), 1):
                    yield Judgement(
                        id=prompt, system=setting, annotator=str(place), criterion=criterion, value=value,
                        method="likert",
                    )  # fmt: skip

    def _stories(self, path: Path, split: str | None) -> Iterator[tuple[str, str, Record]]:
        for file in self.find(path, split):
            for record in Report(self.name).checked(self.records(file), _checked):
                prompt, setting = _key(record)
                if setting:
                    yield prompt, setting, record


def _checked(record: Record) -> Iterable[Record]:
    for criterion in CRITERIA:
        _ratings(record, criterion)
    yield record


def _key(record: Record) -> tuple[str, str]:
    """Return the prompt and its setting, empty for a story of the second part."""
    prompt, *settings = record.text("").split("_")
    if not 1 <= len(settings) <= 2:
        raise record.bad("", "is not an id like 10147_0.9")
    return prompt, f"p{settings[0]}" if len(settings) == 1 else ""


def _ratings(record: Record, criterion: str) -> list[float]:
    try:
        return [float(value) for value in record.text(criterion).strip("[]").split(",")]
    except ValueError:
        raise record.bad(criterion, "is not a list of numbers") from None
