"""XSum: one-sentence summaries of BBC articles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from assay.datasets.base import Card, Dataset, SplitFile
from assay.datasets.record import Record, Report
from assay.datasets.sources import json_lines, opened
from assay.errors import AssayError
from assay.records import Example
from assay.records.documents import read_json

XSUM_SPLIT = "XSum-TRAINING-DEV-TEST-SPLIT-90-5-5.json"
SHARE_LINES = frozenset(
    (
        "Share this with", "Email", "Facebook", "Messenger", "Twitter", "Pinterest", "WhatsApp", "LinkedIn", "Linkedin",
        "Copy this link", "These are external links and will open in a new window",
    )
)  # fmt: skip
"""Labels of share buttons on the crawled pages; they are not part of the article."""


class XSum(Dataset):
    name: ClassVar = "xsum"
    patterns: ClassVar = {
        "train": (XSUM_SPLIT, "train.jsonl"),
        "validation": (XSUM_SPLIT, "validation.jsonl"),
        "test": (XSUM_SPLIT, "test.jsonl"),
    }
    card: ClassVar = Card(
        title="XSum",
        task="summarization",
        goal="one sentence with the relevant point of a news article",
        languages=("en",),
        sizes={"train": 204045, "validation": 11332, "test": 11334},
        licence="article texts belong to the BBC",
        references="1",
        input_type="article",
        suite="summarization",
        source="https://github.com/EdinburghNLP/XSum",
        files=f"JSON lines with document, summary and id, or {XSUM_SPLIT} next to bbc-summary-data/ID.summary",
        modifications=("pairs with p(faithful) > 0.8 kept: 23,206 / 1,117 / 1,166 remain (modify.faithful)",),
        hub=("EdinburghNLP/xsum", None),
        citation="Narayan, Cohen, Lapata: Don't Give Me the Details, Just the Summary! (2018)",
    )

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        if file.path.name != XSUM_SPLIT:
            return super().read_file(file, report)
        return report.checked(_crawled(file), lambda record: self.examples(record, file))

    def records(self, file: SplitFile) -> Iterable[Record]:
        return json_lines(file.path, "id")

    def examples(self, record: Record, file: SplitFile) -> Iterable[Example]:
        yield Example(
            id=str(record.typed("id", str, int)),
            references=(record.text("summary"),),
            source=record.text("document"),
            language="en",
            split=file.split,
        )


def _crawled(file: SplitFile) -> Iterator[Record]:
    """Yield articles of the crawl: a list of ids per split and one file per article, with parts after `[SN]` marks."""
    listed = read_json(file.path)
    ids = listed.get(file.split) if isinstance(listed, dict) else None
    if not isinstance(ids, list):
        raise AssayError(f"{file.path}: no list of ids under '{file.split}'; download it again")
    for index, id in enumerate(ids):
        path = file.path.parent / "bbc-summary-data" / f"{id}.summary"
        yield _article(path, str(id), index)


def _article(path: Path, id: str, index: int) -> Record:
    if not path.is_file():
        return Record(path, f"id {id}", problem="is missing; the crawl is incomplete", index=index)
    with opened(path) as stream:
        text = stream.read().decode("utf-8", "replace")
    lines = [line for line in text.split("\n") if line.strip() and line.strip() not in SHARE_LINES]
    parts = "\n".join(lines).split("[SN]")
    if len(parts) < 9:
        return Record(
            path, f"id {id}", problem=f"has {len(parts)} [SN] parts, not 9; is the file cut off?", index=index
        )
    return Record(path, f"id {id}", {"id": id, "summary": parts[6].strip(), "document": parts[8].strip()}, index=index)
