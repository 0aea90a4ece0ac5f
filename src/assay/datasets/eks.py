"""Release of event-keyed summarization: MUCSUM's test items, runs of all models, and the human study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card
from assay.datasets.mucsum import Mucsum
from assay.datasets.record import Record, Report
from assay.datasets.sources import json_items, json_lines
from assay.errors import AssayError
from assay.records import Judgement, Output

RUNS = "model_outputs/*/*/*_test_preds.jsonl"
STUDY = "data/human_study/a?_data_with_model_names.json"
RATED = {
    "ref": "reference",
    "bart": "bart-large.temp_and_doc.1338",
    "pegasus": "pegasus-large.temp_and_doc.1339",
    "t5": "t5-large.temp_and_doc.1339",
    "chatgpt": "chatgpt.temp_and_doc.prompt2",
    "gpt4": "gpt4.temp_and_doc.prompt1",
}
"""Sources of rated texts, with their run."""


def run_name(path: Path) -> str:
    """`bart-large.temp_and_doc.1338`: model, input setting, and the seed or prompt."""
    return f"{path.parent.parent.name}.{path.parent.name}.{path.name.split('_')[0]}"


@dataclass(frozen=True)
class Eks(Mucsum):
    name: ClassVar = "eks"
    patterns: ClassVar = {"test": ("data/mucsum/test.json", "mucsum/test.json")}
    card: ClassVar = Card(
        title="Event-keyed summarization: runs and ratings",
        task="meta-evaluation",
        goal="a short text that gives all and only what the report says about one event and its participants",
        languages=("en",),
        sizes={"test": 209},
        licence="MIT (outputs, ratings); MUC-4 texts, academic use",
        references="1",
        input_type="event template",
        suite="summarization",
        source="https://github.com/wgantt/eks",
        files="data/mucsum/test.json, model_outputs and data/human_study of the repository",
        notes=(
            "--outputs writes all 32 runs (model.setting.seed or prompt), one of 33 was not released",
            "--judgements writes 540 ratings from 1 to 5 of 30 items by three raters; the rated texts are those of one"
            " run of each model, named after it, and the references",
            "the form preset every rating to 3; 67 % of one rater's ratings are 3",
        ),
        citation="Gantt, Martin, Kuchmiichuk, White: Event-Keyed Summarization (2024)",
    )

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        """Yield the outputs of all released runs."""
        for file in self._released(path, RUNS):
            system = run_name(file)
            rows = Report(self.name).checked(json_lines(file, "instance_id"), lambda record: [_prediction(record)])
            yield from (Output(id=id, output=text, system=system) for id, text in rows)

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        """Yield all ratings, with the source of each text."""
        for file in self._released(path, STUDY):
            annotator = file.name.split("_")[0]
            yield from Report(self.name).checked(json_items(file), lambda record: _ratings(record, annotator))  # noqa: B023

    def _released(self, path: Path, pattern: str) -> list[Path]:
        files = sorted(path.glob(pattern)) if path.is_dir() else []
        if not files:
            raise AssayError(f"{path}: has none of {pattern}; pass the folder of the release")
        return files


def _prediction(record: Record) -> tuple[str, str]:
    return record.text("instance_id"), record.text("prediction", empty=True)


def _ratings(record: Record, annotator: str) -> list[Judgement]:
    id = record.where.removeprefix("key ")
    judgements = []
    for name in record.value if isinstance(record.value, dict) else ():
        if name.startswith("summary "):
            ratings = record.inner(name)
            system = RATED[ratings.choice("model", tuple(RATED))]
            judgements.append(
                Judgement(id=id, system=system, annotator=annotator, criterion="overall", value=ratings.number("score"))
            )
    if not judgements:
        raise record.bad("summary 1", "is missing")
    return judgements
