"""MQM ratings of WMT: error spans with category and severity by rater, and the weighted score of each segment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.record import Record, RecordError, Report
from assay.datasets.tables import table_rows
from assay.records import Example, Judgement, Output

COLUMNS = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
AVERAGES = "avg_seg_scores"
"""In the name of a file of averages: system, score and segment, separated by spaces."""
MARK = re.compile(r"</?v>")
NO_ERROR = "No-error"
REFERENCE = re.compile(r"ref.*", re.IGNORECASE)
WEIGHTS: dict[tuple[str, ...], float] = {
    ("major",): 5.0, ("minor",): 1.0, ("neutral",): 0.0, ("no-error",): 0.0,
    ("major", "Non-translation!"): 25.0, ("minor", "Fluency", "Punctuation"): 0.1,
}  # fmt: skip
"""Weights of Freitag et al. (2021) by severity, or severity and category; the most specific one counts."""


class Mqm(Dataset):
    name: ClassVar = "mqm"
    patterns: ClassVar = {"test": ("mqm_*.tsv", "*/mqm_*.tsv")}
    card: ClassVar = Card(
        title="WMT MQM",
        task="meta-evaluation",
        goal="mark errors of translations with category and severity",
        languages=("en",),
        sizes={"test": 529},
        licence="Apache-2.0",
        references="1, if one of the judged systems is a reference",
        input_type="text",
        suite="default",
        source="https://github.com/google/wmt-mqm-human-evaluation",
        files="mqm_*.tsv with one marked error a line (<v> around it), or mqm_*.avg_seg_scores.tsv with averages",
        notes=(
            "--judgements writes for each rater and segment the criterion mqm, minus the sum of the weights, so that"
            " higher is better, and the criterion errors for each marked span: CATEGORY/SEVERITY with unit"
            " span:START-END of the target; an error that is marked in the source has the unit summary",
            "weights: major 5, minor 1, neutral 0, major Non-translation 25, minor Fluency/Punctuation 0.1",
            "sizes are those of TED en-de 2021; --outputs writes the translations of all systems",
        ),
        citation="Freitag et al.: Experts, Errors, and Context (2021)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        if AVERAGES in file.path.name:
            for id in dict.fromkeys(segment for _, _, segment in report.checked(_average_rows(file.path), _average)):
                yield Example(id=id, split=file.split)
            return
        sources: dict[str, str] = {}
        references: dict[str, str] = {}
        documents: dict[str, str] = {}
        for record in report.checked(_rows(file.path), lambda record: [record]):
            id = _segment(record)
            sources.setdefault(id, MARK.sub("", record.text("source")))
            documents.setdefault(id, record.text("doc"))
            if REFERENCE.fullmatch(record.text("system")):
                references.setdefault(id, MARK.sub("", record.text("target", empty=True)))
        for id, source in sources.items():
            named = (references[id],) if id in references else ()
            yield Example(id=id, source=source, references=named, split=file.split, tags={"document": documents[id]})

    def outputs(self, path: Path, split: str | None = None) -> Iterator[Output]:
        seen = set()
        for record in self._checked(path, split):
            key = _segment(record), record.text("system")
            if key not in seen:
                seen.add(key)
                yield Output(id=key[0], output=MARK.sub("", record.text("target", empty=True)), system=key[1])

    def judgements(self, path: Path, split: str | None = None) -> Iterator[Judgement]:
        for file in self.find(path, split):
            if AVERAGES in file.path.name:
                for system, score, id in Report(self.name).checked(_average_rows(file.path), _average):
                    yield Judgement(id=id, system=system, annotator="aggregate", criterion="mqm", value=score)
        scores: dict[tuple[str, str, str], float] = {}
        for record in self._checked(path, split):
            key = _segment(record), record.text("system"), record.text("rater")
            category, severity = record.text("category"), record.text("severity")
            scores[key] = scores.get(key, 0.0) + weight(category, severity)
            if severity.casefold() != NO_ERROR.casefold():
                yield Judgement(
                    id=key[0], system=key[1], annotator=key[2], criterion="errors", value=f"{category}/{severity}",
                    unit=_unit(record.text("target", empty=True)),
                )  # fmt: skip
        for (id, system, rater), lost in scores.items():
            yield Judgement(id=id, system=system, annotator=rater, criterion="mqm", value=0.0 - lost)

    def _checked(self, path: Path, split: str | None) -> Iterator[Record]:
        for file in self.find(path, split):
            if AVERAGES not in file.path.name:
                yield from Report(self.name).checked(_rows(file.path), lambda record: [record])


def weight(category: str, severity: str) -> float:
    """Return the weight of an error; an unknown severity has none.

    >>> weight("Fluency/Punctuation", "Minor"), weight("Accuracy/Omission", "Major")
    (0.1, 5.0)
    """
    key = (severity.casefold(), *category.split("/"))
    return next((WEIGHTS[key[:size]] for size in range(len(key), 0, -1) if key[:size] in WEIGHTS), 0.0)


def _segment(record: Record) -> str:
    return f"{record.text('doc')}/{record.text('seg_id')}"


def _unit(target: str) -> str:
    start, end = target.find("<v>"), target.find("</v>")
    return f"span:{start}-{end - len('<v>')}" if 0 <= start < end else "summary"


def _rows(path: Path) -> Iterable[Record]:
    return table_rows(path, COLUMNS, "\t")


def _average_rows(path: Path) -> Iterable[Record]:
    return table_rows(path, ("system", "mqm_avg_score", "seg_id"), " ")


def _average(record: Record) -> Iterator[tuple[str, float, str]]:
    text = record.text("mqm_avg_score")
    if text == "None":
        return
    try:
        yield record.text("system"), float(text) + 0.0, record.text("seg_id")
    except ValueError:
        raise RecordError(record, "has a score that is not a number", text[:40]) from None
